package dev.weft.nio;

import dev.weft.intercept.SourceBinding;
import dev.weft.relay.Route;
import dev.weft.session.Closing;
import dev.weft.session.Leg;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsFacts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One generation of a session's server leg. What it hears bears its generation, so that a leg that was let go but still lingers
 * can't be taken for its successor.
 */
final class ServerLeg implements LegOwner {

    private static final Logger LOG = LoggerFactory.getLogger(ServerLeg.class);

    private final SessionDriver driver;
    private final Engine engine;
    private final int generation;
    private final InetSocketAddress server;
    private final LegChannel channel;
    /** Its local address, as the loop guard knows it; null while it does not. */
    private InetSocketAddress local;
    private Route tlsRoute;

    /** Begins to connect. */
    ServerLeg(SessionDriver driver, Engine engine, EventLoop loop, int generation, Route route, InetAddress client)
            throws IOException {
        this.driver = driver;
        this.engine = engine;
        this.generation = generation;
        this.server = route.server();
        var source = route.fromClientAddress() ? Optional.of(client) : route.source();
        var connecting = SourceBinding.connect(server, source, route.fromClientAddress());
        try {
            channel = new LegChannel(loop, connecting, this, loop.toServer());
            // Known early where that can be, since a leg that was led back here is accepted before it is connected.
            SourceBinding.localAddress(connecting).ifPresent(this::leavesFrom);
        } catch (IOException | RuntimeException e) {
            connecting.close();
            throw e;
        }
        if (connecting.isConnected()) {
            loop.defer(() -> connected(channel));
        }
    }

    LegChannel channel() {
        return channel;
    }

    void close(Closing how) {
        channel.close(how);
    }

    private void leavesFrom(InetSocketAddress address) {
        local = address;
        engine.guard().leaving(local, server);
    }

    @Override
    public void connected(LegChannel leg) {
        if (leg.closing()) {
            return;
        }
        try {
            var address = (InetSocketAddress) leg.channel().getLocalAddress();
            if (local == null) {
                leavesFrom(address);
            }
            driver.tell(session -> session.serverConnected(generation, address));
        } catch (IOException e) {
            notConnected(leg, e);
        }
    }

    @Override
    public void notConnected(LegChannel leg, IOException why) {
        leg.closeNow();
        driver.tell(session -> session.serverUnreachable(generation, SessionDriver.reason(why)));
    }

    @Override
    public void bytes(LegChannel leg, ByteBuffer in) {
        // It is a real server that speaks. Had the leg been led back here, it would have been refused before; from now on a
        // client whose connection happens to look like this leg is not to be taken for it.
        forget();
        driver.tell(session -> session.fromServer(generation, in));
    }

    @Override
    public int room(LegChannel leg) {
        return Integer.MAX_VALUE;
    }

    @Override
    public void endOfInput(LegChannel leg) {
        driver.tell(session -> session.serverClosed(generation));
    }

    @Override
    public void broken(LegChannel leg, IOException why) {
        LOG.debug("the server leg to {} broke", server, why);
        driver.tell(session -> session.serverClosed(generation));
    }

    @Override
    public void drained(LegChannel leg) {
        driver.tell(session -> session.writeDrained(Leg.SERVER));
    }

    @Override
    public void closed(LegChannel leg) {
        forget();
        driver.serverLegClosed(this);
    }

    private void forget() {
        if (local != null) {
            engine.guard().left(local, server);
            local = null;
        }
    }

    void startTls(Route route, Optional<String> serverName) {
        tlsRoute = route;
        driver.tlsFaultIsOurs(false);
        try {
            channel.startTls(engine.tls().serverLegEngine(route, serverName), engine.tls().workers());
        } catch (TlsException | RuntimeException e) {
            driver.tlsFaultIsOurs(true);
            driver.later(session -> session.serverTlsFailed(generation, SessionDriver.reason(e)));
        }
    }

    @Override
    public void secured(LegChannel leg, TlsFacts facts) {
        driver.tell(session -> session.serverSecured(generation, engine.tls().judgeServer(facts, tlsRoute)));
        // Behind the EHLO that has just been written, since to write makes the kernel delay again.
        if (!leg.closing()) {
            QuickAck.ask(leg.channel());
        }
    }

    @Override
    public void notSecured(LegChannel leg, String why, boolean ours) {
        driver.tlsFaultIsOurs(ours);
        driver.tell(session -> session.serverTlsFailed(generation, why));
    }

    @Override
    public void flushed(LegChannel leg) {
        driver.tell(session -> { });
    }

    @Override
    public void failed(LegChannel leg, Throwable failure) {
        driver.failed(leg, failure);
    }
}
