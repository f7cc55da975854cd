package dev.weft.tls.spi;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How a peer's certificates stood.
 *
 * @param presented whether it showed any
 * @param trusted whether the chain is valid now and leads to a trusted root
 * @param expired whether a certificate of the chain is no longer, or not yet, valid
 * @param selfSigned whether the peer's own certificate vouches for itself
 * @param detail why it is not trusted, one line; empty if it is
 * @param names the DNS names and IP addresses that the certificate is for (subjectAltName)
 * @param matched the asked-for name that one of them matches; empty if none does or none was asked for
 */
public record PeerVerdict(boolean presented, boolean trusted, boolean expired, boolean selfSigned, String detail,
        List<String> names, Optional<String> matched) {

    /**
     * Copies the names.
     *
     * @param presented whether it showed any
     * @param trusted whether the chain is valid now and leads to a trusted root
     * @param expired whether a certificate of the chain is no longer, or not yet, valid
     * @param selfSigned whether the peer's own certificate vouches for itself
     * @param detail why it is not trusted, one line
     * @param names the DNS names and IP addresses that the certificate is for (subjectAltName)
     * @param matched the asked-for name that one of them matches
     * @throws NullPointerException if a part is null
     */
    public PeerVerdict {
        Objects.requireNonNull(detail, "detail");
        names = List.copyOf(names);
        Objects.requireNonNull(matched, "matched");
    }

    /**
     * Whether the peer is who it was asked to be.
     *
     * @return true if the chain is trusted and a name matches
     */
    public boolean verified() {
        return trusted && matched.isPresent();
    }
}
