package dev.weft.session;

import java.time.Duration;
import java.util.Objects;

/**
 * The limits of messages on all paths.
 *
 * @param size the largest message in octets, un-stuffed; {@link Long#MAX_VALUE} for no limit. A larger one is answered 552 5.3.4
 * @param leastRate octets a second that a client must reach on average while it sends a message, not counting the time in which
 *         it was not read; 0 for any
 * @param rateGrace how long it may be slower before that counts
 */
public record MessageLimits(long size, int leastRate, Duration rateGrace) {

    /** No size limit; 100 octets a second after ten minutes. */
    public static final MessageLimits DEFAULT = new MessageLimits(Long.MAX_VALUE, 100, Duration.ofMinutes(10));

    /**
     * Checks the numbers.
     *
     * @param size the largest message in octets, un-stuffed; {@link Long#MAX_VALUE} for no limit. A larger one is answered 552
     *         5.3.4
     * @param leastRate octets a second that a client must reach on average while it sends a message, not counting the time in
     *         which it was not read; 0 for any
     * @param rateGrace how long it may be slower before that counts
     * @throws IllegalArgumentException if a number is out of range
     */
    public MessageLimits {
        Objects.requireNonNull(rateGrace, "rateGrace");
        if (size < 1) {
            throw new IllegalArgumentException("message size limit = " + size
                    + ": give at least 1 octet, or Long.MAX_VALUE for no limit");
        }
        if (leastRate < 0) {
            throw new IllegalArgumentException("least rate = " + leastRate + ": give octets a second, or 0 for any");
        }
        if (rateGrace.isNegative() || rateGrace.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("rate grace = " + rateGrace + ": give at most a day");
        }
    }

    /**
     * The same limits with another size.
     *
     * @param octets the largest message
     * @return the changed copy
     */
    public MessageLimits withSize(long octets) {
        return new MessageLimits(octets, leastRate, rateGrace);
    }

    /**
     * The same limits with another rate.
     *
     * @param octetsPerSecond the least rate, 0 for any
     * @param grace how long a client may be slower
     * @return the changed copy
     */
    public MessageLimits withLeastRate(int octetsPerSecond, Duration grace) {
        return new MessageLimits(size, octetsPerSecond, grace);
    }
}
