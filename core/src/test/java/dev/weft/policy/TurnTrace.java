package dev.weft.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * What each tenant of a {@link TurnSimulation} had of the legs up to each event, and the worst shares over any window of
 * contention.
 *
 * <p>A window counts for those tenants that wait all the time in it, and if each of them gets at least 20 leases of it:
 * leg-time worth 20 of its longest leases, and at least 20 leases that begin and end in it. A share's error is the difference
 * between what a tenant got and what is due to it by weight, as a part of the larger of the two. So one lease of twenty is 5 %,
 * which is as fine as a share of twenty leases can be cut.
 *
 * <p>What is measured is leg-time held inside the window, because that is what is shared; a lease cut by the window's edge counts
 * with its part inside. That 20 whole leases must be inside is the stricter reading of "20 leases": a tenant with many legs at a
 * time has 20 leases' worth of leg-time in less than two lease lengths, before any leg has changed hands.
 */
final class TurnTrace {

    static final int LEASES = 20;
    static final double TOLERANCE = 0.05;
    /** How long a tenant must have waited before a settled window, in the longest leases of all. */
    static final int SETTLING = 4;

    /** The worst of all windows that count. */
    static final class Worst {
        int windows;
        int beyondTolerance;
        /** The largest error of a share. */
        double error;
        /** The largest error where each tenant gets at least twice as many leases. */
        double errorOfLonger;
        /** Jain's index, the least. */
        double jain = 1;
        /** Between any two tenants in any window, however short: the difference in what they had per weight, in leases of both.
         * */
        double lag;
        String where = "none";

        @Override
        public String toString() {
            return ("%d windows, %.2f %% of them beyond tolerance, error %.4f, of longer ones %.4f,"
                    + " Jain's index %.5f, lag %.3f; worst: %s")
                    .formatted(windows, 100.0 * beyondTolerance / Math.max(1, windows), error, errorOfLonger, jain, lag, where);
        }
    }

    private record Point(long at, double[] had, long[] waitsSince, int[] begun, int[] ended) {
    }

    private static final long NOT_WAITING = Long.MAX_VALUE;

    private final TurnSimulation simulation;
    private final List<Point> points = new ArrayList<>();
    private final Random choice = new Random(0);
    private double part = 1;
    private double[] had = {};
    private long[] waitsSince = {};

    TurnTrace(TurnSimulation simulation) {
        this.simulation = simulation;
    }

    /** Before an event: time goes by with the turns that are out. */
    void pass(long nanos) {
        for (var sender : simulation.senders) {
            had[sender.index] += (double) sender.out * nanos;
        }
    }

    /** After an event. */
    void record() {
        int count = simulation.senders.size();
        if (had.length < count) {
            int known = had.length;
            had = Arrays.copyOf(had, count);
            waitsSince = Arrays.copyOf(waitsSince, count);
            Arrays.fill(waitsSince, known, count, NOT_WAITING);
        }
        for (var sender : simulation.senders) {
            if (sender.waiting == 0) {
                waitsSince[sender.index] = NOT_WAITING;
            } else if (waitsSince[sender.index] == NOT_WAITING) {
                waitsSince[sender.index] = simulation.now;
            }
        }
        if (choice.nextDouble() < part) {
            points.add(new Point(simulation.now, had.clone(), waitsSince.clone(),
                    simulation.senders.stream().mapToInt(sender -> sender.messages).toArray(),
                    simulation.senders.stream().mapToInt(sender -> sender.messages - sender.out).toArray()));
            if (points.size() > Math.max(250, 2000 / Math.sqrt(count))) {
                part /= 2;
                points.removeIf(point -> choice.nextBoolean());
            }
        }
    }

    double had(TurnSimulation.Sender sender) {
        return had[sender.index];
    }

    /** Looks at the windows between all events, or between a random choice of them if they are too many. */
    Worst worst() {
        return worst(0);
    }

    /**
     * The same for windows that begin when the taking-over is over: a tenant that comes while all legs are out must wait for
     * them, and then has more than its share for as long, which is no error of the whole but one of either half.
     */
    Worst worstSettled() {
        return worst(SETTLING * simulation.senders.stream().mapToLong(sender -> sender.longestHold).max().orElse(0));
    }

    private Worst worst(long waitedBefore) {
        var worst = new Worst();
        for (int i = 0; i < points.size(); i++) {
            for (int j = i + 1; j < points.size(); j++) {
                judge(points.get(i), points.get(j), waitedBefore, worst);
            }
        }
        return worst;
    }

    private void judge(Point start, Point end, long waitedBefore, Worst worst) {
        double weights = 0;
        double all = 0;
        double ratios = 0;
        double squares = 0;
        int tenants = 0;
        double leases = Double.MAX_VALUE;
        // The pair with the largest lag: |x - y| <= c (a + b) for all pairs is x - c a <= y + c b, tried between the extremes.
        var most = simulation.senders.get(0);
        var least = most;
        double mostRatio = Double.NEGATIVE_INFINITY;
        double leastRatio = Double.POSITIVE_INFINITY;
        for (var sender : simulation.senders) {
            if (!counts(sender, start, end, waitedBefore)) {
                continue;
            }
            double got = end.had[sender.index] - had(start, sender);
            double ratio = got / sender.weight;
            double lease = sender.longestHold / sender.weight;
            leases = Math.min(leases, Math.min(got / sender.longestHold, end.ended[sender.index] - begun(start, sender)));
            tenants++;
            weights += sender.weight;
            all += got;
            ratios += ratio;
            squares += ratio * ratio;
            if (ratio - lease > mostRatio) {
                mostRatio = ratio - lease;
                most = sender;
            }
            if (ratio + lease < leastRatio) {
                leastRatio = ratio + lease;
                least = sender;
            }
        }
        if (tenants < 2) {
            return;
        }
        double lumps = most.longestHold / most.weight + least.longestHold / least.weight;
        worst.lag = Math.max(worst.lag, 1 + (mostRatio - leastRatio) / lumps);
        if (leases < LEASES) {
            return;
        }
        worst.windows++;
        worst.jain = Math.min(worst.jain, ratios * ratios / (tenants * squares));
        double error = 0;
        for (var sender : simulation.senders) {
            if (counts(sender, start, end, waitedBefore)) {
                double got = end.had[sender.index] - had(start, sender);
                double due = all * sender.weight / weights;
                double wrong = Math.abs(got - due) / Math.max(got, due);
                error = Math.max(error, wrong);
                if (wrong > worst.error) {
                    worst.error = wrong;
                    worst.where = "t%d of weight %.1f got %.3f s for %.3f s due, in %.3f to %.3f s".formatted(sender.index,
                            sender.weight, got / 1e9, due / 1e9, start.at / 1e9, end.at / 1e9);
                }
            }
        }
        if (error > TOLERANCE) {
            worst.beyondTolerance++;
        }
        if (leases >= 2 * LEASES) {
            worst.errorOfLonger = Math.max(worst.errorOfLonger, error);
        }
    }

    private static boolean counts(TurnSimulation.Sender sender, Point start, Point end, long waitedBefore) {
        return sender.index < end.had.length && end.waitsSince[sender.index] <= start.at - waitedBefore;
    }

    private static double had(Point start, TurnSimulation.Sender sender) {
        return sender.index < start.had.length ? start.had[sender.index] : 0;
    }

    private static int begun(Point start, TurnSimulation.Sender sender) {
        return sender.index < start.begun.length ? start.begun[sender.index] : 0;
    }
}
