package dev.weft.policy;

import java.time.Duration;

/** Counts that lose half of themselves in each half-life. Not for several threads. */
final class DecayingCounts {

    private final double[] counts;
    private final double halfLifeMillis;
    private long asOf;

    DecayingCounts(int size, Duration halfLife) {
        counts = new double[size];
        halfLifeMillis = halfLife.toMillis();
    }

    DecayingCounts(DecayingCounts copied) {
        counts = copied.counts.clone();
        halfLifeMillis = copied.halfLifeMillis;
        asOf = copied.asOf;
    }

    void add(int index, double amount, long nowMillis) {
        age(nowMillis);
        counts[index] += amount;
    }

    double get(int index, long nowMillis) {
        age(nowMillis);
        return counts[index];
    }

    double[] all(long nowMillis) {
        age(nowMillis);
        return counts.clone();
    }

    /** Takes counts of another time, which may be one that has not come yet after a clock was set back. */
    void set(double[] then, long thenMillis, long nowMillis) {
        System.arraycopy(then, 0, counts, 0, counts.length);
        asOf = Math.min(thenMillis, nowMillis);
    }

    /** From a clock that was set back the counts go on decaying, instead of standing still until it has caught up. */
    private void age(long nowMillis) {
        if (nowMillis <= asOf) {
            asOf = nowMillis;
            return;
        }
        double left = asOf == 0 ? 1 : Math.pow(0.5, (nowMillis - asOf) / halfLifeMillis);
        for (int i = 0; i < counts.length; i++) {
            counts[i] *= left;
        }
        asOf = nowMillis;
    }
}
