/** The TLS backend on Conscrypt (BoringSSL). */
@SuppressWarnings("requires-automatic") // Conscrypt has no module-info, only an Automatic-Module-Name
module dev.weft.tls.conscrypt {
    requires transitive dev.weft.tls.spi;
    requires org.conscrypt;
    exports dev.weft.tls.conscrypt;

    provides dev.weft.tls.spi.TlsBackend with dev.weft.tls.conscrypt.ConscryptTlsBackend;
}
