package dev.weft.examples.bench;

import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** A server with STARTTLS that takes messages and throws them away. Knows just the SMTP that a proxy's server leg speaks. */
final class TlsSink extends LoopbackSink {

    private static final byte[] END = "\r\n.\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ByteBuffer plain = ByteBuffer.allocateDirect(64 * 1024);
    private final TlsServerContext tls;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger handshakes = new AtomicInteger();
    private final AtomicInteger resumed = new AtomicInteger();
    private final AtomicInteger messages = new AtomicInteger();

    TlsSink(TlsServerContext tls) throws IOException {
        this.tls = tls;
        start("tls-sink");
    }

    @Override
    Peer greet(SocketChannel channel) throws IOException {
        connections.incrementAndGet();
        var peer = new Sender(new TlsWire(channel, new TlsWire.Buffers()));
        peer.say("220 sink.example ESMTP");
        return peer;
    }

    /**
     * What came in a while.
     *
     * @param handshakes all that were completed
     * @param resumed those of them that resumed a session
     */
    record Count(int connections, int handshakes, int resumed, int messages) {

        Count since(Count before) {
            return new Count(connections - before.connections, handshakes - before.handshakes, resumed - before.resumed,
                    messages - before.messages);
        }
    }

    /** What has come so far. */
    Count count() {
        return new Count(connections.get(), handshakes.get(), resumed.get(), messages.get());
    }

    /** One connection, with the line that it is in, or the end of the message that has come so far. */
    private final class Sender implements Peer {
        private final TlsWire wire;
        private final StringBuilder line = new StringBuilder();
        private final byte[] tail = new byte[END.length];
        private boolean message;
        private boolean secured;

        Sender(TlsWire wire) {
            this.wire = wire;
        }

        @Override
        public void read() throws IOException, TlsException {
            int count;
            while ((count = wire.read(plain.clear())) > 0) {
                take(plain.flip());
            }
            if (count < 0) {
                wire.close();
            }
        }

        private void take(ByteBuffer part) throws IOException, TlsException {
            while (part.hasRemaining()) {
                if (message) {
                    if (ends(part)) {
                        message = false;
                        messages.incrementAndGet();
                        say("250 2.0.0 taken");
                    }
                    continue;
                }
                char octet = (char) (part.get() & 0xff);
                if (octet != '\n') {
                    line.append(octet);
                    continue;
                }
                var verb = line.substring(0, Math.min(4, line.length()));
                line.setLength(0);
                command(verb);
            }
        }

        /** Takes a part of a message; its sender waits for the reply, so that nothing follows the end. */
        private boolean ends(ByteBuffer part) {
            int fresh = Math.min(part.remaining(), tail.length);
            System.arraycopy(tail, fresh, tail, 0, tail.length - fresh);
            part.get(part.limit() - fresh, tail, tail.length - fresh, fresh);
            part.position(part.limit());
            return Arrays.equals(tail, END);
        }

        private void command(String verb) throws IOException, TlsException {
            if (wire.handshakeDone() && !secured) {
                secured = true;
                handshakes.incrementAndGet();
                resumed.addAndGet(wire.resumed() ? 1 : 0);
            }
            switch (verb) {
                case "EHLO" -> say(wire.inTls() ? "250 sink.example" : "250-sink.example\r\n250 STARTTLS");
                case "STAR" -> {
                    say("220 2.0.0 go on");
                    wire.secure(tls.engine(), false);
                }
                case "DATA" -> {
                    say("354 go on");
                    Arrays.fill(tail, (byte) 0);
                    message = true;
                }
                case "QUIT" -> {
                    say("221 2.0.0 bye");
                    wire.channel().shutdownOutput();
                }
                default -> say("250 2.0.0 ok");
            }
        }

        private void say(String reply) throws IOException {
            if (!wire.write(StandardCharsets.US_ASCII.encode(reply + "\r\n"))) {
                throw new IOException("the peer does not read its replies");
            }
        }

        @Override
        public void close() throws IOException {
            wire.close();
        }
    }
}
