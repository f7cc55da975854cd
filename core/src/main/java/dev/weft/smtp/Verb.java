package dev.weft.smtp;

/** The verbs that a proxy must know because they change what comes next, and those that pass like any other. */
public enum Verb {
    /** Opens the session and asks for the capabilities (RFC 5321 §4.1.1.1). */
    EHLO,
    /** Opens the session without capabilities (RFC 5321 §4.1.1.1). */
    HELO,
    /** Starts a transaction (RFC 5321 §4.1.1.2). */
    MAIL,
    /** Adds a recipient (RFC 5321 §4.1.1.3). */
    RCPT,
    /** Asks to send the message, dot-stuffed (RFC 5321 §4.1.1.4). */
    DATA,
    /** Carries a counted chunk of the message (RFC 3030 §2). */
    BDAT,
    /** Ends a transaction without a message (RFC 5321 §4.1.1.5). */
    RSET,
    /** Does nothing (RFC 5321 §4.1.1.9). */
    NOOP,
    /** Asks about a mailbox (RFC 5321 §4.1.1.6). */
    VRFY,
    /** Asks about a list (RFC 5321 §4.1.1.7). */
    EXPN,
    /** Asks for help (RFC 5321 §4.1.1.8). */
    HELP,
    /** Ends the session (RFC 5321 §4.1.1.10). */
    QUIT,
    /** Starts an authentication exchange (RFC 4954 §4). */
    AUTH,
    /** Asks for TLS (RFC 3207 §4). */
    STARTTLS,
    /** Asks to have a queue run (RFC 1985 §5). */
    ETRN,
    /** Anything else: sent alone and waited for, since nobody knows what it does to the dialogue. */
    UNKNOWN
}
