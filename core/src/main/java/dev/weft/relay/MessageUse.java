package dev.weft.relay;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * What a handler may do with the messages of a session. It is declared before the client is told what it may use, since that
 * depends on it: CHUNKING and BINARYMIME are withheld where messages are looked at, and SIZE leaves room for what may be added.
 *
 * @param kind what it may do
 * @param growth octets by which a message may grow at most
 * @param capacity the largest message that it can take, in octets; empty for any
 * @param chunking whether CHUNKING is offered all the same; BINARYMIME goes with it
 */
public record MessageUse(Kind kind, long growth, OptionalLong capacity, boolean chunking) {

    /** What a handler may do with messages. */
    public enum Kind {
        /** Nothing: all of them are streamed. */
        NONE,
        /** Read and refuse them. */
        LOOK,
        /** Also change their header, within the declared growth. */
        GROW,
        /** Also replace their bodies. */
        REPLACE
    }

    private static final MessageUse NONE = new MessageUse(Kind.NONE, 0, OptionalLong.empty(), true);

    /**
     * Checks the numbers.
     *
     * @param kind what it may do
     * @param growth octets by which a message may grow at most
     * @param capacity the largest message that it can take, in octets; empty for any
     * @param chunking whether CHUNKING is offered all the same; BINARYMIME goes with it
     * @throws IllegalArgumentException if a number is out of range, or chunks are wanted where a message may change
     */
    public MessageUse {
        Objects.requireNonNull(kind, "kind");
        if (growth < 0) {
            throw new IllegalArgumentException("growth = " + growth + ": give 0 or more octets");
        }
        if (capacity.orElse(1) < 1) {
            throw new IllegalArgumentException("capacity = " + capacity.getAsLong()
                    + ": give at least 1 octet, or leave it empty");
        }
        if (chunking && kind.compareTo(Kind.LOOK) > 0) {
            throw new IllegalArgumentException("chunking with " + kind
                    + ": a message in chunks can't be changed; declare LOOK, or leave chunking out");
        }
    }

    /**
     * The handler leaves messages alone.
     *
     * @return the default
     */
    public static MessageUse none() {
        return NONE;
    }

    /**
     * The handler may read messages and refuse them.
     *
     * @return the declaration
     */
    public static MessageUse look() {
        return new MessageUse(Kind.LOOK, 0, OptionalLong.empty(), false);
    }

    /**
     * The handler may also change headers.
     *
     * @param most octets by which a message may grow, 0 or more
     * @return the declaration
     * @throws IllegalArgumentException if it is negative
     */
    public static MessageUse grow(long most) {
        return new MessageUse(Kind.GROW, most, OptionalLong.empty(), false);
    }

    /**
     * The handler may change all of a message. What MAIL says of its size is then left out, since nobody knows it.
     *
     * @return the declaration
     */
    public static MessageUse replace() {
        return new MessageUse(Kind.REPLACE, 0, OptionalLong.empty(), false);
    }

    /**
     * The same, for a handler that can't take larger messages.
     *
     * @param octets the largest message, 1 or more
     * @return the changed copy
     * @throws IllegalArgumentException if it is less
     */
    public MessageUse upTo(long octets) {
        return new MessageUse(kind, growth, OptionalLong.of(octets), chunking);
    }

    /**
     * The same, for a handler that reads along whatever way a message comes: in chunks, and as binary, too.
     *
     * @return the changed copy
     * @throws IllegalArgumentException if this handler may change messages: those in chunks can't be
     */
    public MessageUse withChunking() {
        return new MessageUse(kind, growth, capacity, true);
    }
}
