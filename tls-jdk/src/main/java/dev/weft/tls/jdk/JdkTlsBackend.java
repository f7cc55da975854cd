package dev.weft.tls.jdk;

import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.SessionKeeping;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.spi.support.ContextSupport;
import java.security.GeneralSecurityException;
import java.security.Security;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;

/** The backend named {@code jdk}. */
public final class JdkTlsBackend implements TlsBackend {
    /** By name, since a host may have put another provider before it. */
    private static final String PROVIDER = "SunJSSE";
    private static final String MEMORY_ONLY = "the JDK's engine can't give out its sessions: leave the session directory away, or"
            + " use the conscrypt backend, which keeps those of TLS 1.2";

    /** For the service loader. */
    public JdkTlsBackend() {}

    @Override
    public String name() {
        return "jdk";
    }

    @Override
    public Optional<String> unavailable() {
        try {
            SSLContext.getInstance("TLS", PROVIDER);
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            return Optional.of("this Java runtime has no TLS (" + e.getMessage() + "): run it with the SunJSSE provider enabled");
        }
    }

    @Override
    public int priority() {
        return 0;
    }

    @Override
    public SessionKeeping sessionKeeping(ClientSettings settings) {
        return new SessionKeeping(Set.of(), MEMORY_ONLY);
    }

    @Override
    public TlsClientContext client(ClientSettings settings) throws TlsException {
        if (settings.sessionDirectory().isPresent()) {
            throw new TlsException("no session would ever be taken up from " + settings.sessionDirectory().get() + ": "
                    + MEMORY_ONLY);
        }
        return new JdkClientContext(context(settings.keys(), settings.versions()), settings);
    }

    @Override
    public TlsServerContext server(ServerSettings settings) throws TlsException {
        if (!settings.sessionTickets()) {
            throw new TlsException("sessionTickets is false, but the JDK's engine can do without tickets only in the whole JVM"
                    + " (-Djdk.tls.server.enableSessionTicketExtension=false): leave sessionTickets true, or use conscrypt");
        }
        return new JdkServerContext(context(Optional.of(settings.keys()), settings.versions()), settings);
    }

    private static ContextSupport context(Optional<KeyMaterial> keys, Set<TlsVersion> versions) throws TlsException {
        for (var version : versions) {
            if (isForbidden(version)) {
                throw new TlsException("the Java runtime forbids " + version.standardName()
                        + ": take it out of jdk.tls.disabledAlgorithms in java.security, or use the conscrypt backend");
            }
        }
        try {
            return ContextSupport.init(SSLContext.getInstance("TLS", PROVIDER), keys, UnaryOperator.identity(),
                    versions);
        } catch (GeneralSecurityException e) {
            throw new TlsException("this Java runtime has no TLS: " + e.getMessage(), e);
        }
    }

    /** The engine would leave such a version out without a word, and fail at each handshake if none is left. */
    private static boolean isForbidden(TlsVersion version) {
        var property = Security.getProperty("jdk.tls.disabledAlgorithms");
        if (property != null) {
            for (var algorithm : property.split(",")) {
                if (algorithm.strip().equalsIgnoreCase(version.standardName())) {
                    return true;
                }
            }
        }
        return false;
    }
}
