/** The TLS backend on the JDK's own engine. */
module dev.weft.tls.jdk {
    requires transitive dev.weft.tls.spi;
    exports dev.weft.tls.jdk;

    provides dev.weft.tls.spi.TlsBackend with dev.weft.tls.jdk.JdkTlsBackend;
}
