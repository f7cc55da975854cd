package dev.weft.session;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Counts the message that the client sends: against the size limit, and against the least rate. */
final class MessageMeter {

    private static final long NEVER = Long.MAX_VALUE;

    private final MessageLimits limits;
    private long size;
    private long onTheWire;
    private long since;
    /** As {@link #since} and {@link #onTheWire}, over all chunks and without what lies between them. */
    private long wholeSince;
    private long wholeOnTheWire;
    private long lastOctet;

    MessageMeter(MessageLimits limits) {
        this.limits = limits;
    }

    void begin(long now) {
        size = 0;
        onTheWire = 0;
        since = now;
        wholeOnTheWire = 0;
        wholeSince = now;
        lastOctet = now;
    }

    /** A further chunk of the same message: the time between two chunks is not the message's. */
    void goOn(long now) {
        onTheWire = 0;
        since = now;
        wholeSince += now - lastOctet;
        lastOctet = now;
    }

    void received(int octets, long now) {
        onTheWire += octets;
        wholeOnTheWire += octets;
        lastOctet = now;
    }

    /** Octets of the message itself; whether it is too large with them. */
    boolean exceeds(int octets, long limit) {
        size += octets;
        return size > limit;
    }

    /** Whether so many octets more would be too many. */
    boolean wouldExceed(long octets, long limit) {
        return octets > limit - size;
    }

    /** The client was not read for so long. */
    void excuse(long nanos) {
        since += nanos;
        wholeSince += nanos;
    }

    /** When the client will have been too slow. */
    long deadline() {
        return deadline(since, onTheWire, limits.leastRate(), limits.rateGrace());
    }

    /** When it will have been too slow at this rate in the whole message, in however many chunks that comes. */
    long wholeDeadline(int leastRate, Duration grace) {
        return deadline(wholeSince, wholeOnTheWire, leastRate, grace);
    }

    private static long deadline(long since, long onTheWire, int leastRate, Duration grace) {
        if (leastRate == 0) {
            return NEVER;
        }
        // In milliseconds, so that no size of a message overflows.
        long earned = TimeUnit.MILLISECONDS.toNanos(Math.min(onTheWire, Long.MAX_VALUE / 1000) * 1000 / leastRate);
        return since + grace.toNanos() + Math.min(earned, TimeUnit.DAYS.toNanos(365));
    }
}
