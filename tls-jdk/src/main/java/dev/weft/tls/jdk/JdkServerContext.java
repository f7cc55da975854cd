package dev.weft.tls.jdk;

import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import dev.weft.tls.spi.support.ContextSupport;
import dev.weft.tls.spi.support.SslEngineDriver;
import java.util.Optional;

/** A server context on the JDK's engine. */
final class JdkServerContext implements TlsServerContext {
    private final ContextSupport support;
    private final ServerSettings settings;

    JdkServerContext(ContextSupport support, ServerSettings settings) {
        this.support = support;
        this.settings = settings;
        ContextSupport.limit(support.ssl().getServerSessionContext(), settings.sessionCacheSize(), settings.sessionTimeout());
    }

    @Override
    public TlsEngine engine() throws TlsException {
        try {
            var engine = support.ssl().createSSLEngine();
            engine.setUseClientMode(false);
            engine.setEnabledProtocols(support.protocols());
            switch (settings.clientCertificates()) {
                case NONE -> { }
                case OPTIONAL -> engine.setWantClientAuth(true);
                case REQUIRED -> engine.setNeedClientAuth(true);
            }
            return SslEngineDriver.start(engine, false, Optional.empty(), support.pool());
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
