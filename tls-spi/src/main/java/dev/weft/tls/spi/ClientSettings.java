package dev.weft.tls.spi;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * How a client context shall be. There is no trust here: any certificate is accepted in the handshake, and
 * {@link CertificateJudge} says afterwards what it was worth, for full and resumed handshakes alike.
 *
 * @param versions the versions to offer
 * @param keys the client's own certificate, shown to servers that ask
 * @param sessionCacheSize how many sessions are kept in memory
 * @param sessionTimeout how long a session may be taken up again
 * @param sessionDirectory where sessions are kept over a restart; empty keeps them in memory only
 */
public record ClientSettings(Set<TlsVersion> versions, Optional<KeyMaterial> keys, int sessionCacheSize, Duration sessionTimeout,
        Optional<Path> sessionDirectory) {

    /**
     * Checks the values.
     *
     * @param versions the versions to offer
     * @param keys the client's own certificate, shown to servers that ask
     * @param sessionCacheSize how many sessions are kept in memory
     * @param sessionTimeout how long a session may be taken up again
     * @param sessionDirectory where sessions are kept over a restart
     * @throws IllegalArgumentException if one makes no sense, naming it
     */
    public ClientSettings {
        versions = SettingChecks.versions(versions);
        Objects.requireNonNull(keys, "keys");
        SettingChecks.cacheSize(sessionCacheSize);
        SettingChecks.timeout(sessionTimeout);
        Objects.requireNonNull(sessionDirectory, "sessionDirectory");
    }

    /**
     * Starts from the defaults.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects the settings. */
    public static final class Builder {
        private Set<TlsVersion> versions = Set.of(TlsVersion.TLS_1_2, TlsVersion.TLS_1_3);
        private KeyMaterial keys;
        private int sessionCacheSize = SettingChecks.DEFAULT_CACHE_SIZE;
        private Duration sessionTimeout = SettingChecks.DEFAULT_TIMEOUT;
        private Path sessionDirectory;

        private Builder() {}

        /**
         * The versions to offer. Default: TLS 1.2 and 1.3; older ones are forbidden by RFC 8996.
         *
         * @param versions one at least
         * @return this builder
         */
        public Builder versions(TlsVersion... versions) {
            this.versions = Set.of(versions);
            return this;
        }

        /**
         * The client's own certificate. Default: none.
         *
         * @param keys shown to servers that ask
         * @return this builder
         */
        public Builder keys(KeyMaterial keys) {
            this.keys = Objects.requireNonNull(keys, "keys");
            return this;
        }

        /**
         * How many sessions are kept in memory. Default: 20,000, a few KB each.
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
         * Where sessions are kept over a restart. Default: nowhere. The directory is used exactly as named: made with mode
         * 0700 if it is not there, refused if it can't be used or others may enter it, since it holds secrets. See
         * {@link TlsBackend#sessionKeeping} for what a backend can keep.
         *
         * @param sessionDirectory of this context alone
         * @return this builder
         */
        public Builder sessionDirectory(Path sessionDirectory) {
            this.sessionDirectory = Objects.requireNonNull(sessionDirectory, "sessionDirectory");
            return this;
        }

        /**
         * Ends the collecting.
         *
         * @return the settings
         * @throws IllegalArgumentException if one makes no sense, naming it
         */
        public ClientSettings build() {
            return new ClientSettings(versions, Optional.ofNullable(keys), sessionCacheSize, sessionTimeout,
                    Optional.ofNullable(sessionDirectory));
        }
    }
}
