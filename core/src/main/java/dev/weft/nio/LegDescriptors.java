package dev.weft.nio;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The descriptors of the legs of all destinations. A destination that finds none for a leg waits in a queue, so that one that is
 * busy can't keep them all among its own; meanwhile an idle leg closes, of whatever key, or the next one that is given back. For
 * any thread: the counts are atomic, and there is no lock.
 *
 * <p>Nothing is lost between a question and a wake-up: who finds none joins the queue <em>before</em> it looks again, and who
 * gives some back, or leaves the queue, looks who is first <em>afterwards</em>.
 */
final class LegDescriptors {

    private static final Logger LOG = LoggerFactory.getLogger(LegDescriptors.class);

    private final Limits limits;
    private final Queue<LeaseCount> waiting = new ConcurrentLinkedQueue<>();
    private final Set<LeaseCount> withIdleLegs = ConcurrentHashMap.newKeySet();
    /** The descriptors of legs that close for their sake, and are not closed yet. */
    private final AtomicLong yielding = new AtomicLong();
    /** Wake-ups that are under way, or came meanwhile: one thread at a time goes through the queue. */
    private final AtomicInteger wakeUps = new AtomicInteger();
    private final AtomicBoolean told = new AtomicBoolean();

    LegDescriptors(Limits limits) {
        this.limits = limits;
        limits.watcher(this);
    }

    // Under a destination's lock: these call nobody

    /** Takes what a leg needs, unless another destination is first; who had some goes to the end of the queue. */
    boolean take(long descriptors, LeaseCount count) {
        var first = waiting.peek();
        if (first != null && first != count || !limits.holdLeg(descriptors)) {
            return false;
        }
        if (waiting.remove(count)) {
            waiting.add(count);
        }
        return true;
    }

    /** A destination found none; it is called when it is its turn. */
    void join(LeaseCount count) {
        waiting.add(count);
    }

    /** Whether a leg that is given back should rather close. */
    boolean wantedByOther(LeaseCount count) {
        var first = waiting.peek();
        return first != null && first != count && isShort(first.lacks());
    }

    private boolean isShort(long lacks) {
        return limits.free() + yielding.get() < lacks;
    }

    /** A leg begins to close for the descriptors' sake. */
    void yields(LegSlot slot) {
        slot.yields = true;
        yielding.addAndGet(slot.descriptors);
    }

    void hasIdleLegs(LeaseCount count, boolean any) {
        if (any) {
            withIdleLegs.add(count);
        } else {
            withIdleLegs.remove(count);
        }
    }

    // Without a lock

    /** A destination needs none any more, or has them: it is the next one's turn. */
    void leave(LeaseCount count) {
        waiting.remove(count);
        wake();
    }

    /** A destination waits for so many: idle legs close, if it is first. */
    void needed(LeaseCount count, long lacks) {
        if (told.compareAndSet(false, true)) {
            LOG.warn("transactions wait for connections to {}, since the limit of open files has no room for more, beside {}"
                    + " descriptors in use; raise it (ulimit -n, LimitNOFILE)", count.destination(), limits.held());
        }
        if (waiting.peek() == count) {
            boolean any = true;
            while (any && isShort(lacks)) {
                any = yieldOne();
            }
        }
    }

    /** A session found none: who comes next may. */
    void sessionRefused() {
        if (yielding.get() == 0) {
            yieldOne();
        }
    }

    private boolean yieldOne() {
        for (var count : withIdleLegs) {
            if (count.yieldIdle(System.nanoTime())) {
                return true;
            }
        }
        return false;
    }

    /** What a slot held to be opened in TLS is enough for that again. */
    boolean covers(LegSlot slot, long descriptors) {
        long more = descriptors - slot.descriptors;
        if (more > 0 && !limits.holdMore(more)) {
            return false;
        }
        slot.descriptors += Math.max(0, more);
        return true;
    }

    /** A leg is open, and takes no more than so many. */
    void settle(LegSlot slot, long takes) {
        long spared = slot.descriptors - takes;
        slot.descriptors = takes;
        if (spared > 0) {
            limits.legTakesFewer(spared);
        }
    }

    /** A leg's socket is closed. */
    void giveBack(LegSlot slot) {
        if (slot.yields) {
            yielding.addAndGet(-slot.descriptors);
        }
        if (slot.descriptors > 0) {
            limits.legLeaves(slot.descriptors);
        }
    }

    /** There may be some: the destinations in the queue look again, until one finds too few. */
    void wake() {
        if (waiting.isEmpty() || wakeUps.getAndIncrement() != 0) {
            return; // who is at it looks once more
        }
        int seen = 1;
        do {
            lookAgain();
            seen = wakeUps.addAndGet(-seen);
        } while (seen != 0);
    }

    private void lookAgain() {
        LeaseCount last = null;
        for (var first = waiting.peek(); first != null && first != last; first = waiting.peek()) {
            last = first;
            try {
                first.lookAgain(System.nanoTime());
            } catch (RuntimeException e) {
                LOG.error("legs to {} could not be opened", first.destination(), e);
                waiting.remove(first);
            }
        }
    }

    /** How many destinations wait. */
    int waiting() {
        return waiting.size();
    }
}
