package dev.weft.tls.spi;

import java.time.Duration;
import java.util.Set;

/** The checks and defaults that client and server settings share. */
final class SettingChecks {
    static final int DEFAULT_CACHE_SIZE = 20_000;
    static final Duration DEFAULT_TIMEOUT = Duration.ofHours(8);

    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(7); // RFC 8446 section 4.6.1

    private SettingChecks() {}

    static Set<TlsVersion> versions(Set<TlsVersion> versions) {
        if (versions.isEmpty()) {
            throw new IllegalArgumentException("versions is empty: name at least one, such as TLS_1_3");
        }
        return Set.copyOf(versions);
    }

    static void cacheSize(int size) {
        if (size < 1) { // 0 means "without limit" to Java's TLS classes
            throw new IllegalArgumentException("sessionCacheSize is " + size + ": it must be 1 or more");
        }
    }

    static void timeout(Duration timeout) {
        if (timeout.compareTo(Duration.ofSeconds(1)) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            throw new IllegalArgumentException("sessionTimeout is " + timeout + ": it must be from a second to 7 days");
        }
    }
}
