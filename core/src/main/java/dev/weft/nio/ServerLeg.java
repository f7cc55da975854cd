package dev.weft.nio;

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
final class ServerLeg implements LegOwner, ServerSide {

    private static final Logger LOG = LoggerFactory.getLogger(ServerLeg.class);

    private final SessionDriver driver;
    private final Engine engine;
    private final int generation;
    private final InetSocketAddress server;
    private final Departure departure;
    private final Runnable whenClosed;
    private Route tlsRoute;

    /** Begins to connect. */
    ServerLeg(SessionDriver driver, Engine engine, EventLoop loop, int generation, Route route, InetAddress client,
            Runnable whenClosed) throws IOException {
        this.driver = driver;
        this.engine = engine;
        this.generation = generation;
        this.server = route.server();
        this.whenClosed = whenClosed;
        this.departure = new Departure(engine, loop, route, client, this);
    }

    @Override
    public LegChannel channel() {
        return departure.channel();
    }

    @Override
    public void close(Closing how) {
        channel().close(how);
    }

    @Override
    public void connected(LegChannel leg) {
        if (leg.closing()) {
            return;
        }
        try {
            var address = departure.connected();
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
        departure.forget();
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
        departure.forget();
        whenClosed.run();
        driver.server().closed(this);
    }

    @Override
    public void startTls(Route route, Optional<String> serverName) {
        tlsRoute = route;
        driver.server().tlsFaultIsOurs(false);
        try {
            channel().startTls(engine.tls().serverLegEngine(route, serverName), engine.tls().workers());
        } catch (TlsException | RuntimeException e) {
            driver.server().tlsFaultIsOurs(true);
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
        driver.server().tlsFaultIsOurs(ours);
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
