package dev.weft.tls.spi;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;

/**
 * A private key and the certificates that vouch for it.
 *
 * @param chain the key's own certificate first, then that of its issuer, and so on
 * @param key the private key of the first certificate
 */
public record CertifiedKey(List<X509Certificate> chain, PrivateKey key) {

    /**
     * Copies the chain.
     *
     * @param chain the key's own certificate first, then that of its issuer, and so on
     * @param key the private key of the first certificate
     * @throws NullPointerException if one is null
     * @throws IllegalArgumentException if the chain is empty
     */
    public CertifiedKey {
        chain = List.copyOf(chain);
        Objects.requireNonNull(key, "key");
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("the chain is empty: give at least the key's own certificate");
        }
    }

    /**
     * The kind of key.
     *
     * @return {@code RSA} or {@code EC}
     */
    public String algorithm() {
        return chain.get(0).getPublicKey().getAlgorithm();
    }
}
