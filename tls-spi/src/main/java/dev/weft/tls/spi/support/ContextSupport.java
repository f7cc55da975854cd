package dev.weft.tls.spi.support;

import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsVersion;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;

/** An {@link SSLContext} with what every engine of it needs. */
public final class ContextSupport {
    static {
        noEngine(new IllegalStateException("never thrown")); // loads what tells of a want of descriptors before there is one
    }

    private final SSLContext ssl;
    private final Optional<SwitchingKeyManager> keys;
    private final String[] protocols;
    private final BufferPool pool = new BufferPool();

    private ContextSupport(SSLContext ssl, Optional<SwitchingKeyManager> keys, Set<TlsVersion> versions) {
        this.ssl = ssl;
        this.keys = keys;
        this.protocols = versions.stream().sorted().map(TlsVersion::standardName).toArray(String[]::new);
    }

    /** Loads the keys and makes the context ready. */
    public static ContextSupport init(SSLContext ssl, Optional<KeyMaterial> material, UnaryOperator<PrivateKey> keyConversion,
            Set<TlsVersion> versions) throws TlsException {
        Optional<SwitchingKeyManager> own = Optional.empty();
        KeyManager[] managers = {};
        if (material.isPresent()) {
            var hosts = material.get().keyManager();
            if (hosts.isEmpty()) {
                own = Optional.of(SwitchingKeyManager.load(material.get(), keyConversion));
            }
            managers = new KeyManager[] {hosts.isPresent() ? new HostKeyManager(hosts.get()) : own.get()};
        }
        try {
            ssl.init(managers, new TrustManager[] {new AcceptAll()}, null);
        } catch (GeneralSecurityException | RuntimeException e) {
            throw new TlsException("the TLS context can't be made: " + Failures.of(e).reason(), e);
        }
        return new ContextSupport(ssl, own, versions);
    }

    /** Sizes one side's memory of sessions. */
    public static void limit(SSLSessionContext sessions, int size, Duration timeout) {
        sessions.setSessionCacheSize(size);
        sessions.setSessionTimeout((int) timeout.toSeconds());
    }

    public SSLContext ssl() {
        return ssl;
    }

    public String[] protocols() {
        return protocols.clone();
    }

    public BufferPool pool() {
        return pool;
    }

    /** The kinds of key that there are now, {@code RSA}, {@code EC}; empty where only the host's key manager knows. */
    public Optional<Set<String>> keyTypes() {
        return keys.map(SwitchingKeyManager::types);
    }

    public void reloadKeys() throws TlsException {
        if (keys.isPresent()) {
            keys.get().reload();
        }
    }

    /** What a failed creation of an engine comes to, such as Conscrypt's RuntimeException for want of file descriptors. */
    public static TlsException noEngine(RuntimeException e) {
        var reason = Failures.of(e).reason();
        // Conscrypt's words; the cause itself goes to standard error.
        var mend = reason.contains("Too many open files") || reason.contains("Unable to create application data")
                ? "; too many open files, probably: raise the limit (ulimit -n), each engine takes two" : "";
        return new TlsException("no TLS engine can be made: " + reason + mend, e);
    }
}
