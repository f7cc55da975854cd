package dev.weft.relay;

import dev.weft.tls.spi.PeerVerdict;
import dev.weft.tls.spi.TlsFacts;
import java.util.Objects;

/**
 * The TLS of one leg.
 *
 * @param facts what the handshake came to
 * @param peer how the peer's certificates stood; a client's are judged only if it showed any
 */
public record LegTls(TlsFacts facts, PeerVerdict peer) {

    /**
     * Checks that nothing is null.
     *
     * @param facts what the handshake came to
     * @param peer how the peer's certificates stood
     */
    public LegTls {
        Objects.requireNonNull(facts, "facts");
        Objects.requireNonNull(peer, "peer");
    }
}
