package dev.weft.nio;

import java.util.function.Consumer;

/**
 * A hashed wheel of timers. Most timers are put off many times before they fire once, so a deadline that moves later costs one
 * field: the timer is looked at when its old place comes round, and then moves on.
 */
final class TimerWheel {

    /** The grain: a timer fires up to this much late, never early. */
    private static final long TICK_NANOS = 50_000_000;

    private static final int SLOTS = 1024;

    private final Timer[] slots = new Timer[SLOTS];
    private final long origin;
    private long current;
    private int scheduled;
    /** No timer has its place before this tick, so that a loop need not look at every slot before it sleeps. */
    private long soonest = Long.MAX_VALUE;

    TimerWheel(long now) {
        this.origin = now;
        for (int i = 0; i < SLOTS; i++) {
            slots[i] = ring();
        }
    }

    void arm(Timer timer, long deadline) {
        timer.deadline = deadline;
        if (deadline == Timer.NEVER) {
            return; // if it is scheduled, it falls out when it comes round
        }
        long tick = tickOf(deadline);
        if (timer.scheduled()) {
            if (tick >= timer.tick) {
                return;
            }
            remove(timer);
        }
        insert(timer, tick);
    }

    void cancel(Timer timer) {
        timer.deadline = Timer.NEVER;
        if (timer.scheduled()) {
            remove(timer);
        }
    }

    /**
     * Fires what is due.
     *
     * @param firing calls {@link Timer#fire}, and lets nothing out that it throws, or the timers behind it would be lost
     */
    void advance(long now, Consumer<Timer> firing) {
        long target = (now - origin) / TICK_NANOS;
        if (scheduled == 0) {
            current = Math.max(current, target);
            return;
        }
        long steps = Math.min(target - current, SLOTS);
        long from = target - steps;
        for (long tick = from + 1; tick <= target; tick++) {
            current = tick;
            fireSlot(slots[(int) (tick & (SLOTS - 1))], target, now, firing);
        }
        current = Math.max(current, target);
    }

    private void fireSlot(Timer ring, long target, long now, Consumer<Timer> firing) {
        // Timers that are armed while others fire are due later, so what is taken out here is all that is due.
        var due = ring();
        for (var timer = ring.next; timer != ring; ) {
            var following = timer.next;
            if (timer.tick <= target) {
                unlink(timer);
                link(due, timer);
            }
            timer = following;
        }
        while (due.next != due) {
            var timer = due.next;
            remove(timer);
            if (timer.deadline <= now) {
                timer.deadline = Timer.NEVER;
                firing.accept(timer);
            } else if (timer.deadline != Timer.NEVER) {
                insert(timer, tickOf(timer.deadline));
            }
        }
    }

    /** How long a loop may sleep, in nanoseconds; {@link Timer#NEVER} if nothing is scheduled. */
    long untilNext(long now) {
        if (scheduled == 0) {
            soonest = Long.MAX_VALUE;
            return Timer.NEVER;
        }
        long tick = Math.max(current + 1, Math.min(soonest, current + SLOTS));
        while (tick < current + SLOTS && vacant(tick)) {
            tick++;
        }
        soonest = tick;
        return Math.max(0, origin + tick * TICK_NANOS - now);
    }

    private boolean vacant(long tick) {
        var ring = slots[(int) (tick & (SLOTS - 1))];
        return ring.next == ring;
    }

    private long tickOf(long deadline) {
        long delay = deadline - origin;
        if (delay < 0 && deadline > origin) {
            delay = Long.MAX_VALUE; // centuries: the difference ran over
        }
        return Math.max(current + 1, delay / TICK_NANOS + (delay % TICK_NANOS > 0 ? 1 : 0));
    }

    private void insert(Timer timer, long tick) {
        timer.tick = tick;
        soonest = Math.min(soonest, tick);
        link(slots[(int) (tick & (SLOTS - 1))], timer);
        scheduled++;
    }

    private void remove(Timer timer) {
        unlink(timer);
        scheduled--;
    }

    private static void link(Timer ring, Timer timer) {
        timer.previous = ring.previous;
        timer.next = ring;
        ring.previous.next = timer;
        ring.previous = timer;
    }

    private static void unlink(Timer timer) {
        timer.previous.next = timer.next;
        timer.next.previous = timer.previous;
        timer.previous = null;
        timer.next = null;
    }

    private static Timer ring() {
        var ring = new Timer() {
            @Override
            void fire() {
                throw new IllegalStateException("the head of a ring never fires");
            }
        };
        ring.previous = ring;
        ring.next = ring;
        return ring;
    }
}
