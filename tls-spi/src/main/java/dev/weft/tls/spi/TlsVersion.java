package dev.weft.tls.spi;

import java.util.Optional;

/** A version of the protocol, oldest first. */
public enum TlsVersion {
    /** TLS 1.0 (RFC 2246), forbidden by RFC 8996: only for a host that asks for it. */
    TLS_1_0("TLSv1"),
    /** TLS 1.1 (RFC 4346), forbidden by RFC 8996: only for a host that asks for it. */
    TLS_1_1("TLSv1.1"),
    /** TLS 1.2 (RFC 5246). */
    TLS_1_2("TLSv1.2"),
    /** TLS 1.3 (RFC 8446). */
    TLS_1_3("TLSv1.3");

    private final String standardName;

    TlsVersion(String standardName) {
        this.standardName = standardName;
    }

    /**
     * The name that Java's TLS classes use.
     *
     * @return such as {@code TLSv1.3}
     */
    public String standardName() {
        return standardName;
    }

    /**
     * The version with a name.
     *
     * @param standardName a name as {@link #standardName()} gives it
     * @return the version, or empty if there is none of that name
     */
    public static Optional<TlsVersion> of(String standardName) {
        for (var version : values()) {
            if (version.standardName.equals(standardName)) {
                return Optional.of(version);
            }
        }
        return Optional.empty();
    }
}
