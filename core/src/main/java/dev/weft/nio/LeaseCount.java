package dev.weft.nio;

import dev.weft.nio.LegSlot.Place;
import dev.weft.policy.Destination;
import dev.weft.policy.DestinationSnapshot;
import dev.weft.policy.FairTurns;
import dev.weft.policy.LearntLimit;
import dev.weft.policy.Turn;
import dev.weft.session.PoolSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The connections to one destination, over all loops, and whose turn it is to have one.
 *
 * <p>The counts are the one thing that loops share. They are guarded by a lock per destination rather than kept by a home loop: a lease
 * and its return are then two short critical sections instead of four hand-overs between threads, and no destination waits for a loop
 * that is busy with another's mail. Nothing is called with the lock held: what is decided is carried out behind it, by tasks of the loops
 * concerned.
 *
 * <p>A turn lets a transaction have one connection; an idle connection is nobody's turn but counts as open. So a turn may be granted
 * before there is a slot for it: then it takes the idle leg that fits, else it waits here until one that does not fit is closed.
 */
final class LeaseCount {

    private static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(8);

    /** What became of a question. */
    enum Answer { WAITS, TOO_MANY, FORGOTTEN }

    private final Destination destination;
    private final LearntLimit limit;
    private final LegDescriptors descriptors;
    private final DescriptorNeeds needs;
    private final Consumer<LeaseCount> unused;
    private final ReentrantLock lock = new ReentrantLock();

    private final FairTurns<LeaseRequest> turns;
    /** Those whose turn it is, and who wait for a slot. */
    private final ArrayDeque<LeaseRequest> due = new ArrayDeque<>();
    /** The idle legs, the one used last first. */
    private final ArrayDeque<PooledLeg> idle = new ArrayDeque<>();
    private int open;
    private int closing;
    /** No new connection is opened before: the destination has just refused one for their number. */
    private boolean paused;
    private long pausedUntil;
    private long pause;
    private boolean stopped;
    /** Nothing is to be remembered, and it takes no more questions: the pool makes another. */
    private boolean forgotten;

    /** @param unused is told, on any thread, once there is nothing to remember */
    LeaseCount(Destination destination, LearntLimit limit, PoolSettings settings, LegDescriptors descriptors,
            Consumer<LeaseCount> unused) {
        this.destination = destination;
        this.descriptors = descriptors;
        this.needs = new DescriptorNeeds(descriptors, this);
        this.unused = unused;
        this.limit = limit;
        this.turns = new FairTurns<>(limit.legs(), settings.waiters(), settings.patience());
    }

    Destination destination() {
        return destination;
    }

    /** Changes something under the lock, and sees who may go on; what comes of it is carried out behind it. */
    private <T> T change(long now, Supplier<T> change) {
        var orders = new ArrayList<Runnable>();
        T result;
        lock.lock();
        try {
            result = change.get();
            match(now, orders);
        } finally {
            lock.unlock();
        }
        orders.forEach(Runnable::run);
        return result;
    }

    private <T> T look(Supplier<T> at) {
        lock.lock();
        try {
            return at.get();
        } finally {
            lock.unlock();
        }
    }

    /** Asks for a turn; the request is granted a leg or a slot by a task of its loop, unless it is withdrawn before. */
    Answer ask(LeaseRequest request, long now) {
        return change(now, () -> {
            if (forgotten) {
                return Answer.FORGOTTEN;
            }
            request.turn = turns.ask(request.tenant(), request, now);
            if (request.turn.isGranted()) {
                due.add(request);
            }
            return request.turn.state() == Turn.State.REFUSED ? Answer.TOO_MANY : Answer.WAITS;
        });
    }

    /**
     * Takes a question back.
     *
     * @return false if a leg or a slot is on its way
     */
    boolean withdraw(LeaseRequest request, long now) {
        return change(now, () -> {
            if (!due.remove(request)) {
                return turns.withdraw(request.turn, now);
            }
            turns.release(request.turn, now);
            return true;
        });
    }

    /**
     * A transaction needs its leg no more, which is counted as closing already.
     *
     * @param quiet whether the server took it without complaint
     */
    void leaseEnded(Turn<LeaseRequest> turn, boolean quiet, long now) {
        change(now, () -> release(turn, quiet, now));
    }

    /**
     * A transaction gives its leg back for others to use: its turn ends, and the leg is idle, in one step, so that the next in turn
     * finds it; unless another destination has nothing to open a leg with.
     */
    void leaseEnded(Turn<LeaseRequest> turn, PooledLeg leg, long now) {
        boolean yields = change(now, () -> {
            release(turn, true, now);
            boolean wanted = leg.slot().descriptors > 0 && descriptors.wantedByOther(this);
            if (wanted) {
                yields(leg);
            } else {
                leg.slot().place = Place.IDLE;
                idle.addFirst(leg);
            }
            return wanted;
        });
        if (yields) {
            leg.standDown();
        }
    }

    private void yields(PooledLeg leg) {
        descriptors.yields(leg.slot());
        leg.slot().place = Place.CLOSING;
        closing++;
    }

