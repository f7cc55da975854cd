package dev.weft.session;

/** One of a session's two connections. */
public enum Leg {
    /** The connection that the client opened. */
    CLIENT,
    /** The connection to the server. */
    SERVER;

    /**
     * The leg that bytes from this one go on to.
     *
     * @return the other leg
     */
    public Leg other() {
        return this == CLIENT ? SERVER : CLIENT;
    }
}
