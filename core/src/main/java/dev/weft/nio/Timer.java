package dev.weft.nio;

/**
 * Something that is to happen at a time, on its loop. It is armed anew by setting a later or earlier deadline; the wheel keeps it
 * once.
 */
abstract class Timer {

    static final long NEVER = Long.MAX_VALUE;

    /** When it is to fire, in the loop's time. */
    long deadline = NEVER;
    /** The wheel's tick at which it is looked at; it may have been put off since. */
    long tick;

    Timer previous;
    Timer next;

    /** The deadline has come; called on the loop. */
    abstract void fire();

    boolean scheduled() {
        return next != null;
    }
}
