package dev.weft.tls.conscrypt;

import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import dev.weft.tls.spi.support.ContextSupport;
import dev.weft.tls.spi.support.SslEngineDriver;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.conscrypt.Conscrypt;

/** A server context on Conscrypt. */
final class ConscryptServerContext implements TlsServerContext {
    private final ContextSupport support;
    private final ServerSettings settings;
    private final LentBuffers buffers;
    private volatile String[] suites;

    private ConscryptServerContext(ContextSupport support, ServerSettings settings) {
        this.support = support;
        this.settings = settings;
        this.buffers = new LentBuffers(support.pool());
        ContextSupport.limit(support.ssl().getServerSessionContext(), settings.sessionCacheSize(), settings.sessionTimeout());
        this.suites = suites(support);
    }

    /**
     * Those of Conscrypt's suites for which there is a key: before TLS 1.3 a suite names the kind (RFC 5246 appendix A.5, RFC
     * 8422 section 2). No other could be agreed on, yet each engine would read and ask about them all.
     */
    private static String[] suites(ContextSupport support) {
        var all = support.ssl().getServerSocketFactory().getDefaultCipherSuites(); // asking for parameters would make an engine
        return support.keyTypes()
                .map(types -> Arrays.stream(all).filter(suite -> usable(suite, types)).toArray(String[]::new))
                .orElse(all);
    }

    private static boolean usable(String suite, Set<String> types) {
        int with = suite.indexOf("_WITH_");
        return with < 0 || types.contains(suite.startsWith("ECDSA", with - 5) ? "EC" : "RSA");
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
            engine.setEnabledCipherSuites(suites);
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
        suites = suites(support);
    }

    @Override
    public int descriptorsPerEngine() {
        return ConscryptProvider.DESCRIPTORS;
    }

    @Override
    public void close() {
        // the context's native part is freed with its object
    }
}
