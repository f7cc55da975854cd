package dev.weft.policy;

/** What a server's reply says about our pace or our address. */
public enum ThrottleSign {
    /** Nothing of the kind. */
    NONE,
    /** Too many connections at once: fewer legs, and the message may be tried on another one. */
    TOO_MANY_CONNECTIONS,
    /** Too many messages, recipients or connections in a time: slow down; fewer legs help only in so far as they are slower. */
    RATE_LIMITED,
    /** The address that we come from is listed, blocked or of bad repute: another one may be welcome. */
    SOURCE_BLOCKED
}
