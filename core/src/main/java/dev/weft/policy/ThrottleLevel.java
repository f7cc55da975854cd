package dev.weft.policy;

/** How a destination treats one of our addresses, from best to worst. */
public enum ThrottleLevel {
    /** As usual. */
    CLEAR,
    /** It answers much more slowly than it used to, as some do before they refuse. */
    SLOWING,
    /** It says that we send too much or hold too many connections. */
    THROTTLED,
    /** It says that the address is not welcome, and has accepted nothing since. */
    BLOCKED
}
