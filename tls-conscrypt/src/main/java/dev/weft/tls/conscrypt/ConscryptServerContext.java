package dev.weft.tls.conscrypt;

import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import dev.weft.tls.spi.support.ContextSupport;
import dev.weft.tls.spi.support.SslEngineDriver;
import java.util.Optional;
import org.conscrypt.Conscrypt;

/** A server context on Conscrypt. */
final class ConscryptServerContext implements TlsServerContext {
    private final ContextSupport support;
    private final ServerSettings settings;
    private final LentBuffers buffers;

    private ConscryptServerContext(ContextSupport support, ServerSettings settings) {
        this.support = support;
        this.settings = settings;
        this.buffers = new LentBuffers(support.pool());
        ContextSupport.limit(support.ssl().getServerSessionContext(), settings.sessionCacheSize(), settings.sessionTimeout());
    }

    static ConscryptServerContext open(ServerSettings settings) throws TlsException {
        return new ConscryptServerContext(ConscryptProvider.context(Optional.of(settings.keys()), settings.versions()), settings);
    }

    @Override
    public TlsEngine engine() throws TlsException {
        try {
            var engine = support.ssl().createSSLEngine();
            engine.setUseClientMode(false);
            engine.setEnabledProtocols(support.protocols());
            // Off by default, and with it all resumption of TLS 1.3.
            Conscrypt.setUseSessionTickets(engine, settings.sessionTickets());
            Conscrypt.setBufferAllocator(engine, buffers);
            switch (settings.clientCertificates()) {
                case NONE -> { }
                case OPTIONAL -> engine.setWantClientAuth(true);
                case REQUIRED -> engine.setNeedClientAuth(true);
            }
            return SslEngineDriver.start(engine, true, Optional.empty(), support.pool());
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
        // the context's native part is freed with its object
    }
}
