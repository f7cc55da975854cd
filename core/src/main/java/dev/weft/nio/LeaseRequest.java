package dev.weft.nio;

import dev.weft.policy.Turn;
import dev.weft.relay.Route;
import dev.weft.relay.Tenant;
import dev.weft.session.LegRefusal;
import dev.weft.smtp.Reply;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One wish for a leased leg, from the question to its answer, which it gets once. Everything happens on the loop of who asks,
 * but what the destination's count decides under its lock.
 */
final class LeaseRequest {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseRequest.class);

    /** Who asks. */
    interface Lessee {
        /** Gets a leg of its own loop, which tells it what comes from now on. */
        void granted(PooledLeg leg);

        /** Gets none. */
        void refused(LegRefusal refusal);

        /** May open a connection of its own, which {@link LeaseRequest#ofConnection} asked for. */
        default void connect(LegSlot slot, Turn<LeaseRequest> turn) {
            throw new IllegalStateException("a lease was asked for, not a connection");
        }
    }

    private final LegPool pool;
    private final EventLoop loop;
    private final Route route;
    private final InetAddress client;
    private final LegKey key;
    private final Tenant tenant;
    private final boolean fresh;
    /** Who asks opens the connection itself. */
    private final boolean ownConnection;
    private final Lessee lessee;
    private final Duration patience;
    private final long waitEnd;
    private final long budgetEnd;
    private LeaseCount count;
    private LegOpener opener;
    /** It has its answer, or wants none any more. */
    private boolean over;
    private LegRefusal lastRefusal;
    /** Set and read with the count's lock, or once it is granted. */
    Turn<LeaseRequest> turn;
    /** It has a turn, and nothing to open a leg with. Set with the count's lock; read after it was withdrawn. */
    boolean lacksDescriptors;

    private final Timer timer = new Timer() {
        @Override
        void fire() {
            if (count.withdraw(LeaseRequest.this, loop.now())) {
                noTurn(late());
            }
        }
    };

    LeaseRequest(LegPool pool, EventLoop loop, Route route, InetAddress client, boolean fresh, Lessee lessee) {
        this(pool, loop, route, client, fresh, false, pool.settings().patience(), lessee);
    }

    /** Asks for the right to open one connection, before the limit for that has run out. */
    static LeaseRequest ofConnection(LegPool pool, EventLoop loop, Route route, InetAddress client, Lessee lessee) {
        var limit = pool.engine().settings().timeouts().connect().multipliedBy(9).dividedBy(10);
        return new LeaseRequest(pool, loop, route, client, true, true, noLonger(limit, pool), lessee);
    }

    /** Asks for a leg, with less patience than others. */
    static LeaseRequest withPatience(
            Duration limit, LegPool pool, EventLoop loop, Route route, InetAddress client, Lessee lessee) {
        return new LeaseRequest(pool, loop, route, client, false, false, noLonger(limit, pool), lessee);
    }

    private static Duration noLonger(Duration limit, LegPool pool) {
        var patience = pool.settings().patience();
        return patience.compareTo(limit) < 0 ? patience : limit;
    }

    private LeaseRequest(LegPool pool, EventLoop loop, Route route, InetAddress client, boolean fresh, boolean ownConnection,
            Duration patience, Lessee lessee) {
        this.ownConnection = ownConnection;
        this.patience = patience;
        this.pool = pool;
        this.loop = loop;
        this.route = route;
        this.client = client;
        this.key = pool.key(route, client);
        this.tenant = route.tenant().orElseGet(() -> Tenant.of(client));
        this.fresh = fresh;
        this.lessee = lessee;
        this.waitEnd = loop.now() + patience.toNanos();
        this.budgetEnd = loop.now() + pool.engine().settings().timeouts().budget().toNanos();
    }

    EventLoop loop() {
        return loop;
    }

    Route route() {
        return route;
    }

    InetAddress client() {
        return client;
    }

    LegKey key() {
        return key;
    }

    Tenant tenant() {
        return tenant;
    }

    boolean fresh() {
        return fresh;
    }

    /** How many descriptors its leg may take; none where a session holds those of its own connection. */
    long descriptors() {
        return ownConnection ? 0 : pool.engine().descriptors().leg(route.tls().wanted());
    }

    long budgetEnd() {
        return budgetEnd;
    }

    LegPool pool() {
        return pool;
    }

    /** Asks; the answer comes after the present event. */
    void ask() {
        LeaseCount.Answer answer;
        try {
            answer = askCount();
        } catch (Throwable failure) { // of the host's function, which says what a destination allows
            LOG.error("no limit for a server leg {}", route, failure);
            loop.defer(() -> {
                if (!over) {
                    over = true;
                    lessee.refused(LegRefusal.failed("no limit: " + failure));
                }
            });
            return;
        }
        if (answer == LeaseCount.Answer.TOO_MANY) {
            loop.defer(() -> {
                if (!over) {
                    noTurn("too many of " + tenant.name() + " wait: ");
                }
            });
        } else {
            loop.arm(timer, waitEnd);
        }
    }

    private LeaseCount.Answer askCount() {
        count = pool.count(route, client);
        var answer = count.ask(this, loop.now());
        while (answer == LeaseCount.Answer.FORGOTTEN) {
            pool.forget(count);
            count = pool.count(route, client);
            answer = count.ask(this, loop.now());
        }
        return answer;
    }

    /** Nobody wants a leg any more. */
    void withdraw() {
        if (over) {
            return;
        }
        over = true;
        loop.cancel(timer);
        if (opener != null) {
            opener.abandon();
            count.leaseEnded(turn, false, loop.now());
            pool.offers().openingEnded(key);
        } else if (turn != null && turn.state() != Turn.State.REFUSED) {
            count.withdraw(this, loop.now()); // else what is on its way finds that it is over
        }
    }

    /** As {@link #withdraw}, but a leg that is being opened goes on, for others to use. */
    void withdrawUnlessOpening() {
        if (opener == null) {
            withdraw();
        }
    }

    /** A new connection may be made; from any thread. */
    void open(LegSlot slot) {
        if (!loop.execute(() -> openNow(slot))) {
            slot.count.gone(slot, loop.now());
        }
    }

    private void openNow(LegSlot slot) {
        loop.cancel(timer);
        if (over) {
            count.leaseEnded(turn, false, loop.now());
            count.gone(slot, loop.now());
        } else if (ownConnection) {
            over = true;
            lessee.connect(slot, turn);
        } else if (!pool.descriptors().covers(slot, descriptors())) { // that of a leg in clear, which died on its way here
            count.leaseEnded(turn, false, loop.now());
            count.gone(slot, loop.now());
            if (loop.now() < waitEnd) {
                ask();
            } else {
                noTurn(late());
            }
        } else {
            opener = new LegOpener(this, slot);
            pool.offers().opens(key);
            opener.start();
        }
    }

    /** The opener has made a leg. */
    void opened(PooledLeg leg) {
        opener = null;
        over = true;
        pool.offers().openingEnded(key);
        lessee.granted(leg);
    }

    /** The opener made none; its connection, if there is one, is closing. */
    void refused(LegSlot slot, LegRefusal refusal) {
        opener = null;
        lastRefusal = refusal;
        boolean crowded = refusal.said().filter(pool::crowded).isPresent();
        if (crowded) {
            count.crowded(slot, loop);
        }
        count.leaseEnded(turn, false, loop.now());
        if (crowded && loop.now() < waitEnd) {
            ask();
            pool.offers().openingEnded(key);
            return;
        }
        over = true;
        pool.offers().openingFailed(key, loop.now());
        lessee.refused(refusal);
    }

    /** A leg that was idle has come to this loop. */
    void take(PooledLeg leg) {
        loop.cancel(timer);
        count.arrived(leg.slot());
        leg.leasedBy(turn);
        if (over) {
            leg.unused();
        } else {
            over = true;
            lessee.granted(leg);
        }
    }

    private static String seconds(Duration time) {
        return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    private String late() {
        return "no turn within " + seconds(patience) + " s: ";
    }

    private void noTurn(String why) {
        over = true;
        loop.cancel(timer);
        var text = why + count.shortage() + (lacksDescriptors ? ", too few open files allowed here" : "")
                + (lastRefusal == null ? "" : "; " + lastRefusal.why());
        var said = lastRefusal == null ? Optional.<Reply>empty() : lastRefusal.said();
        lessee.refused(LegRefusal.noTurn(Refusals.noTurn(text), text, said));
    }
}
