package dev.weft.examples.bench;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.policy.LegLimit;
import dev.weft.relay.Binding;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Verdict;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * Weft alone in a JVM, so that a benchmark can count what that process uses. Relays to a port of 127.0.0.1, prints
 * {@code port N}, answers the line {@code gc} with {@code heap BYTES}, the live heap after a collection, and ends at the end of
 * its standard input.
 */
public final class Proxy {

    /** In place of an address: sessions are bound on mail. */
    static final String ON_MAIL = "on-mail";

    private static final int LEGS = 20;

    private Proxy() {}

    /**
     * Runs the proxy.
     *
     * @param args the server's port; then, if its legs shall leave from one address, that address, or {@value #ON_MAIL} for
     *        sessions that are bound on mail
     * @throws IOException if it can't listen
     */
    public static void main(String[] args) throws IOException {
        var server = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0]));
        var builder = SmtpProxy.builder()
                .listen("127.0.0.1", 0)
                .intercept(Interception.fixed(server))
                .maxSessions(30_000);
        if (args.length > 1 && args[1].equals(ON_MAIL)) {
            builder.binding(Binding.ON_MAIL).legLimit(LegLimit.fixed(LEGS)).helloName("proxy.example");
        } else if (args.length > 1) {
            builder.handler(new FromOneSource(InetAddress.getByName(args[1])));
        }
        try (var proxy = builder.build()) {
            proxy.start();
            obey(proxy);
        }
    }

    /** Tells the port, and follows orders until there are no more. */
    static void obey(SmtpProxy proxy) throws IOException {
        System.out.println("port " + proxy.addresses().get(0).getPort());
        var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (var order = orders.readLine(); order != null; order = orders.readLine()) {
            if (order.equals("gc")) {
                System.out.println("heap " + liveHeap());
            }
        }
    }

    private static long liveHeap() {
        // The first collection enqueues what was reachable only by references, the second frees it.
        System.gc();
        System.gc();
        var runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private record FromOneSource(InetAddress source) implements RelayHandler {
        @Override
        public Verdict<Route> connect(RelaySession session, Route proposed) {
            return Verdict.rewrite(proposed.withSource(source));
        }
    }
}
