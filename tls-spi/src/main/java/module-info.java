/** The service-loader interface of TLS backends. It knows nothing of SMTP. */
@SuppressWarnings("module") // the two backends below are built after this module
module dev.weft.tls.spi {
    exports dev.weft.tls.spi;
    exports dev.weft.tls.spi.support to dev.weft.tls.jdk, dev.weft.tls.conscrypt;

    uses dev.weft.tls.spi.TlsBackend;
}
