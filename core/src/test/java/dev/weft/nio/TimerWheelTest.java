package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class TimerWheelTest {

    private static final long ORIGIN = -5_000_000_000L; // System.nanoTime may begin anywhere
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final TimerWheel wheel = new TimerWheel(ORIGIN);
    private long now = ORIGIN;

    /** Counts how often it fired, and when last. */
    private final class Probe extends Timer {
        final List<Long> fired = new ArrayList<>();
        Consumer<Probe> then = probe -> { };

        @Override
        void fire() {
            fired.add(now - ORIGIN);
            then.accept(this);
        }
    }

    private void advance(long nanos) {
        now += nanos;
        wheel.advance(now, Timer::fire);
    }

    /** Sleeps as a loop does, until the wheel wants to be looked at, and no longer than a limit. */
    private void run(long nanos) {
        long end = now + nanos;
        while (now < end) {
            long sleep = wheel.untilNext(now);
            now = sleep > end - now ? end : now + Math.max(1, sleep);
            wheel.advance(now, Timer::fire);
        }
    }

    @Test
    void firesOnceAndNeverEarly() {
        var probe = new Probe();
        wheel.arm(probe, now + SECOND);
        advance(SECOND - 1);
        assertThat(probe.fired).isEmpty();
        advance(TICK);
        assertThat(probe.fired).hasSize(1);
        advance(100 * SECOND);
        assertThat(probe.fired).hasSize(1);
        assertThat(wheel.untilNext(now)).isEqualTo(Timer.NEVER);
    }

    @Test
    void deadlinePutOffFiresAtTheLaterTimeOnly() {
        var probe = new Probe();
        wheel.arm(probe, now + SECOND);
        wheel.arm(probe, now + 3 * SECOND);
        run(10 * SECOND);
        assertThat(probe.fired).hasSize(1);
        assertThat(probe.fired.get(0)).isBetween(3 * SECOND, 3 * SECOND + TICK);
    }

    @Test
    void deadlineMovedEarlierFiresAtTheEarlierTimeOnly() {
        var probe = new Probe();
        wheel.arm(probe, now + 200 * SECOND);
        wheel.arm(probe, now + SECOND);
        run(300 * SECOND);
        assertThat(probe.fired).hasSize(1);
        assertThat(probe.fired.get(0)).isBetween(SECOND, SECOND + TICK);
    }

    @Test
    void cancelledAndNeverTimersDoNotFire() {
        var cancelled = new Probe();
        var never = new Probe();
        wheel.arm(cancelled, now + SECOND);
        wheel.arm(never, now + SECOND);
        wheel.cancel(cancelled);
        wheel.cancel(cancelled);
        wheel.arm(never, Timer.NEVER);
        run(10 * SECOND);
        assertThat(cancelled.fired).isEmpty();
        assertThat(never.fired).isEmpty();
        wheel.arm(cancelled, now + SECOND);
        run(2 * SECOND);
        assertThat(cancelled.fired).hasSize(1);
    }

    @Test
    void deadlineBeyondManyTurnsFiresInItsTime() {
        var probe = new Probe();
        var farther = new Probe();
        long day = TimeUnit.DAYS.toNanos(1);
        wheel.arm(probe, now + day);
        wheel.arm(farther, Long.MAX_VALUE - 1);
        run(day + SECOND);
        assertThat(probe.fired).hasSize(1);
        assertThat(probe.fired.get(0)).isBetween(day, day + TICK);
        assertThat(farther.fired).isEmpty();
    }

    @Test
    void lateDeadlineFiresSoon() {
        var probe = new Probe();
        advance(10 * SECOND);
        wheel.arm(probe, now - 5 * SECOND);
        assertThat(probe.fired).isEmpty();
        run(2 * TICK);
        assertThat(probe.fired).hasSize(1);
    }

    @Test
    void loopThatSleptThroughManyTurnsFiresAllThatIsDue() {
        var probes = new ArrayList<Probe>();
        for (int i = 1; i <= 300; i++) {
            var probe = new Probe();
            wheel.arm(probe, now + i * SECOND);
            probes.add(probe);
        }
        advance(250 * SECOND + TICK);
        assertThat(probes.subList(0, 250)).allSatisfy(probe -> assertThat(probe.fired).hasSize(1));
        assertThat(probes.subList(250, 300)).allSatisfy(probe -> assertThat(probe.fired).isEmpty());
    }

    @Test
    void timerMayRearmItselfAndCancelOthersAsItFires() {
        var other = new Probe();
        var repeating = new Probe();
        repeating.then = probe -> {
            wheel.cancel(other);
            wheel.arm(probe, now + SECOND);
        };
        wheel.arm(repeating, now + SECOND);
        wheel.arm(other, now + SECOND);
        run(10 * SECOND + 10 * TICK);
        assertThat(repeating.fired).hasSize(10);
        assertThat(other.fired).isEmpty();
    }

    @Test
    void timerThatThrowsTakesNoOtherWithIt() {
        var bad = new Probe();
        bad.then = probe -> {
            throw new IllegalStateException("meant to");
        };
        var good = new Probe();
        wheel.arm(bad, now + SECOND);
        wheel.arm(good, now + SECOND);
        now += 2 * SECOND;
        wheel.advance(now, timer -> {
            try {
                timer.fire();
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("meant to");
            }
        });
        assertThat(bad.fired).hasSize(1);
        assertThat(good.fired).hasSize(1);
    }

    @Test
    void randomUseAgreesWithANaiveModel() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        var probes = new ArrayList<Probe>();
        for (int i = 0; i < 500; i++) {
            probes.add(new Probe());
        }
        var due = new long[probes.size()];
        Arrays.fill(due, Timer.NEVER);
        var expected = new int[probes.size()];
        for (int step = 0; step < 20_000; step++) {
            int i = random.nextInt(due.length);
            switch (random.nextInt(4)) {
                case 0 -> {
                    due[i] = now + (long) (random.nextDouble() * (random.nextBoolean() ? 200 : 2) * SECOND);
                    wheel.arm(probes.get(i), due[i]);
                }
                case 1 -> {
                    due[i] = Timer.NEVER;
                    if (random.nextBoolean()) {
                        wheel.cancel(probes.get(i));
                    } else {
                        wheel.arm(probes.get(i), Timer.NEVER);
                    }
                }
                default -> {
                    // Most steps are as long as the wheel wants, so that a wake-up too late is seen.
                    long sleep = Math.min(wheel.untilNext(now), (long) (random.nextDouble() * SECOND));
                    now += random.nextInt(100) == 0 ? 120 * SECOND : sleep;
                    wheel.advance(now, Timer::fire);
                    for (int j = 0; j < due.length; j++) {
                        var probe = probes.get(j);
                        if (probe.fired.size() > expected[j]) {
                            assertThat(now).as("timer %d early, seed %d", j, seed).isGreaterThanOrEqualTo(due[j]);
                            expected[j]++;
                            due[j] = Timer.NEVER;
                        }
                        if (probe.fired.size() != expected[j] || due[j] <= now - 2 * TICK) {
                            throw new AssertionError("timer " + j + " fired twice or is late, seed " + seed);
                        }
                    }
                }
            }
        }
    }
}
