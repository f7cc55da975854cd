package dev.weft.tls.spi;

import java.util.Optional;

/** Makes engines that act as TLS clients. Any certificate is accepted in the handshake: see {@link CertificateJudge}. */
public interface TlsClientContext extends TlsContext {

    /**
     * Makes an engine for one connection.
     *
     * @param serverName the name to ask for (SNI); empty sends none. A hint: what can't be sent as a name (an address; with
     *     some engines a name without a dot) is left out, and the facts say what was asked for
     * @param sessionKey names the sessions that this connection may take up and will leave behind: only connections whose
     *     server, asked and verified names and policy are the same may have the same key. Any string that is not empty; empty
     *     means a full handshake always
     * @return the engine, which starts with {@code wrap}
     * @throws TlsException if none can be made, for want of file descriptors for example
     */
    TlsEngine engine(Optional<String> serverName, Optional<String> sessionKey) throws TlsException;
}
