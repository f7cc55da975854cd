package dev.weft.policy;

import dev.weft.relay.Tenant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.ToLongFunction;

/**
 * One destination in virtual time: tenants with sessions that ask, hold a leg for a while, and give it back. After each event
 * the turns are handed out, and it is checked that no leg is idle while somebody waits and that no more turns are given than
 * allowed.
 */
final class TurnSimulation {

    static final long MILLI = 1_000_000;
    static final long SECOND = 1000 * MILLI;

    /** One tenant and its manners. */
    final class Sender {
        final int index = senders.size();
        final double weight;
        /** The longest time from one grant to the next. */
        long longestGap;
        /** The longest time from a question to its grant, or until now. */
        long longestWait;
        private long lastGrant = -1;
        long longestHold;
        int out;
        int waiting;
        int messages;
        int withdrawn;
        int expired;
        private final Tenant tenant;
        private final ToLongFunction<Random> hold;

        Sender(double weight, ToLongFunction<Random> hold) {
            this.tenant = new Tenant("t" + senders.size(), weight);
            this.weight = weight;
            this.hold = hold;
        }

        /** Sessions that send one message after the other, with a pause between them. */
        Sender sessions(int count, ToLongFunction<Random> pause) {
            for (int i = 0; i < count; i++) {
                ask(() -> sessions(1, pause), pause);
            }
            return this;
        }

        /** Sessions without a pause, so many that the tenant waits all the time even if every leg ends at the same moment. */
        Sender constantly(int mostLegs) {
            return sessions(2 * mostLegs + 3, always(0));
        }

        /** So many messages at once. */
        Sender burst(int count) {
            for (int i = 0; i < count; i++) {
                ask(() -> { }, random -> 0);
            }
            return this;
        }

        /** A waiter that gives up after a time. */
        void impatient(long patience) {
            var turn = ask(() -> { }, random -> 0);
            after(patience, () -> withdraw(turn));
        }

        void withdraw(Turn<Sitting> turn) {
            if (turns.withdraw(turn, now)) {
                waiting--;
                withdrawn++;
            }
        }

        Turn<Sitting> ask(Runnable then, ToLongFunction<Random> pause) {
            var sitting = new Sitting(this, then, pause);
            var turn = turns.ask(tenant, sitting, now);
            if (turn.state() == Turn.State.REFUSED) {
                throw new AssertionError("more waiters than the simulation's bound");
            }
            if (turn.isGranted()) {
                begin(turn);
            } else {
                waiting++;
            }
            return turn;
        }

        private void begin(Turn<Sitting> turn) {
            var sitting = turn.waiter();
            longestGap = lastGrant < 0 ? 0 : Math.max(longestGap, now - lastGrant);
            lastGrant = now;
            longestWait = Math.max(longestWait, now - turn.askedAt);
            messages++;
            out++;
            long held = hold.applyAsLong(random);
            longestHold = Math.max(longestHold, held);
            after(held, () -> {
                turns.release(turn, now);
                out--;
                after(sitting.pause.applyAsLong(random), sitting.then);
            });
        }
    }

    /** A session's wish for one message. */
    record Sitting(Sender sender, Runnable then, ToLongFunction<Random> pause) {
    }

    private record Event(long at, long order, Runnable what) {
    }

    final List<Sender> senders = new ArrayList<>();
    final TurnTrace trace = new TurnTrace(this);
    final Random random;
    final FairTurns<Sitting> turns;
    long now = 1_000_003;

    private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) ->
            a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
    private long order;

    TurnSimulation(long seed, int limit) {
        this(seed, limit, Duration.ofDays(1));
    }

    TurnSimulation(long seed, int limit, Duration longestWait) {
        this.random = new Random(seed);
        this.turns = new FairTurns<>(limit, 10_000, longestWait);
    }

    static ToLongFunction<Random> always(long nanos) {
        return random -> nanos;
    }

    /** Evenly spread around a mean, by up to a part of it. */
    static ToLongFunction<Random> around(long nanos, double part) {
        return random -> nanos + (long) (nanos * part * (2 * random.nextDouble() - 1));
    }

    Sender sender(double weight, ToLongFunction<Random> hold) {
        var sender = new Sender(weight, hold);
        senders.add(sender);
        return sender;
    }

    void after(long nanos, Runnable what) {
        events.add(new Event(now + nanos, order++, what));
    }

    /** What each tenant had, for failures. */
    String report() {
        var lines = new StringBuilder();
        for (var sender : senders) {
            lines.append("%n  %s of weight %.1f: %.1f leg-seconds, %d messages, %.2f s from grant to grant at most".formatted(
                    sender.tenant.name(), sender.weight, trace.had(sender) / SECOND, sender.messages, sender.longestGap / 1e9));
        }
        return lines.toString();
    }

    /** Runs for a time, or until nothing happens any more. */
    void run(long nanos) {
        long end = now + nanos;
        handOut();
        trace.record();
        while (!events.isEmpty() && events.peek().at <= end) {
            var event = events.poll();
            trace.pass(event.at - now);
            now = event.at;
            event.what.run();
            handOut();
            trace.record();
        }
    }

    private void handOut() {
        for (var turn : turns.expire(now)) {
            turn.waiter().sender.waiting--;
            turn.waiter().sender.expired++;
        }
        int before = turns.out();
        for (var turn = turns.next(now); turn.isPresent(); turn = turns.next(now)) {
            turn.get().waiter().sender.waiting--;
            turn.get().waiter().sender.begin(turn.get());
        }
        int out = senders.stream().mapToInt(sender -> sender.out).sum();
        int waiting = senders.stream().mapToInt(sender -> sender.waiting).sum();
        if (turns.out() != out || turns.waiting() != waiting || out > Math.max(turns.limit(), before)) {
            throw new AssertionError("counted " + out + " out and " + waiting + " waiting: " + turns.snapshot(now));
        }
        if (waiting > 0 && out < turns.limit()) {
            throw new AssertionError("a leg is idle while somebody waits: " + turns.snapshot(now));
        }
    }
}
