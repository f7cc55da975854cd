package dev.weft.tls.jdk;

import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.support.ContextSupport;
import dev.weft.tls.spi.support.ServerNames;
import dev.weft.tls.spi.support.SslEngineDriver;
import java.util.Optional;

/** A client context on the JDK's engine. */
final class JdkClientContext implements TlsClientContext {
    /** The engine's cache is keyed by host and port; ours is a single string, so the port is always the same. */
    private static final int PORT = 25;

    private final ContextSupport support;

    JdkClientContext(ContextSupport support, ClientSettings settings) {
        this.support = support;
        ContextSupport.limit(support.ssl().getClientSessionContext(), settings.sessionCacheSize(), settings.sessionTimeout());
    }

    @Override
    public TlsEngine engine(Optional<String> serverName, Optional<String> sessionKey) throws TlsException {
        var askedName = ServerNames.usable(serverName);
        try {
            var ssl = support.ssl();
            var engine = sessionKey.isPresent() ? ssl.createSSLEngine(sessionKey.get(), PORT) : ssl.createSSLEngine();
            engine.setUseClientMode(true);
            var parameters = engine.getSSLParameters();
            parameters.setProtocols(support.protocols());
            // Always set: otherwise the engine may take the session key for the server's name.
            parameters.setServerNames(ServerNames.of(askedName));
            engine.setSSLParameters(parameters);
            return SslEngineDriver.start(engine, false, askedName, support.pool());
        } catch (RuntimeException e) {
            throw ContextSupport.noEngine(e);
        }
    }

    @Override
    public void maintain() throws TlsException {
        support.reloadKeys();
    }

    @Override
    public void close() {
        // sessions and keys are the garbage collector's
    }
}