    /** The idle leg used last closes for the descriptors' sake; false if there is none. */
    boolean yieldIdle(long now) {
        var leg = change(now, () -> {
            var oldest = idle.pollLast();
            if (oldest != null) {
                yields(oldest);
            }
            return Optional.ofNullable(oldest);
        });
        leg.ifPresent(PooledLeg::standDown);
        return leg.isPresent();
    }

    /** What it waits for most urgently, in descriptors. */
    long lacks() {
        return needs.first();
    }

    /** It is first in the queue, and there may be descriptors. */
    void lookAgain(long now) {
        change(now, () -> true);
    }

    private boolean release(Turn<LeaseRequest> turn, boolean quiet, long now) {
        if (quiet) {
            pause = 0;
            limit.succeeded(turns.isFull(), now);
            turns.limit(limit.legs());
        }
        turns.release(turn, now);
        return quiet;
    }

    /**
     * The destination refused a connection for their number: for a while no other is opened, and then fewer than before.
     *
     * @param slot the connection's, closing or not
     */
    void crowded(LegSlot slot, EventLoop loop) {
        long until = look(() -> {
            limit.refused(open - closing + (slot.place == Place.CLOSING ? 1 : 0), loop.now());
            turns.limit(limit.legs());
            if (!paused || loop.now() - pausedUntil >= 0) { // else it is one of several that were begun together
                pause = Math.min(LONGEST_PAUSE, Math.max(FIRST_PAUSE, 2 * pause));
                pausedUntil = loop.now() + pause;
                paused = true;
            }
            return pausedUntil;
        });
        loop.arm(new Timer() {
            @Override
            void fire() {
                change(loop.now(), () -> true);
            }
        }, until);
    }

    /** A connection begins to close. A leg that was claimed passes its slot on once it is gone, and stays so. */
    void closes(LegSlot slot, PooledLeg leg) {
        look(() -> {
            if (slot.place == Place.IDLE) {
                idle.remove(leg);
            }
            if (slot.place == Place.IDLE || slot.place == Place.LEASED) {
                slot.place = Place.CLOSING;
                closing++;
            }
            return slot.place;
        });
    }

    /**
     * A connection's socket is closed.
     *
     * @return true if its slot belongs to the transaction that has claimed it
     */
    boolean gone(LegSlot slot, long now) {
        boolean claimed = change(now, () -> {
            if (slot.place == Place.CLAIMED) {
                return true;
            }
            open--;
            if (slot.place == Place.CLOSING) {
                closing--;
            }
            return false;
        });
        if (!claimed) {
            descriptors.giveBack(slot); // afterwards, so that who waits longer has them before this destination's own
        }
        return claimed;
    }

    /** A leg that was claimed has arrived, or its slot has. */
    void arrived(LegSlot slot) {
        look(() -> slot.place = Place.LEASED);
    }

    /** No leg is kept any more. */
    void stop(long now) {
        change(now, () -> stopped = true);
    }

    /** Gives turns while there are any, and legs or slots to those whose turn it is. With the lock. */
    private void match(long now, List<Runnable> orders) {
        paused &= now - pausedUntil < 0;
        for (var next = turns.next(now); next.isPresent(); next = turns.next(now)) {
            due.add(next.get().waiter());
        }
        needs.begin();
        for (var each = due.iterator(); each.hasNext(); ) {
            var request = each.next();
            var leg = request.fresh() ? null : fitting(request);
            request.lacksDescriptors = leg == null && open < limit.legs() && !paused && !needs.take(request);
            if (leg != null) {
                leg.slot().place = Place.CLAIMED;
                orders.add(() -> leg.goTo(request));
            } else if (open < limit.legs() && !paused && !request.lacksDescriptors) {
                open++;
                var slot = new LegSlot(this, request.descriptors());
                orders.add(() -> request.open(slot));
            } else {
                continue;
            }
            each.remove();
        }
        int room = limit.legs() - open;
        int unwanted = stopped ? idle.size() : Math.min(idle.size(), room > 0 ? 0 : Math.max(due.size() - closing, -room - closing));
        for (int i = 0; i < unwanted; i++) {
            var leg = idle.pollLast();
            leg.slot().place = Place.CLOSING;
            closing++;
            orders.add(leg::standDown);
        }
        needs.end(!idle.isEmpty(), orders);
        if (open == 0 && turns.isIdle() && !forgotten) {
            forgotten = true;
            orders.add(() -> unused.accept(this));
        }
    }

    /** The leg of the request's loop that was used last, else one of another loop. */
    private PooledLeg fitting(LeaseRequest request) {
        PooledLeg found = null;
        for (var leg : idle) {
            if (leg.key().equals(request.key())) {
                if (leg.loop() == request.loop()) {
                    found = leg;
                    break;
                }
                found = found == null ? leg : found;
            }
        }
        if (found != null) {
            idle.remove(found);
        }
        return found;
    }

    int open() {
        return look(() -> open);
    }

    int limit() {
        return look(limit::legs);
    }

    /** Why there is no turn, in words. */
    String shortage() {
        return look(() -> open + " of " + limit.legs() + " connections to " + destination + " in use, " + (turns.waiting() + due.size())
                + " waiting");
    }

    DestinationSnapshot snapshot(long now) {
        return look(() -> new DestinationSnapshot(destination, limit.legs(), open, idle.size(), closing, turns.snapshot(now)));
    }
}
