package dev.weft.relay;

/** When a session gets its server leg, and for how long. */
public enum Binding {
    /**
     * One server leg for one client connection, from its beginning: the client sees the server's own greeting and capabilities.
     */
    ON_CONNECT,
    /**
     * The proxy greets, and takes a server leg for each transaction: server legs are shared by sessions one after the other, and
     * the number of connections that a destination allows is shared fairly. Servers hear the route's EHLO name, or else the
     * proxy's own; never the client's, and no AUTH.
     */
    ON_MAIL
}
