package dev.weft.policy;

import java.util.Comparator;
import java.util.LinkedHashSet;

/**
 * What one tenant has had of a destination, as a point on the scale of {@link FairTurns}: leg-time divided by weight.
 *
 * @param <W> what the caller keeps with a turn
 */
final class TurnAccount<W> {

    /** Who is behind comes first; who came to its rank first, among equals. */
    static final Comparator<TurnAccount<?>> ORDER =
            Comparator.<TurnAccount<?>>comparingDouble(account -> account.rank).thenComparingLong(account -> account.serial);

    final String name;
    final LinkedHashSet<Turn<W>> waiting = new LinkedHashSet<>();
    double weight;
    int out;

    /** The order among the accounts; may be behind {@link #currentRank}, never ahead. Constant while in an ordered set. */
    double rank;
    long serial;

    /** The period of contention that the figures belong to. */
    long period = -1;

    private double base;
    /** Leg-nanoseconds since base: a whole number, so that equal histories give equal ranks. */
    private long used;
    private long countedTo;

    TurnAccount(String name, double weight) {
        this.name = name;
        this.weight = weight;
    }

    boolean isActive() {
        return out > 0 || !waiting.isEmpty();
    }

    /** Begins a period at a point, at a moment of contended time. */
    void begin(long newPeriod, double point, long contended) {
        period = newPeriod;
        restart(point);
        countedTo = contended;
    }

    /** Counts the legs that are out up to a moment of contended time. */
    void countTo(long contended) {
        used += out * (contended - countedTo);
        countedTo = contended;
    }

    /** Moves on to a point, if it is behind that. */
    void notBefore(double point) {
        if (point() < point) {
            restart(point);
        }
    }

    void changeWeight(double other) {
        restart(point());
        weight = other;
    }

    /** What was had. */
    double point() {
        return base + used / weight;
    }

    /** What was had, and so much in advance for each leg that is out. */
    double currentRank(long ahead) {
        return base + (used + out * ahead) / weight;
    }

    private void restart(double point) {
        base = point;
        used = 0;
    }
}
