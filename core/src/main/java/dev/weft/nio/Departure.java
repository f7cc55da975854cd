package dev.weft.nio;

import dev.weft.intercept.SourceBinding;
import dev.weft.relay.Route;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A connection to a server from its first packet on, and how the loop guard knows it until a real server has spoken. */
final class Departure {

    private final Engine engine;
    private final InetSocketAddress server;
    private final LegChannel channel;
    /** Its local address, as the loop guard knows it; null while it does not. */
    private InetSocketAddress local;

    /**
     * Begins to connect.
     *
     * @throws IOException if that fails at once
     */
    Departure(Engine engine, EventLoop loop, Route route, InetAddress client, LegOwner owner) throws IOException {
        this.engine = engine;
        this.server = route.server();
        var connecting = SourceBinding.connect(server, LegKey.source(route, client), route.fromClientAddress());
        try {
            channel = new LegChannel(loop, connecting, owner, loop.toServer());
            // Known early where that can be, since a leg that was led back here is accepted before it is connected.
            SourceBinding.localAddress(connecting).ifPresent(this::leavesFrom);
        } catch (IOException | RuntimeException e) {
            connecting.close();
            throw e;
        }
        if (connecting.isConnected()) {
            loop.defer(() -> owner.connected(channel));
        }
    }

    LegChannel channel() {
        return channel;
    }

    private void leavesFrom(InetSocketAddress address) {
        local = address;
        engine.guard().leaving(local, server);
    }

    /**
     * The connection is there.
     *
     * @return the address that it left from
     */
    InetSocketAddress connected() throws IOException {
        var address = (InetSocketAddress) channel.channel().getLocalAddress();
        if (local == null) {
            leavesFrom(address);
        }
        return address;
    }

    /**
     * It is a real server that spoke, or the connection is closed. Had it been led back here, it would have been refused before;
     * from now on a client whose connection happens to look like this one is not to be taken for it.
     */
    void forget() {
        if (local != null) {
            engine.guard().left(local, server);
            local = null;
        }
    }
}
