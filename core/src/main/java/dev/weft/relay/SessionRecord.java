package dev.weft.relay;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What a session was and how it ended.
 *
 * @param sessionId the session's id
 * @param client who opened the connection
 * @param originalDestination where it wanted to go
 * @param route where it went, empty if it never got a route; transactions may have had others, see {@link TransactionRecord}
 * @param source the address and port that the server leg left from, empty if it was never connected; bound {@link
 *        Binding#ON_MAIL} those of the last leased leg, as are the two below. {@link TransactionRecord} has each transaction's
 * @param transactions how many transactions it had; 0 marks a probe
 * @param bytesFromClient octets read from the client
 * @param bytesFromServer octets read from the server
 * @param clientTls the TLS of the client leg, empty if it was in clear
 * @param serverTls the TLS of the last server leg, empty if it was in clear
 * @param tlsFailure why the server leg has no TLS, or not the one that its policy asks for; empty if nothing failed
 * @param passedThrough whether client and server spoke TLS with each other, and nothing of that was seen here
 * @param duration from accept to end
 * @param end why it ended
 * @param detail what else is known of the end, for a log; may be empty
 * @param stages the time that connect, greeting and EHLO took; steps that did not happen are absent
 */
public record SessionRecord(
        String sessionId,
        InetSocketAddress client,
        InetSocketAddress originalDestination,
        Optional<Route> route,
        Optional<InetSocketAddress> source,
        int transactions,
        long bytesFromClient,
        long bytesFromServer,
        Optional<LegTls> clientTls,
        Optional<LegTls> serverTls,
        Optional<String> tlsFailure,
        boolean passedThrough,
        Duration duration,
        End end,
        String detail,
        Map<Stage, Duration> stages) {

    /** Why a session ended. */
    public enum End {
        /** QUIT was answered. */
        QUIT,
        /** The client closed or reset its connection. */
        CLIENT_GONE,
        /** The server closed or reset its connection, or said 421. */
        SERVER_GONE,
        /** The server could not be reached, or its greeting did not come. */
        UNREACHABLE,
        /** A handler refused the session. */
        REFUSED,
        /** A time limit ran out. */
        TIMEOUT,
        /** A peer broke the protocol so that no further reply could be matched. */
        OUT_OF_STEP,
        /** The proxy stopped. */
        STOPPED,
        /** A handler failed, or the proxy did. */
        FAILED
    }

    /**
     * Makes the collection immutable.
     *
     * @param sessionId the session's id
     * @param client who opened the connection
     * @param originalDestination where it wanted to go
     * @param route where it went, empty if it never got a route
     * @param source the address and port that the server leg left from, empty if it was never connected
     * @param transactions how many transactions it had; 0 marks a probe
     * @param bytesFromClient octets read from the client
     * @param bytesFromServer octets read from the server
     * @param clientTls the TLS of the client leg, empty if it was in clear
     * @param serverTls the TLS of the last server leg, empty if it was in clear
     * @param tlsFailure why the server leg has no TLS, or not the one that its policy asks for; empty if nothing failed
     * @param passedThrough whether client and server spoke TLS with each other, and nothing of that was seen here
     * @param duration from accept to end
     * @param end why it ended
     * @param detail what else is known of the end, for a log; may be empty
     * @param stages the time that connect, greeting and EHLO took; steps that did not happen are absent
     */
    public SessionRecord {
        stages = Map.copyOf(stages);
    }
}
