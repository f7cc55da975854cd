package dev.weft.examples.bench;

import java.util.Arrays;
import java.util.Collection;

/** Figures of a sample. */
public final class Statistics {

    private Statistics() {}

    /**
     * The smallest value that at least {@code percent} % of the values do not exceed (nearest rank).
     *
     * @param values in any order; stays as it is
     * @param percent 0 to 100
     * @return one of the values
     * @throws IllegalArgumentException if there are none
     */
    public static double percentile(double[] values, double percent) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values: a percentile needs at least one");
        }
        var sorted = values.clone();
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(percent / 100 * sorted.length);
        return sorted[Math.min(sorted.length, Math.max(1, rank)) - 1];
    }

    /**
     * The middle value, or the mean of the two in the middle.
     *
     * @param values in any order
     * @return the median
     * @throws IllegalArgumentException if there are none
     */
    public static double median(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("no values: a median needs at least one");
        }
        var sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
