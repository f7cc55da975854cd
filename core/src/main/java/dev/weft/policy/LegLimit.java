package dev.weft.policy;

import java.time.Duration;
import java.util.Objects;

/**
 * How many server legs a destination allows at once: the settings, immutable. What is learnt on the way is in the {@link
 * LearntLimit} that {@link #start()} makes, one per destination.
 */
public final class LegLimit {

    private static final double CUT_TO = 0.7;
    /** A refused connection may have been begun, and queued at the destination, some seconds before its refusal is read. */
    private static final Duration BURST = Duration.ofSeconds(10);
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final Duration RISE_EVERY = Duration.ofSeconds(1);

    private final boolean learns;
    private final int initial;
    private final int most;
    private final double cutTo;
    private final Duration burst;
    private final Duration riseEvery;

    private LegLimit(boolean learns, int initial, int most, double cutTo, Duration burst, Duration riseEvery) {
        this.learns = learns;
        this.initial = initial;
        this.most = most;
        this.cutTo = cutTo;
        this.burst = burst;
        this.riseEvery = riseEvery;
    }

    /**
     * A limit that is known.
     *
     * @param legs at least 1
     * @return the settings
     * @throws IllegalArgumentException if it is less than 1
     */
    public static LegLimit fixed(int legs) {
        if (legs < 1) {
            throw new IllegalArgumentException("limit " + legs + ": give at least 1 server leg, or use LegLimit.unlimited()");
        }
        return new LegLimit(false, legs, legs, CUT_TO, BURST, RISE_EVERY);
    }

    /**
     * No limit of ours; the destination's own refusals go to the clients.
     *
     * @return the settings
     */
    public static LegLimit unlimited() {
        return fixed(Integer.MAX_VALUE);
    }

    /**
     * A limit that follows the destination: up by one while all goes well and more is wanted, down to 0.7 of the legs that
     * were out when it refused one for their number.
     *
     * @param initial where it begins, at least 1; what was learnt before a restart ({@link DestinationSnapshot#limit}) is a good
     *        value
     * @param most where the rise ends, at least {@code initial}
     * @return the settings
     * @throws IllegalArgumentException if a value is out of its range
     */
    public static LegLimit learnt(int initial, int most) {
        if (initial < 1 || most < initial) {
            throw new IllegalArgumentException("limit learnt from " + initial + " up to " + most
                    + ": give at least 1, and a most that is no less than the first");
        }
        return new LegLimit(true, initial, most, CUT_TO, BURST, RISE_EVERY);
    }

    /**
     * The same limit with another cut; without effect on one that is not learnt.
     *
     * @param factor what is left of the legs after a cut, above 0 and below 1; 0.7 by default
     * @param within refusals that come in this time after a cut belong to the same burst and don't cut again; 10 s by
     *        default, at most a day
     * @return the changed copy
     * @throws IllegalArgumentException if a value is out of its range
     */
    public LegLimit withCut(double factor, Duration within) {
        if (!(factor > 0 && factor < 1)) {
            throw new IllegalArgumentException("cut to " + factor + ": give a part above 0 and below 1, such as 0.7");
        }
        return new LegLimit(learns, initial, most, factor, requireTime("burst", within), riseEvery);
    }

    /**
     * The same limit with another pace of its rise. It rises by one when as many leases as the limit have ended well, but
     * no faster than this. Without effect on one that is not learnt.
     *
     * @param every the least time between two steps; 1 s by default
     * @return the changed copy
     * @throws IllegalArgumentException if the time is negative or more than a day
     */
    public LegLimit withRise(Duration every) {
        return new LegLimit(learns, initial, most, cutTo, burst, requireTime("rise", every));
    }

    /**
     * A destination's limit at its beginning.
     *
     * @return new state with these settings
     */
    public LearntLimit start() {
        return new LearntLimit(this);
    }

    /**
     * Whether the limit changes.
     *
     * @return false if it is fixed or there is none
     */
    public boolean learns() {
        return learns;
    }

    /**
     * Where the limit begins.
     *
     * @return at least 1; {@link Integer#MAX_VALUE} if there is none
     */
    public int initial() {
        return initial;
    }

    /**
     * Where the rise ends.
     *
     * @return at least the initial limit
     */
    public int most() {
        return most;
    }

    double cutTo() {
        return cutTo;
    }

    long burstNanos() {
        return burst.toNanos();
    }

    long riseNanos() {
        return riseEvery.toNanos();
    }

    private static Duration requireTime(String what, Duration time) {
        if (Objects.requireNonNull(time, what).isNegative() || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(what + " " + time + ": give a time of at most a day, such as PT10S");
        }
        return time;
    }

    /**
     * For logs.
     *
     * @return the limit in words
     */
    @Override
    public String toString() {
        if (learns) {
            return "learnt, from " + initial + " up to " + most;
        }
        return initial == Integer.MAX_VALUE ? "unlimited" : "fixed at " + initial;
    }
}
