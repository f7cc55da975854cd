/**
 * Ready-made parts for handlers and for the driver. They decide; the driver does. Each can be used alone.
 *
 * <p><b>Shared destinations</b> ({@link dev.weft.policy.FairTurns}, {@link dev.weft.policy.LegLimit}, {@link
 * dev.weft.policy.ThrottleSigns}): who may use a destination's server legs next, how many a destination allows, what a server's
 * reply says about our pace and our address. They do no I/O, start no thread and have no clock: the time comes in, as
 * nanoseconds of {@link java.lang.System#nanoTime()} or of a test's own clock. Unless a class says otherwise, an object that
 * changes may be used by one thread at a time (the caller guards it, with a lock that is held for these short calls only), and
 * values are immutable.
 *
 * <p><b>Handlers</b>, to give to the proxy as they are or to call from a host's own: {@link dev.weft.policy.SourceAddresses},
 * {@link dev.weft.policy.ThrottleMonitor}, {@link dev.weft.policy.Reputation}, {@link dev.weft.policy.RateLimits}, {@link
 * dev.weft.policy.LocalAccount}. One object serves all event loops, and never makes one wait for a file or a network. Its state
 * is bounded: beyond a cap the entry that was used longest ago is forgotten. What it knows can be read at any time, for a
 * control panel; what should survive a restart is kept by {@link dev.weft.policy.StateFile}. Time is an {@link
 * java.time.InstantSource}, so that a test can let days pass.
 */
package dev.weft.policy;
