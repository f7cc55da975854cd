package dev.weft.smtp;

/** What happens to a CR or LF in a message that is not part of a CRLF (RFC 5321 §2.3.8 forbids both). */
public enum BareLineEnds {
    /**
     * Refuses only what some receiver could take for the end of the message: a lone dot between any line ends other than
     * exactly CRLF. Everything else passes unchanged.
     */
    GUARD,
    /** Refuses every bare CR and every bare LF. */
    REFUSE,
    /** Lets all pass: only CRLF.CRLF means anything. A receiver that is lax about line ends can then be fooled. */
    PASS
}
