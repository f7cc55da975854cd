package dev.weft.nio;

import dev.weft.policy.Turn;
import dev.weft.session.Closing;
import dev.weft.session.IdleLeg;
import dev.weft.session.LegFacts;
import dev.weft.smtp.Reply;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server leg that serves one transaction after the other, on the loop of each. Everything happens on the loop that it is bound
 * to; what other loops may want of it they decide under its destination's lock, and order by a task.
 */
final class PooledLeg implements LegOwner, IdleLeg.Port {

    private static final Logger LOG = LoggerFactory.getLogger(PooledLeg.class);

    /** Whose transaction it serves. */
    interface User {
        void bytes(ByteBuffer in);

        void closedByServer();

        void drained();

        void flushed();

        void failed(Throwable failure);

        /** The leg is closed for good. */
        void gone();
    }

    private final LegPool pool;
    private final LegKey key;
    private final LegSlot slot;
    private final LegFacts facts;
    private final long born;
    private final int mostTransactions;
    private final LegHandover handover = new LegHandover(this);
    /** Written on the loop that it is bound to; read by others under the lock, while it is idle. */
    private EventLoop loop;
    private LegChannel channel;
    private User user;
    private Turn<LeaseRequest> turn;
    private IdleLeg idle;
    private Timer idleTimer;
    private int transactions;
    private int refusals;
    private boolean turnedAway;
    /** What is being told to its user now; null while nothing is. */
    private ByteBuffer arriving;

    PooledLeg(LeaseRequest request, LegSlot slot, LegChannel channel, LegFacts facts) {
        this.pool = request.pool();
        this.key = request.key();
        this.slot = slot;
        this.loop = request.loop();
        this.channel = channel;
        this.facts = facts;
        this.turn = request.turn;
        this.born = loop.now();
        this.mostTransactions = pool.mostTransactions(facts);
        pool.offers().learn(key, facts.hello(), loop.now());
    }

    LegKey key() {
        return key;
    }

    LegSlot slot() {
        return slot;
    }

    EventLoop loop() {
        return loop;
    }

    LegChannel channel() {
        return channel;
    }

    LegFacts facts() {
        return new LegFacts(facts.source(), facts.hello(), facts.tls(), facts.tlsFailure(), transactions);
    }

    void leasedBy(Turn<LeaseRequest> itsTurn) {
        turn = itsTurn;
    }

    /** Tells all that comes from now on to this user. */
    void use(User next) {
        user = next;
    }

    // The end of a lease

    /** A transaction is over, in good order. */
    void giveBack(LegFacts.Use use) {
        channel.flush();
        transactions++;
        refusals += use.refusals();
        rest();
    }

    /** Whoever it was leased for wants it no more, and has not touched it. */
    void unused() {
        rest();
    }

    private void rest() {
        user = null;
        pool.offers().cameBack(key, facts.hello(), loop.now());
        var why = unfit();
        if (why == null) {
            becomeIdle();
            slot.count.leaseEnded(turn, this, loop.now());
        } else {
            idle = new IdleLeg(pool.engine().settings(), this);
            idle.retire(why); // which makes it count as closing, and then its turn ends
            slot.count.leaseEnded(turn, !turnedAway, loop.now());
        }
    }

    private void becomeIdle() {
        idle = new IdleLeg(pool.engine().settings(), this);
        channel.resumeReading();
        idleTimer = new Timer() {
            @Override
            void fire() {
                idle.retire("nobody wanted it");
            }
        };
        loop.arm(idleTimer, Math.min(loop.now() + pool.settings().idle().toNanos(), born + pool.settings().age().toNanos()));
    }

