package dev.weft.relay;

import java.util.Objects;

/**
 * Something noteworthy that changed nothing by itself.
 *
 * @param kind what was noticed
 * @param detail for a log: printable, never with credentials; may be empty
 */
public record Notice(Kind kind, String detail) {

    /** What can be noticed. */
    public enum Kind {
        /** The client spoke before the greeting (RFC 5321 §3.1). */
        EARLY_TALKER,
        /** The client sent on past a command that it had to wait for (RFC 2920 §3.1). */
        UNASKED_PIPELINING,
        /** The server ended a reply line with a bare LF. */
        BARE_LF_REPLY,
        /** The lines of one reply bore different codes. */
        MIXED_CODES,
        /** The server sent what is no reply; the detail shows it. */
        MALFORMED_REPLY,
        /** The message held something that some receivers take for its end; it was refused. */
        SMUGGLING_REFUSED,
        /** A command line held a bare CR or LF, or was too long; it was refused. */
        BAD_LINE,
        /**
         * A transaction got no server leg, bound {@link Binding#ON_MAIL}; its client got a 451. The detail says why: {@code no
         * turn within 30 s: ...}, {@code Server can't be reached: ...}, {@code greeting: 421 ...} or {@code EHLO: 421 ...} with
         * the server's reply, {@code TLS: ...}. The session's transaction is the one concerned. A server that refused only for
         * the number of connections is not told of here while the transaction waits for another turn.
         */
        LEASE_REFUSED,
        /** A leased server leg sent what answers no command, and was dropped; the detail says what. */
        OUT_OF_STEP,
        /** The server answered before the message had ended. */
        EARLY_REPLY,
        /** A message that was to be held could not be kept, or not be read again; the detail says why. */
        MESSAGE_NOT_KEPT,
        /** A fresh server leg replaced the former one. */
        FRESH_SERVER_LEG,
        /**
         * TLS failed on the server leg, and the session goes on in clear, as its policy allows; the detail says why it failed.
         */
        TLS_FALLBACK,
        /** Client and server speak TLS with each other from here on: nothing of it is seen, no handler is asked. */
        TLS_PASSED_THROUGH,
        /** The route's TLS policy can't be met: no mail passes; the detail says why. */
        TLS_UNMET
    }

    /**
     * Checks that nothing is null.
     *
     * @param kind what was noticed
     * @param detail for a log: printable, never with credentials; may be empty
     */
    public Notice {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(detail, "detail");
    }
}
