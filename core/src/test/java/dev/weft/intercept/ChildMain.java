package dev.weft.intercept;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Optional;

/** What the tests run in other JVMs; each part prints lines that the test reads. */
@SuppressWarnings("try") // some connections need only be there
final class ChildMain {
    private ChildMain() {
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "missing" -> missing();
            case "inherited" -> inherited();
            case "tproxy" -> tproxy(arguments);
            case "redirect" -> redirect(arguments);
            case "spoof" -> spoof(arguments[1], arguments[2]);
            case "ports" -> ports(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void missing() {
        say("helper: " + SocketOptionHelper.unavailable().orElse("available"));
        say("transparent: " + SocketOptionHelper.transparentUnavailable().orElse("available"));
        say("redirect: " + outcome(() -> Interception.redirect().check()));
        say("localAddress: " + outcome(() -> Interception.localAddress().check()));
        say("spoof: " + outcome(() -> SourceBinding.check(true)));
        say("source: " + outcome(() -> SourceBinding.check(false)));
        say("inherited: " + outcome(InheritedListener::get));
        say("listener: " + outcome(() -> TransparentListener.open(new InetSocketAddress(0), 10).close()));
    }

    private static void inherited() throws IOException {
        var listener = InheritedListener.get();
        say("same: " + (listener == InheritedListener.get()));
        say("inherited: " + InheritedListener.isInherited(listener));
        try (var other = ServerSocketChannel.open()) {
            say("other: " + InheritedListener.isInherited(other));
        }
        say("advice: " + InheritedListener.advice(listener).orElse("none"));
        var address = (InetSocketAddress) listener.getLocalAddress();
        var loopback = address.getAddress() instanceof Inet4Address ? "127.0.0.1" : "::1";
        try (var client = SocketChannel.open(new InetSocketAddress(Addresses.parse(loopback).orElseThrow(), address.getPort()));
                var accepted = listener.accept()) {
            say("destination: " + Addresses.text(Interception.localAddress().destination(accepted).orElseThrow())
                    .replace(":" + address.getPort(), ""));
        }
    }

    private static void tproxy(String[] destinations) throws IOException {
        try (var listener = TransparentListener.open(new InetSocketAddress(2525), 100)) {
            intercept(Interception.localAddress(), listener, destinations);
        }
    }

    private static void redirect(String[] destinations) throws IOException {
        Interception.redirect().check();
        try (var listener = ServerSocketChannel.open().bind(new InetSocketAddress(2525))) {
            intercept(Interception.redirect(), listener, destinations);
        }
    }

    private static void intercept(Interception interception, ServerSocketChannel listener, String[] destinations)
            throws IOException {
        var guard = new LoopGuard();
        guard.add((InetSocketAddress) listener.getLocalAddress());
        for (int i = 1; i < destinations.length; i += 2) {
            var dialled = new InetSocketAddress(Addresses.parse(destinations[i]).orElseThrow(),
                    Integer.parseInt(destinations[i + 1]));
            try (var client = SocketChannel.open(dialled); var accepted = listener.accept()) {
                var found = interception.destination(accepted).orElseThrow();
                say(Addresses.text(dialled) + " -> " + Addresses.text(found) + guard.refusal(found).map(r -> " refused")
                        .orElse(" ok"));
            } catch (IOException e) {
                say(Addresses.text(dialled) + " -> " + e.getMessage());
            }
        }
    }

    private static void spoof(String host, String foreign) throws IOException {
        SourceBinding.check(true);
        var own = Addresses.parse(host).orElseThrow();
        var client = Addresses.parse(foreign).orElseThrow();
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress(own, 0))) {
            try (var leg = SourceBinding.connect((InetSocketAddress) server.getLocalAddress(), Optional.of(client), true)) {
                say("known: " + SourceBinding.localAddress(leg).map(a -> a.getAddress().equals(client)).orElse(false));
                finish(leg);
                try (var accepted = server.accept()) {
                    var peer = (InetSocketAddress) accepted.getRemoteAddress();
                    say("peer: " + peer.getAddress().getHostAddress());
                    accepted.write(ByteBuffer.wrap(new byte[] {'2'}));
                    var answer = ByteBuffer.allocate(1);
                    await(leg, SelectionKey.OP_READ);
                    say("read: " + leg.read(answer));
                }
            }
        }
    }

    /** In a namespace with a tiny port range: how many connections two servers get from one address. */
    private static void ports(int perServer, int range) throws IOException {
        var source = Optional.of(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        var open = new ArrayList<SocketChannel>();
        try (var a = ServerSocketChannel.open().bind(new InetSocketAddress(source.get(), 0), 1000);
                var b = ServerSocketChannel.open().bind(new InetSocketAddress(source.get(), 0), 1000)) {
            for (int i = 0; i < perServer; i++) {
                open.add(SourceBinding.connect((InetSocketAddress) a.getLocalAddress(), source, false));
                open.add(SourceBinding.connect((InetSocketAddress) b.getLocalAddress(), source, false));
            }
            say("open: " + open.size());
            say("beyond: " + outcome(() -> {
                for (int i = 0; i < range; i++) {
                    open.add(SourceBinding.connect((InetSocketAddress) a.getLocalAddress(), source, false));
                }
            }));
        }
    }

    static void finish(SocketChannel leg) throws IOException {
        if (!leg.isConnected()) {
            await(leg, SelectionKey.OP_CONNECT);
            leg.finishConnect();
        }
    }

    private static void await(SocketChannel channel, int operation) throws IOException {
        try (var selector = Selector.open()) {
            channel.register(selector, operation);
            if (selector.select(20_000) == 0) {
                throw new IOException("nothing happened within 20 s");
            }
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private static String outcome(Step step) {
        try {
            step.run();
            return "fine";
        } catch (Exception e) {
            return e.getClass().getSimpleName() + ": " + e.getMessage();
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
