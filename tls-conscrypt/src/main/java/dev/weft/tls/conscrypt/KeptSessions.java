package dev.weft.tls.conscrypt;

import dev.weft.tls.spi.support.SessionStore;
import javax.net.ssl.SSLSession;
import org.conscrypt.SSLClientSessionCache;

/**
 * What Conscrypt asks when its memory has no session, and tells of each new one that may be used more than once (TLS 1.2). It
 * always has the latest one, while Conscrypt's own memory offers the first one of a key for as long as that is valid.
 */
final class KeptSessions implements SSLClientSessionCache {
    private final SessionKeys keys;
    private final SessionStore store;

    KeptSessions(SessionKeys keys, SessionStore store) {
        this.keys = keys;
        this.store = store;
    }

    @Override
    public byte[] getSessionData(String host, int port) {
        return keys.key(port).flatMap(key -> store.get(fullKey(host, key))).orElse(null);
    }

    @Override
    public void putSessionData(SSLSession session, byte[] sessionData) {
        keys.key(session.getPeerPort()).ifPresent(key -> store.put(fullKey(session.getPeerHost(), key), sessionData));
    }

    private static String fullKey(String host, String key) {
        return host + ' ' + key;
    }
}
