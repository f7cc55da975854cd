package dev.weft.session;

import java.time.Duration;
import java.util.Objects;

/**
 * How server legs are leased and kept, for routes bound {@link dev.weft.relay.Binding#ON_MAIL}.
 *
 * @param patience how long a transaction waits for its turn at a destination, up to an hour; then its MAIL gets {@code 451
 *        4.3.2}. What it takes to open a leg once it is its turn is not counted here, but by {@link Timeouts}
 * @param waiters how many transactions of one tenant may wait at one destination; a further one gets the 451 at once
 * @param idle how long a leg is kept while nobody wants it; zero keeps none. This time and those below: at most a day
 * @param messages how many transactions one leg carries at most; a server's own MAILMAX (RFC 9422 §4.1) holds where it is less
 * @param age how old a leg may be when it is used again
 * @param refusals how many 4xx and 5xx a leg may have seen and still be used again: many servers slow down or cut those that saw
 *        many
 * @param offerAge how long until a server is asked again what it offers, zero for at each session; what it offered last stands
 *        while it can't be asked. Of a server that never could be asked 8BITMIME and SMTPUTF8 are presumed. To ask takes a turn,
 *        which is waited for no longer than 5 s, or the patience if that is shorter
 */
public record PoolSettings(Duration patience, int waiters, Duration idle, int messages, Duration age, int refusals, Duration offerAge) {

    /** The defaults: 30 s, 100 waiters, 2 s, 100 messages, 5 min, 3 refusals, 1 h. */
    public static final PoolSettings DEFAULT = new PoolSettings(
            Duration.ofSeconds(30), 100, Duration.ofSeconds(2), 100, Duration.ofMinutes(5), 3, Duration.ofHours(1));

    /**
     * Checks the values.
     *
     * @param patience how long a transaction waits for its turn, more than zero
     * @param waiters how many of one tenant may wait, at least 1
     * @param idle how long a leg is kept while nobody wants it, zero or more
     * @param messages how many transactions one leg carries, at least 1
     * @param age how old a leg may be when it is used again, zero or more
     * @param refusals how many refusals it may have seen, zero or more
     * @param offerAge how long it is remembered what a server offers, zero or more
     * @throws IllegalArgumentException if a value is out of its range
     */
    public PoolSettings {
        Objects.requireNonNull(patience, "patience");
        if (patience.isZero() || patience.isNegative() || patience.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("pool patience = " + patience
                    + ": give more than zero and at most an hour, such as PT30S");
        }
        requireTime("idle", idle);
        requireTime("age", age);
        requireTime("offerAge", offerAge);
        atLeast("waiters", waiters, 1);
        atLeast("messages", messages, 1);
        atLeast("refusals", refusals, 0);
    }

    /**
     * The same settings with another patience.
     *
     * @param longest how long a transaction waits for its turn, more than zero
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public PoolSettings withPatience(Duration longest) {
        return new PoolSettings(longest, waiters, idle, messages, age, refusals, offerAge);
    }

    /**
     * The same settings with another number of waiters.
     *
     * @param most how many transactions of one tenant may wait at one destination, at least 1
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public PoolSettings withWaiters(int most) {
        return new PoolSettings(patience, most, idle, messages, age, refusals, offerAge);
    }

    /**
     * The same settings with another idle time.
     *
     * @param time how long a leg is kept while nobody wants it; zero keeps none
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public PoolSettings withIdle(Duration time) {
        return new PoolSettings(patience, waiters, time, messages, age, refusals, offerAge);
    }

    /**
     * The same settings with another number of messages.
     *
     * @param most how many transactions one leg carries, at least 1
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public PoolSettings withMessages(int most) {
        return new PoolSettings(patience, waiters, idle, most, age, refusals, offerAge);
    }

    /**
     * The same settings with another age.
     *
     * @param oldest how old a leg may be when it is used again
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public PoolSettings withAge(Duration oldest) {
        return new PoolSettings(patience, waiters, idle, messages, oldest, refusals, offerAge);
    }

    /**
     * The same settings with another number of refusals.
     *
     * @param most how many 4xx and 5xx a leg may have seen and still be used again
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public PoolSettings withRefusals(int most) {
        return new PoolSettings(patience, waiters, idle, messages, age, most, offerAge);
    }

    /**
     * The same settings with another time for which offers are remembered.
     *
     * @param longest how long it is remembered what a server offers, zero or more
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public PoolSettings withOfferAge(Duration longest) {
        return new PoolSettings(patience, waiters, idle, messages, age, refusals, longest);
    }

    private static void requireTime(String name, Duration time) {
        if (Objects.requireNonNull(time, name).isNegative() || time.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("pool " + name + " = " + time + ": give zero up to a day, such as PT2S");
        }
    }

    private static void atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException("pool " + name + " = " + value + ": give at least " + least);
        }
    }
}
