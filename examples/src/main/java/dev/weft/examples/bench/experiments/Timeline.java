package dev.weft.examples.bench.experiments;

import dev.weft.examples.bench.Statistics;
import java.util.Arrays;
import java.util.List;

/**
 * Messages to one receiver, with their times in microseconds since 1970, seen second by second.
 *
 * @param start the begin of second 0
 * @param seconds how many
 */
record Timeline(long start, int seconds, List<Passage> passages) {

    /**
     * A message on its way.
     *
     * @param queued when its sender queued it
     * @param arrived when the receiver queued it; negative if it has not arrived
     * @param seen when it was last looked for, so that at least its least latency is known
     */
    record Passage(long queued, long arrived, long seen) {

        boolean late() {
            return arrived < 0;
        }

        /** A lower bound for one that has not arrived. */
        double latencyMillis() {
            return ((late() ? seen : arrived) - queued) / 1e3;
        }
    }

    /** How many arrived in each second. */
    double[] arrivals() {
        var counts = new double[seconds];
        passages.stream().filter(each -> !each.late()).mapToLong(each -> Math.floorDiv(each.arrived - start, 1_000_000))
                .filter(second -> second >= 0 && second < seconds).forEach(second -> counts[(int) second]++);
        return counts;
    }

    /** The median latency of what was queued in each second; NaN where there was nothing. */
    double[] medians() {
        var medians = new double[seconds];
        for (int second = 0; second < seconds; second++) {
            var latencies = latencies(start + second * 1_000_000L, start + (second + 1) * 1_000_000L);
            medians[second] = latencies.length == 0 ? Double.NaN : median(latencies);
        }
        return medians;
    }

    /** The latencies, in milliseconds, of what was queued in a time. */
    double[] latencies(long from, long until) {
        return passages.stream().filter(each -> each.queued >= from && each.queued < until).mapToDouble(Passage::latencyMillis)
                .toArray();
    }

    /** How many arrived in a time, for each second of it. */
    double rate(long from, long until) {
        long count = passages.stream().filter(each -> !each.late() && each.arrived >= from && each.arrived < until).count();
        return count * 1e6 / (until - from);
    }

    long late() {
        return passages.stream().filter(Passage::late).count();
    }

    /** NaN without values. */
    static double median(double[] values) {
        return values.length == 0 ? Double.NaN : Statistics.median(Arrays.stream(values).boxed().toList());
    }

    /** NaN without values. */
    static double percentile(double[] values, double percent) {
        return values.length == 0 ? Double.NaN : Statistics.percentile(values, percent);
    }
}
