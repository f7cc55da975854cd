package dev.weft.nio;

import dev.weft.policy.Turn;
import dev.weft.relay.Route;
import dev.weft.session.LegRefusal;
import dev.weft.session.SmtpSession;
import java.net.InetAddress;

/**
 * The turn of a session that is bound on connect, where a host limits these too: the right to one connection of its own, from before
 * it is opened until its socket is closed.
 */
final class ConnectTurn implements LeaseRequest.Lessee {

    private final SessionDriver driver;
    private final EventLoop loop;
    private final int generation;
    private final Route route;
    private final LeaseRequest request;
    private LegSlot slot;
    private Turn<LeaseRequest> turn;

    ConnectTurn(SessionDriver driver, LegPool pool, EventLoop loop, int generation, Route route, InetAddress client) {
        this.driver = driver;
        this.loop = loop;
        this.generation = generation;
        this.route = route;
        this.request = LeaseRequest.ofConnection(pool, loop, route, client, this);
    }

    LeaseRequest ask() {
        request.ask();
        return request;
    }

    @Override
    public void connect(LegSlot granted, Turn<LeaseRequest> its) {
        slot = granted;
        turn = its;
        driver.server().answered(request);
        driver.server().connectNow(generation, route, this);
    }

    /** The connection is closed, or none came about; the slot is free once no socket is left. */
    void ended() {
        slot.count.closes(slot, null);
        slot.count.leaseEnded(turn, false, loop.now());
        loop.afterSelect(() -> slot.count.gone(slot, loop.now()));
    }

    @Override
    public void granted(PooledLeg leg) {
        throw new IllegalStateException("a session bound on connect asked for a connection of its own");
    }

    @Override
    public void refused(LegRefusal refusal) {
        driver.server().answered(request);
        driver.tell((SmtpSession session) -> session.serverUnreachable(generation, refusal.why()));
    }
}
