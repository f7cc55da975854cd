package dev.weft.session;

import dev.weft.relay.LegTls;
import dev.weft.smtp.Reply;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * A leased server leg as the session has to know it: connected, greeted by the proxy under the route's EHLO name, in TLS as the
 * route's policy wants it, and between transactions.
 *
 * @param source the address that it left from
 * @param hello the server's answer to the last EHLO on it, which is what it offers
 * @param tls its TLS, empty if it is in clear
 * @param tlsFailure why it has no TLS though the policy would have it; empty if nothing failed
 * @param transactions how many transactions it carried before
 */
public record LegFacts(
        InetSocketAddress source, Reply hello, Optional<LegTls> tls, Optional<String> tlsFailure, int transactions) {

    /**
     * What a transaction did to its leg.
     *
     * @param refusals how many 4xx and 5xx the server gave in it: a leg that saw a few is slowed down or cut by many servers, and
     *        the next tenant would pay
     * @param held how long the leg was leased
     */
    public record Use(int refusals, Duration held) {
        /**
         * Checks that nothing is missing.
         *
         * @param refusals how many 4xx and 5xx the server gave in it
         * @param held how long the leg was leased
         */
        public Use {
            Objects.requireNonNull(held, "held");
        }
    }

    /**
     * Checks that nothing is null.
     *
     * @param source the address that it left from
     * @param hello the server's answer to the last EHLO on it
     * @param tls its TLS, empty if it is in clear
     * @param tlsFailure why it has no TLS though the policy would have it
     * @param transactions how many transactions it carried before
     */
    public LegFacts {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(hello, "hello");
        Objects.requireNonNull(tls, "tls");
        Objects.requireNonNull(tlsFailure, "tlsFailure");
    }
}
