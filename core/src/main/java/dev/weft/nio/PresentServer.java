package dev.weft.nio;

import dev.weft.relay.Route;
import dev.weft.session.Closing;
import dev.weft.session.LegFacts;
import dev.weft.smtp.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server leg that a session has at present: one of its own, one that it has leased, or none. */
final class PresentServer {

    private static final Logger LOG = LoggerFactory.getLogger(PresentServer.class);

    private final SessionDriver driver;
    private final Engine engine;
    private final EventLoop loop;
    private final InetAddress client;
    /** Null if there is none. */
    private ServerSide leg;
    /** The lease or turn that was asked for and is not answered yet; null if there is none. */
    private LeaseRequest asked;
    /** The last failure of TLS came of this side, such as a lack of descriptors. */
    private boolean tlsFaultIsOurs;

    PresentServer(SessionDriver driver, Engine engine, EventLoop loop, InetAddress client) {
        this.driver = driver;
        this.engine = engine;
        this.loop = loop;
        this.client = client;
    }

    /** The leg's connection; null if there is none. */
    LegChannel channel() {
        return leg == null ? null : leg.channel();
    }

    void connect(int generation, Route route) {
        if (engine.pool().limitsOnConnect()) {
            asked = new ConnectTurn(driver, engine.pool(), loop, generation, route, client).ask();
        } else {
            open(generation, route, () -> { });
        }
    }

    /** The session's turn has come, and with it the time to connect. */
    void connectNow(int generation, Route route, ConnectTurn turn) {
        open(generation, route, turn::ended);
        driver.tell(session -> session.serverConnecting(generation));
    }

    private void open(int generation, Route route, Runnable whenClosed) {
        try {
            // The arrival was looked at; a handler's route may lead back here all the same, and would go round without end.
            var loopback = engine.guard().refusal(route.server());
            if (loopback.isPresent()) {
                throw new IOException(loopback.get());
            }
            leg = new ServerLeg(driver, engine, loop, generation, route, client, whenClosed);
        } catch (IOException | RuntimeException e) {
            whenClosed.run();
            LOG.debug("session {}: no server leg {}", driver.arrival().sessionId(), route, e);
            driver.later(session -> session.serverUnreachable(generation, SessionDriver.reason(e)));
        }
    }

    void lease(int generation, Route route, boolean fresh) {
        asked = new SessionLease(driver, engine.pool(), loop, generation, route, client, fresh).ask();
    }

    void leased(SessionLease lease) {
        asked = null;
        leg = lease;
    }

    /** A request has its answer. */
    void answered(LeaseRequest request) {
        if (asked == request) {
            asked = null;
        }
    }

    void giveBack(LegFacts.Use use) {
        if (leg instanceof SessionLease lease) {
            leg = null;
            lease.giveBack(use);
        }
    }

    void turnedAway(Reply reply) {
        if (leg instanceof SessionLease lease) {
            lease.turnedAway(reply);
        }
    }

    void startTls(Route route, Optional<String> serverName) {
        // After this event: what comes of it is an input of its own, and may come at once.
        var secured = leg;
        loop.defer(() -> {
            if (secured != null && secured == leg) {
                secured.startTls(route, serverName);
                driver.tell(session -> { });
            }
        });
    }

    void tlsFaultIsOurs(boolean ours) {
        tlsFaultIsOurs = ours;
    }

    /** TLS failed towards this route: that is remembered of the server, unless the fault is ours. */
    void tlsBroke(Route route) {
        if (!tlsFaultIsOurs) {
            engine.tls().broke(route, loop.now());
        }
    }

    /** Lets the leg go, or what was asked for. */
    void close(Closing how) {
        if (leg != null) {
            var leaves = leg;
            leg = null;
            leaves.close(how);
        } else if (asked != null) {
            asked.withdraw();
            asked = null;
        }
    }

    /** A leg is closed, this or a former one. */
    void closed(ServerSide gone) {
        if (leg == gone) {
            leg = null;
        }
    }
}
