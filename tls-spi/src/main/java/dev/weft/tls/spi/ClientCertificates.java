package dev.weft.tls.spi;

/** Whether a server asks its clients for a certificate. Any is accepted in the handshake; {@link CertificateJudge} judges it. */
public enum ClientCertificates {
    /** Not asked for. */
    NONE,
    /** Asked for, and the connection goes on without. */
    OPTIONAL,
    /** Asked for; without one the handshake fails. */
    REQUIRED
}
