package dev.weft.nio;

import dev.weft.relay.Route;
import dev.weft.session.Closing;
import dev.weft.session.Leg;
import dev.weft.session.LegFacts;
import dev.weft.session.LegRefusal;
import dev.weft.smtp.Reply;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/** One generation of a session's server leg that is leased: from the question to the return. */
final class SessionLease implements ServerSide, LeaseRequest.Lessee, PooledLeg.User {

    private final SessionDriver driver;
    private final int generation;
    private final LeaseRequest request;
    /** Null before it is granted. */
    private PooledLeg leg;

    SessionLease(SessionDriver driver, LegPool pool, EventLoop loop, int generation, Route route, InetAddress client, boolean fresh) {
        this.driver = driver;
        this.generation = generation;
        this.request = new LeaseRequest(pool, loop, route, client, fresh, this);
    }

    /** Asks; the request can be withdrawn before its answer. */
    LeaseRequest ask() {
        request.ask();
        return request;
    }

    @Override
    public void granted(PooledLeg granted) {
        leg = granted;
        leg.use(this);
        driver.server().leased(this);
        driver.tell(session -> session.leaseGranted(generation, granted.facts()));
    }

    @Override
    public void refused(LegRefusal refusal) {
        driver.server().answered(request);
        driver.tell(session -> session.leaseRefused(generation, refusal));
    }

    void giveBack(LegFacts.Use use) {
        leg.giveBack(use);
    }

    void turnedAway(Reply reply) {
        leg.turnedAway(reply);
    }

    @Override
    public LegChannel channel() {
        return leg.channel();
    }

    @Override
    public void close(Closing how) {
        leg.close(how);
    }

    @Override
    public void startTls(Route route, Optional<String> serverName) {
        throw new IllegalStateException("a leased leg has the TLS that its route wants");
    }

    // What the leg tells

    @Override
    public void bytes(ByteBuffer in) {
        driver.tell(session -> session.fromServer(generation, in));
    }

    @Override
    public void closedByServer() {
        driver.tell(session -> session.serverClosed(generation));
    }

    @Override
    public void drained() {
        driver.tell(session -> session.writeDrained(Leg.SERVER));
    }

    @Override
    public void flushed() {
        driver.tell(session -> { });
    }

    @Override
    public void failed(Throwable failure) {
        driver.failed(leg.channel(), failure);
    }

    @Override
    public void gone() {
        driver.server().closed(this);
    }
}
