package dev.weft.relay;

/** What becomes of a command whose handler threw an exception or missed its deadline. */
public enum FailureMode {
    /** It passes as if the handler had said {@link Verdict#proceed()}: for handlers that only watch. */
    OPEN,
    /** It is answered {@code 451 4.3.0}, at connect {@code 421 4.3.0}: for handlers that guard. */
    TEMPFAIL
}
