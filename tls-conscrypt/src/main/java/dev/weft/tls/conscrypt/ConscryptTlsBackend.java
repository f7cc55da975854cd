package dev.weft.tls.conscrypt;

import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.SessionKeeping;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import dev.weft.tls.spi.TlsVersion;
import java.util.Optional;
import java.util.Set;
import org.conscrypt.Conscrypt;

/** The backend named {@code conscrypt}. */
public final class ConscryptTlsBackend implements TlsBackend {

    /** For the service loader. */
    public ConscryptTlsBackend() {}

    @Override
    public String name() {
        return "conscrypt";
    }

    @Override
    public Optional<String> unavailable() {
        if (Conscrypt.isAvailable()) {
            return Optional.empty();
        }
        return Optional.of("Conscrypt's native library did not load: it needs glibc 2.14 or later on x86-64 (2.17 on aarch64) "
                + "and a java.io.tmpdir that can be written to and executed from");
    }

    @Override
    public int priority() {
        return 100;
    }

    @Override
    public SessionKeeping sessionKeeping(ClientSettings settings) {
        if (!settings.versions().contains(TlsVersion.TLS_1_2)) {
            return new SessionKeeping(Set.of(),
                    "Conscrypt gives out sessions of TLS 1.2 only: offer TLS 1.2 too, or leave the session directory away");
        }
        return new SessionKeeping(Set.of(TlsVersion.TLS_1_2),
                "Conscrypt gives out sessions of TLS 1.2 only: with TLS 1.3 the first handshake after a restart is a full one");
    }

    @Override
    public TlsClientContext client(ClientSettings settings) throws TlsException {
        if (settings.sessionDirectory().isPresent() && !sessionKeeping(settings).possible()) {
            throw new TlsException("no session would ever be taken up from " + settings.sessionDirectory().get() + ": "
                    + sessionKeeping(settings).limits());
        }
        return ConscryptClientContext.open(settings);
    }

    @Override
    public TlsServerContext server(ServerSettings settings) throws TlsException {
        return ConscryptServerContext.open(settings);
    }
}
