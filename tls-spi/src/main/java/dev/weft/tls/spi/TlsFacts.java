package dev.weft.tls.spi;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a handshake came to, taken down when it was done: engines forget parts of it later.
 *
 * @param version the version agreed on
 * @param cipherSuite the cipher suite's IANA name
 * @param peerChain the peer's certificates, its own first; empty if it showed none. There after a resumption too
 * @param serverName the name that the client asked for (SNI, RFC 6066 section 3), lower case
 * @param resumed whether an earlier session was taken up again instead of a full handshake
 */
public record TlsFacts(TlsVersion version, String cipherSuite, List<X509Certificate> peerChain, Optional<String> serverName,
        boolean resumed) {

    /**
     * Copies the chain.
     *
     * @param version the version agreed on
     * @param cipherSuite the cipher suite's IANA name
     * @param peerChain the peer's certificates, its own first
     * @param serverName the name that the client asked for (SNI, RFC 6066 section 3), lower case
     * @param resumed whether an earlier session was taken up again instead of a full handshake
     * @throws NullPointerException if a part is null
     */
    public TlsFacts {
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(cipherSuite, "cipherSuite");
        Objects.requireNonNull(serverName, "serverName");
        peerChain = List.copyOf(peerChain);
    }
}
