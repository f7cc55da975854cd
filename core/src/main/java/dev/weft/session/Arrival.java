package dev.weft.session;

import dev.weft.relay.LegTls;
import dev.weft.relay.Route;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;

/**
 * What is known of a client when its session starts.
 *
 * @param sessionId the session's id
 * @param client who opened the connection
 * @param originalDestination where it wanted to go
 * @param proposed the route that handlers are asked about first
 * @param tlsOffer what TLS the client is offered
 * @param clientTls the TLS that the client leg has from its beginning, empty if it starts in clear
 */
public record Arrival(String sessionId, InetSocketAddress client, InetSocketAddress originalDestination, Route proposed, TlsOffer tlsOffer,
        Optional<LegTls> clientTls) {

    /** What TLS a client leg in clear is offered. */
    public enum TlsOffer {
        /** None: STARTTLS is not offered. */
        NONE,
        /** STARTTLS is offered. */
        OFFERED,
        /** STARTTLS is offered, and nothing else passes before it. */
        REQUIRED,
        /**
         * The server's own STARTTLS is shown, if it offers one, and goes to the server: TLS is then between client and server,
         * end to end, and both legs are relayed blindly. The proxy begins no TLS of its own towards the server. On a route whose
         * policy demands TLS this is as {@link #NONE}: what passes blindly can't be judged.
         */
        PASS_THROUGH
    }

    /**
     * A client in clear who is offered no TLS.
     *
     * @param sessionId the session's id
     * @param client who opened the connection
     * @param originalDestination where it wanted to go
     * @param proposed the route that handlers are asked about first
     */
    public Arrival(String sessionId, InetSocketAddress client, InetSocketAddress originalDestination, Route proposed) {
        this(sessionId, client, originalDestination, proposed, TlsOffer.NONE, Optional.empty());
    }

    /**
     * Checks that nothing is null.
     *
     * @param sessionId the session's id
     * @param client who opened the connection
     * @param originalDestination where it wanted to go
     * @param proposed the route that handlers are asked about first
     * @param tlsOffer what TLS the client is offered
     * @param clientTls the TLS that the client leg has from its beginning, empty if it starts in clear
     */
    public Arrival {
        Objects.requireNonNull(sessionId, "sessionId");
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(originalDestination, "originalDestination");
        Objects.requireNonNull(proposed, "proposed");
        Objects.requireNonNull(tlsOffer, "tlsOffer");
        Objects.requireNonNull(clientTls, "clientTls");
    }
}
