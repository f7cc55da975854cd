package dev.weft.tls.spi;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * How a server context shall be.
 *
 * @param versions the versions to agree to
 * @param keys the server's keys and certificates
 * @param clientCertificates whether clients are asked for a certificate
 * @param sessionCacheSize how many sessions are kept in memory, where sessions are not all in tickets
 * @param sessionTimeout how long a session may be taken up again
 * @param sessionTickets whether clients get tickets (RFC 5077, RFC 8446 section 4.6.1); without them TLS 1.3 resumes nothing
 */
public record ServerSettings(Set<TlsVersion> versions, KeyMaterial keys, ClientCertificates clientCertificates,
        int sessionCacheSize, Duration sessionTimeout, boolean sessionTickets) {

    /**
     * Checks the values.
     *
     * @param versions the versions to agree to
     * @param keys the server's keys and certificates
     * @param clientCertificates whether clients are asked for a certificate
     * @param sessionCacheSize how many sessions are kept in memory, where sessions are not all in tickets
     * @param sessionTimeout how long a session may be taken up again
     * @param sessionTickets whether clients get tickets (RFC 5077, RFC 8446 section 4.6.1)
     * @throws IllegalArgumentException if one makes no sense, naming it
     */
    public ServerSettings {
        versions = SettingChecks.versions(versions);
        Objects.requireNonNull(keys, "keys");
        Objects.requireNonNull(clientCertificates, "clientCertificates");
        SettingChecks.cacheSize(sessionCacheSize);
        SettingChecks.timeout(sessionTimeout);
    }

    /**
     * Starts from the defaults.
     *
     * @param keys the server's keys and certificates
     * @return a builder
     */
    public static Builder builder(KeyMaterial keys) {
        return new Builder(keys);
    }

    /** Collects the settings. */
    public static final class Builder {
        private final KeyMaterial keys;
        private Set<TlsVersion> versions = Set.of(TlsVersion.TLS_1_2, TlsVersion.TLS_1_3);
        private ClientCertificates clientCertificates = ClientCertificates.NONE;
        private int sessionCacheSize = SettingChecks.DEFAULT_CACHE_SIZE;
        private Duration sessionTimeout = SettingChecks.DEFAULT_TIMEOUT;
        private boolean sessionTickets = true;

        private Builder(KeyMaterial keys) {
            this.keys = Objects.requireNonNull(keys, "keys");
        }

        /**
         * The versions to agree to. Default: TLS 1.2 and 1.3; older ones are forbidden by RFC 8996.
         *
         * @param versions one at least
         * @return this builder
         */
        public Builder versions(TlsVersion... versions) {
            this.versions = Set.of(versions);
            return this;
        }

        /**
         * Whether clients are asked for a certificate. Default: no.
         *
         * @param clientCertificates asked for or not
         * @return this builder
         */
        public Builder clientCertificates(ClientCertificates clientCertificates) {
            this.clientCertificates = clientCertificates;
            return this;
        }

        /**
         * How many sessions are kept in memory. Default: 20,000. Sessions in tickets need no memory.
         *
         * @param sessionCacheSize 1 or more
         * @return this builder
         */
        public Builder sessionCacheSize(int sessionCacheSize) {
            this.sessionCacheSize = sessionCacheSize;
            return this;
        }

        /**
         * How long a session may be taken up again. Default: 8 hours.
         *
         * @param sessionTimeout a second to a week, the most that RFC 8446 section 4.6.1 allows
         * @return this builder
         */
        public Builder sessionTimeout(Duration sessionTimeout) {
            this.sessionTimeout = sessionTimeout;
            return this;
        }

        /**
         * Whether clients get tickets. Default: yes. Ticket keys live in the context and end with the process.
         *
         * @param sessionTickets false for none; the {@code jdk} backend then refuses to make a context
         * @return this builder
         */
        public Builder sessionTickets(boolean sessionTickets) {
            this.sessionTickets = sessionTickets;
            return this;
        }

        /**
         * Ends the collecting.
         *
         * @return the settings
         * @throws IllegalArgumentException if one makes no sense, naming it
         */
        public ServerSettings build() {
            return new ServerSettings(versions, keys, clientCertificates, sessionCacheSize, sessionTimeout, sessionTickets);
        }
    }
}