    /** Why it may not serve again; null if it may. */
    private String unfit() {
        if (turnedAway) {
            return "turned away";
        }
        if (!channel.quiet() || arriving != null && arriving.hasRemaining()) {
            return "not between transactions"; // such as a reply behind the last one, which answers nothing
        }
        if (transactions >= mostTransactions) {
            return transactions + " transactions";
        }
        if (refusals > pool.settings().refusals()) {
            return refusals + " refusals";
        }
        if (loop.now() - born >= pool.settings().age().toNanos()) {
            return "too old";
        }
        return pool.stopped() || pool.settings().idle().isZero() ? "none is kept" : null;
    }

    /** The server ended it with a 421. */
    void turnedAway(Reply reply) {
        if (!turnedAway && pool.crowded(reply)) {
            slot.count.crowded(slot, loop);
        }
        turnedAway = true;
    }

    /** Its transaction is over in another way: it serves no more. */
    void close(Closing how) {
        user = null;
        slot.count.closes(slot, this);
        channel.close(how);
        slot.count.leaseEnded(turn, !turnedAway, loop.now());
    }

    // While idle; called from any thread

    /** It yields its slot to others. */
    void standDown() {
        loop.execute(() -> idle.retire("yields"));
    }

    /** It was claimed for a transaction, which may be on another loop. */
    void goTo(LeaseRequest request) {
        handover.begin(request);
    }

    /** Looks at the socket first: a server that has closed, or spoken, is found out before that costs a message. */
    boolean usable() {
        if (idleTimer != null) {
            loop.cancel(idleTimer);
        }
        channel.readNow();
        return channel.quiet();
    }

    /** It was found dead when it was wanted, if it is not closing already. */
    void giveUp() {
        idle.retire("dead when it was wanted");
    }

    /** From now on it serves a transaction. */
    void take(LeaseRequest request) {
        idle.take();
        request.take(this);
    }

    /** From now on it is bound to another loop. */
    void moveTo(EventLoop next, LegChannel from) throws IOException {
        loop = next;
        channel = LegChannel.adopt(loop, from, this, loop.toServer());
    }

    // The orders of the idle leg

    @Override
    public void write(byte[] bytes) {
        channel.write(ByteBuffer.wrap(bytes));
    }

    @Override
    public void close(Closing how, String why) {
        LOG.debug("server leg to {} closed after {} transactions: {}", key.server(), transactions, why);
        if (idleTimer != null) {
            loop.cancel(idleTimer);
        }
        slot.count.closes(slot, this);
        channel.close(how);
    }

    // What the connection tells

    @Override
    public void connected(LegChannel leg) {}

    @Override
    public void notConnected(LegChannel leg, IOException why) {}

    @Override
    public void bytes(LegChannel leg, ByteBuffer in) {
        if (user == null) {
            idle.bytes(in);
            return;
        }
        arriving = in;
        user.bytes(in);
        arriving = null;
    }

    @Override
    public int room(LegChannel leg) {
        return Integer.MAX_VALUE;
    }

    @Override
    public void endOfInput(LegChannel leg) {
        if (user != null) {
            user.closedByServer();
        } else {
            idle.closed("closed by the server");
        }
    }

    @Override
    public void broken(LegChannel leg, IOException why) {
        if (user != null) {
            user.closedByServer();
        } else {
            idle.closed(SessionDriver.reason(why));
        }
    }

    @Override
    public void drained(LegChannel leg) {
        if (user != null) {
            user.drained();
        }
    }

    @Override
    public void flushed(LegChannel leg) {
        if (user != null) {
            user.flushed();
        }
    }

    @Override
    public void failed(LegChannel leg, Throwable failure) {
        if (user != null) {
            user.failed(failure);
        } else {
            LOG.error("an idle server leg to {} failed", key.server(), failure);
        }
        leg.closeNow();
    }

    @Override
    public void closed(LegChannel leg) {
        if (user != null) {
            var last = user;
            close(Closing.ABORT);
            last.gone();
        }
        slot.count.closes(slot, this); // if it was closed all at once
        loop.afterSelect(() -> {
            if (slot.count.gone(slot, loop.now())) {
                handover.gone();
            }
        });
    }
}
