package dev.weft.relay;

import java.util.List;
import java.util.Locale;

/**
 * What TLS a route wants on its server leg. Any certificate is taken in the handshake; how it stood is in the session's record,
 * and {@link Verify} judges it.
 */
public sealed interface TlsPolicy {

    /** Clear text, even if the server offers STARTTLS. */
    record None() implements TlsPolicy {}

    /** TLS if the server offers it and the handshake works, else clear text: opportunistic (RFC 7435). */
    record May() implements TlsPolicy {}

    /** TLS with any certificate, or no mail. */
    record Encrypt() implements TlsPolicy {}

    /**
     * TLS with a certificate that is trusted and made out to one of these names, or no mail.
     *
     * @param names DNS names or IP addresses
     */
    record Verify(List<String> names) implements TlsPolicy {
        /**
         * Checks the names and takes them in lower case, without a trailing dot.
         *
         * @param names DNS names or IP addresses
         * @throws IllegalArgumentException if there is none, or one is empty
         */
        public Verify {
            names = names.stream().map(Verify::plain).toList();
            if (names.isEmpty() || names.contains("")) {
                throw new IllegalArgumentException("verify(" + names
                        + "): give the names that the server's certificate may be made out to");
            }
        }

        private static String plain(String name) {
            var lower = name.toLowerCase(Locale.ROOT);
            return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
        }
    }

    /**
     * Clear text.
     *
     * @return the policy
     */
    static TlsPolicy none() {
        return new None();
    }

    /**
     * TLS where it works.
     *
     * @return the policy
     */
    static TlsPolicy may() {
        return new May();
    }

    /**
     * TLS with any certificate.
     *
     * @return the policy
     */
    static TlsPolicy encrypt() {
        return new Encrypt();
    }

    /**
     * TLS with a certificate that is trusted and made out to one of these names.
     *
     * @param names DNS names or IP addresses
     * @return the policy
     * @throws IllegalArgumentException if there is none, or one is empty
     */
    static TlsPolicy verify(String... names) {
        return new Verify(List.of(names));
    }

    /**
     * Whether TLS is tried at all.
     *
     * @return false for {@link None} only
     */
    default boolean wanted() {
        return !(this instanceof None);
    }

    /**
     * Whether mail may pass only if the policy is met.
     *
     * @return true for {@link Encrypt} and {@link Verify}
     */
    default boolean required() {
        return this instanceof Encrypt || this instanceof Verify;
    }
}
