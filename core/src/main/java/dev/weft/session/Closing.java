package dev.weft.session;

/** How a leg is to be closed. What was written before is sent first, except by {@link #ABORT}. */
public enum Closing {
    /**
     * Send what was written, shut down the output, read and discard until the peer closes, for a bounded time and amount, then
     * close: so a peer that is still writing can read the last reply instead of a reset.
     */
    LINGER,
    /** As {@link #LINGER}, but for a peer that has had its last reply and expects the end: after 221, at most 2 s. */
    FAREWELL,
    /** Send what was written, give the peer a short while to close first, which leaves TIME_WAIT with it, then close. */
    AWAIT_PEER,
    /**
     * Close at once with a reset; nothing more is sent. For a server leg in the middle of a message: nothing partial may be
     * delivered.
     */
    ABORT
}
