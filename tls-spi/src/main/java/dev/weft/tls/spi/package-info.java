/**
 * TLS as the proxy needs it, without SMTP in it: {@link dev.weft.tls.spi.Backends} finds a {@link dev.weft.tls.spi.TlsBackend},
 * which makes contexts, which make one {@link dev.weft.tls.spi.TlsEngine} for each connection; afterwards
 * {@link dev.weft.tls.spi.TlsFacts} tell what came of the handshake and {@link dev.weft.tls.spi.CertificateJudge} what the peer's
 * certificates were worth.
 *
 * <p>No certificate makes a handshake fail. An opportunistic sender must take any, and a policy that wants more needs the same
 * verdict for a resumed session, in which no engine looks at certificates again. So whoever wants a peer verified
 * <b>must</b> ask the judge before it uses the connection.
 */
package dev.weft.tls.spi;
