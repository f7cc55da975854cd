package dev.weft.session;

import java.util.Optional;

/**
 * What the {@link LegOpening} of a server leg orders. What comes of an order is told as an input of its own, never from within the
 * order.
 */
public interface OpeningPort {
    /**
     * The time, from any fixed origin.
     *
     * @return nanoseconds that never run backwards
     */
    long now();

    /** Connect to the route's server; a connection that was closed before is to be gone by then. */
    void connect();

    /**
     * Write to the server.
     *
     * @param bytes not changed afterwards by either side
     */
    void write(byte[] bytes);

    /**
     * Begin a TLS handshake.
     *
     * @param serverName the name to ask for, empty for none
     */
    void startTls(Optional<String> serverName);

    /**
     * Whether TLS failed towards this server a short while ago.
     *
     * @return true if it did
     */
    boolean tlsBroken();

    /** TLS failed towards this server: to be remembered for a while. */
    void tlsBroke();

    /**
     * Call {@link LegOpening#timePassed} once the time has come. Replaces the deadline set before.
     *
     * @param deadline in the time of {@link #now}
     */
    void armTimer(long deadline);

    /**
     * Close the connection; nothing of it is told any more.
     *
     * @param how what becomes of what was written
     */
    void close(Closing how);

    /**
     * The leg is ready for its first transaction.
     *
     * @param leg the leg
     */
    void opened(LegFacts leg);

    /**
     * There will be no leg; its connection was closed.
     *
     * @param refusal why
     */
    void refused(LegRefusal refusal);
}
