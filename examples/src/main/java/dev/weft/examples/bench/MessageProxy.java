package dev.weft.examples.bench;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageReader;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Weft alone in a JVM, as {@link Proxy} is, with one handler that sends every message one path and relays it unchanged. */
public final class MessageProxy {

    /** The paths, as they are named on the command line. */
    enum PathName { STREAM, DOT, HOLD }

    private MessageProxy() {}

    /**
     * Runs the proxy.
     *
     * @param args the server's port; the path: STREAM, DOT or HOLD
     * @throws IOException if it can't listen
     */
    public static void main(String[] args) throws IOException {
        var builder = SmtpProxy.builder()
                .listen("127.0.0.1", 0)
                .intercept(Interception.fixed(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0]))))
                .maxSessions(30_000)
                .handler(new OnePath(PathName.valueOf(args[1])));
        try (var proxy = builder.build()) {
            proxy.start();
            Proxy.obey(proxy);
        }
    }

    private record OnePath(PathName path) implements RelayHandler {
        @Override
        public MessageUse messageUse(RelaySession session) {
            return path == PathName.STREAM ? MessageUse.none() : MessageUse.look();
        }

        @Override
        public MessagePath message(Transaction transaction) {
            return switch (path) {
                case STREAM -> MessagePath.stream();
                case DOT -> MessagePath.holdTheDot(new Glance());
                case HOLD -> MessagePath.hold(message -> Verdict.proceed());
            };
        }
    }

    /** Counts octets: what is measured is the path, not a scanner. */
    private static final class Glance implements MessageReader {
        private long octets;

        @Override
        public void read(ByteBuffer piece) {
            octets += piece.remaining();
        }

        @Override
        public Verdict<Void> end() {
            return Verdict.proceed();
        }
    }
}
