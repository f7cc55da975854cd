package dev.weft.nio;

import dev.weft.intercept.Interception;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Verdict;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A proxy in a JVM of its own that may have few descriptors: prints its port, relays to the server's port, ends with its standard
 * input.
 */
final class ShortOfDescriptors {

    private ShortOfDescriptors() {}

    public static void main(String[] arguments) throws Exception {
        var server = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        var nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
        var handler = new RelayHandler() {
            private final AtomicBoolean first = new AtomicBoolean(true);

            /**
             * The first session fails, so that all classes that failing needs are loaded while there are descriptors to load them
             * with.
             */
            @Override
            public Verdict<Route> connect(RelaySession session, Route proposed) {
                return first.getAndSet(false) ? Verdict.rewrite(Route.to(nobody)) : Verdict.proceed();
            }
        };
        try (var rig = Rig.with(Interception.fixed(server)).handlers(handler).start()) {
            System.out.println(rig.address.getPort());
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }
}
