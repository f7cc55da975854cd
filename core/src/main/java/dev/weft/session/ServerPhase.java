package dev.weft.session;

/**
 * Where the server leg is.
 *
 * <pre>
 * ABSENT      -> CONNECTING | LEASING (bound on mail)
 * LEASING     -> READY (granted) | ABSENT (refused)
 * CONNECTING  -> GREETING | ABSENT (unreachable)
 * GREETING    -> READY (first leg, or nothing to repeat) | EHLO (fresh leg) | ABSENT
 * EHLO        -> READY (offers all that was promised) | TLS (220 to STARTTLS) | ABSENT
 * TLS         -> EHLO (established) | ABSENT (failed)
 * READY       -> EHLO (the route wants TLS, and the client says EHLO) | BOTCHED
 * READY       -> ABSENT (dropped: a refused message, an early reply, a server that died)
 * READY       -> BLIND (220 to the client's own STARTTLS, passed through)
 * BLIND       -> ABSENT
 * BOTCHED     -> ABSENT
 * </pre>
 */
enum ServerPhase {
    /** There is no server leg. */
    ABSENT,
    /** A lease was asked for: the leg comes ready for MAIL. */
    LEASING,
    /** The TCP connection is being opened. */
    CONNECTING,
    /** Connected; nothing is sent before the complete greeting (RFC 5321 §4.3.1). */
    GREETING,
    /** The leg answers our own EHLO or STARTTLS, unseen by the client. */
    EHLO,
    /** A handshake is under way: nothing is said in clear any more. */
    TLS,
    /** Commands pass. */
    READY,
    /** Client and server speak TLS with each other: all bytes go on. */
    BLIND,
    /** Out of step: no command is ever written to it again. */
    BOTCHED;

    /** Whether there is a leg, or one that is being connected. */
    boolean reached() {
        return this != ABSENT && this != LEASING;
    }
}
