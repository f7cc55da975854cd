package dev.weft;

import dev.weft.intercept.InheritedListener;
import dev.weft.intercept.Interception;
import dev.weft.intercept.LoopGuard;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;

/** What a builder was told about listeners. */
final class ListenChoice {

    private final List<Listening> listeners = new ArrayList<>();

    void plain(InetSocketAddress address) {
        listeners.add(new Listening.Plain(resolved(address)));
    }

    void secure(InetSocketAddress address) {
        listeners.add(new Listening.Secure(new Listening.Plain(resolved(address))));
    }

    void transparent(InetSocketAddress address) {
        listeners.add(new Listening.Transparent(resolved(address)));
    }

    void given(ServerSocketChannel channel) {
        try {
            if (channel.getLocalAddress() == null) {
                throw new IllegalArgumentException(
                        "listener " + channel + " is not bound: bind it before it is given to the proxy");
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("listener " + channel + " is closed: open one and bind it", e);
        }
        listeners.add(new Listening.Given(channel));
    }

    void inherited() {
        InheritedListener.get();
        listeners.add(new Listening.Inherited());
    }

    private static InetSocketAddress resolved(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("listen address " + address.getHostString() + ":" + address.getPort()
                    + " can't be looked up: give an address of this host");
        }
        return address;
    }

    List<Listening> all() {
        if (listeners.isEmpty()) {
            throw new IllegalStateException("no listener: call listen(...), listenTransparent(...) or inherited()");
        }
        return List.copyOf(listeners);
    }

    /** Whether clients of any begin with a TLS handshake. */
    boolean implicitTls() {
        return listeners.stream().anyMatch(Listening::implicitTls);
    }

    /** Sessions that lead back to a listener would go round without end. */
    void refuseLoop(Interception interception) {
        if (interception instanceof Interception.Fixed fixed) {
            var guard = new LoopGuard();
            for (var listener : listeners) {
                if (listener instanceof Listening.Plain plain && plain.address().getPort() != 0) {
                    guard.add(plain.address());
                }
            }
            guard.refusal(fixed.server()).ifPresent(why -> {
                throw new IllegalStateException("intercept(fixed " + fixed.server() + "): " + why + "; name another server");
            });
        }
    }
}
