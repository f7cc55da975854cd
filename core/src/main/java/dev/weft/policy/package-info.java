/**
 * Ready-made parts for handlers and for the driver. They decide; the driver does. Each can be used alone.
 *
 * <p><b>Shared destinations</b> ({@link dev.weft.policy.FairTurns}, {@link dev.weft.policy.LegLimit}, {@link
 * dev.weft.policy.ThrottleSigns}): who may use a destination's server legs next, how many a destination allows, what a server's
 * reply says about our pace and our address. They do no I/O, start no thread and have no clock: the time comes in, as
 * nanoseconds of {@link java.lang.System#nanoTime()} or of a test's own clock. Unless a class says otherwise, an object that
 * changes may be used by one thread at a time (the caller guards it, with a lock that is held for these short calls only), and
 * values are immutable.
 */
package dev.weft.policy;
