package dev.weft.tls.conscrypt;

import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.support.ContextSupport;
import dev.weft.tls.spi.support.ServerNames;
import dev.weft.tls.spi.support.SessionStore;
import dev.weft.tls.spi.support.SslEngineDriver;
import java.util.Optional;
import org.conscrypt.Conscrypt;

/**
 * A client context on Conscrypt, whose session cache is keyed by the engine's host and port. The host is also the name asked for,
 * and setting another name changes the key; so the session key goes into the port, as a number that stands for it.
 */
final class ConscryptClientContext implements TlsClientContext {
    /** A host without a dot is never sent as a name. */
    private static final String NO_NAME = "none";

    private final ContextSupport support;
    private final LentBuffers buffers;
    private final SessionKeys keys;
    private final SessionStore store;

    private ConscryptClientContext(ContextSupport support, SessionStore store, int cacheSize) {
        this.support = support;
        this.buffers = new LentBuffers(support.pool());
        this.keys = new SessionKeys(cacheSize);
        this.store = store;
        Conscrypt.setClientSessionCache(support.ssl(), new KeptSessions(keys, store));
    }

    static ConscryptClientContext open(ClientSettings settings) throws TlsException {
        var support = ConscryptProvider.context(settings.keys(), settings.versions());
        int size = settings.sessionCacheSize();
        ContextSupport.limit(support.ssl().getClientSessionContext(), size, settings.sessionTimeout());
        var directory = settings.sessionDirectory();
        var store = directory.isPresent() ? SessionStore.open(directory.get(), size, settings.sessionTimeout())
                : SessionStore.inMemory(size, settings.sessionTimeout());
        return new ConscryptClientContext(support, store, size);
    }

    @Override
    public TlsEngine engine(Optional<String> serverName, Optional<String> sessionKey) throws TlsException {
        var askedName = ServerNames.usable(serverName).filter(name -> name.indexOf('.') > 0);
        try {
            // Without a host nothing is ever taken up, but without a host there is no name either: then the number is a new one.
            int number = sessionKey.map(keys::number).orElseGet(keys::unused);
            var engine = support.ssl().createSSLEngine(askedName.orElse(NO_NAME), number);
            engine.setUseClientMode(true);
            engine.setEnabledProtocols(support.protocols());
            Conscrypt.setUseSessionTickets(engine, true); // for TLS 1.2
            Conscrypt.setBufferAllocator(engine, buffers);
            // A server that has forgotten the session that Conscrypt offers would be offered it again and again.
            return SslEngineDriver.start(engine, true, askedName, support.pool(),
                    () -> sessionKey.ifPresent(key -> keys.renumber(key, number)));
        } catch (RuntimeException e) {
            throw ContextSupport.noEngine(e);
        }
    }

    @Override
    public void maintain() throws TlsException {
        try {
            support.reloadKeys();
        } finally {
            store.write();
        }
    }

    @Override
    public int descriptorsPerEngine() {
        return ConscryptProvider.DESCRIPTORS;
    }

    @Override
    public void close() {
        try {
            store.write();
        } catch (TlsException e) {
            return; // maintain() told so while somebody could hear it; what is lost is a few full handshakes
        }
    }
}
