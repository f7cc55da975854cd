package dev.weft.session;

import java.util.concurrent.TimeUnit;

/** Counts the message that the client sends: against the size limit, and against the least rate. */
final class MessageMeter {

    private static final long NEVER = Long.MAX_VALUE;

    private final MessageLimits limits;
    private long size;
    private long onTheWire;
    private long since;

    MessageMeter(MessageLimits limits) {
        this.limits = limits;
    }

    void begin(long now) {
        size = 0;
        onTheWire = 0;
        since = now;
    }

    /** A further chunk of the same message: the time between two chunks is not the message's. */
    void goOn(long now) {
        onTheWire = 0;
        since = now;
    }

    void received(int octets) {
        onTheWire += octets;
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
    }

    /** When the client will have been too slow. */
    long deadline() {
        if (limits.leastRate() == 0) {
            return NEVER;
        }
        // In milliseconds, so that no size of a message overflows.
        long earned = TimeUnit.MILLISECONDS.toNanos(Math.min(onTheWire, Long.MAX_VALUE / 1000) * 1000 / limits.leastRate());
        return since + limits.rateGrace().toNanos() + Math.min(earned, TimeUnit.DAYS.toNanos(365));
    }
}
