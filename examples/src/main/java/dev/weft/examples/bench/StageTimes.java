package dev.weft.examples.bench;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** What the sessions of a run took, step by step. */
final class StageTimes {

    private final Map<Step, Samples> steps = new EnumMap<>(Step.class);
    int sessions;
    int resumed;
    int failed;
    String firstFailure = "";
    double seconds;

    /** Milliseconds, in order of their coming. */
    private static final class Samples {
        private double[] values = new double[64];
        private int count;

        void add(double value) {
            if (count == values.length) {
                values = Arrays.copyOf(values, 2 * count);
            }
            values[count++] = value;
        }

        double[] all() {
            return Arrays.copyOf(values, count);
        }
    }

    void add(Step step, long nanos) {
        steps.computeIfAbsent(step, any -> new Samples()).add(nanos / 1e6);
    }

    void fail(String why) {
        if (failed++ == 0) {
            firstFailure = why;
        }
    }

    boolean has(Step step) {
        return steps.containsKey(step);
    }

    private double[] of(Step step) {
        var samples = steps.get(step);
        if (samples == null) {
            throw new IllegalStateException("no session came to step " + step.title() + "; the first failure: " + firstFailure);
        }
        return samples.all();
    }

    double mean(Step step) {
        return Arrays.stream(of(step)).average().orElseThrow();
    }

    double percentile(Step step, double percent) {
        return Statistics.percentile(of(step), percent);
    }

    double perSecond() {
        return sessions / seconds;
    }
}
