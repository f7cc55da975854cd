package dev.weft.examples;

import dev.weft.SmtpProxyBuilder;
import dev.weft.relay.TlsPolicy;
import dev.weft.tls.spi.Backends;
import dev.weft.tls.spi.CertificateJudge;
import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsException;
import java.util.Optional;
import java.util.function.Consumer;

/** The standalone proxy's TLS options, put into the builder. What can't be had is told with the option's name. */
final class TlsSetup {

    private final ProxyOptions options;
    private final Consumer<String> note;

    TlsSetup(ProxyOptions options, Consumer<String> note) {
        this.options = options;
        this.note = note;
    }

    void configure(SmtpProxyBuilder builder) {
        if (options.tlsBackend != null) {
            needed("--tls-backend", () -> Backends.find().named(options.tlsBackend));
            builder.tlsBackend(options.tlsBackend);
        }
        if (options.tls != null) {
            builder.serverTls(switch (options.tls) {
                case NONE -> TlsPolicy.none();
                case MAY -> TlsPolicy.may();
                case ENCRYPT -> TlsPolicy.encrypt();
                case VERIFY -> TlsPolicy.verify(options.verifyNames.toArray(String[]::new));
            });
        }
        if (options.trust != null) {
            builder.trust(needed("--trust", () -> CertificateJudge.trusting(options.trust)));
        }
        if (options.tlsCache != null) {
            builder.serverTlsSettings(cached());
        }
        if (!options.certificates.isEmpty()) {
            var keys = keys();
            needed("--cert", keys::load);
            builder.clientTls(keys);
        }
        if (options.requireTls) {
            builder.requireClientTls();
        }
        if (options.passThrough) {
            builder.passThroughClientTls();
        }
        for (var address : options.implicitTls) {
            builder.listenImplicitTls(address.getAddress().getHostAddress(), address.getPort());
        }
    }

    private KeyMaterial keys() {
        KeyMaterial all = null;
        for (int i = 0; i < options.certificates.size(); i++) {
            var pair = KeyMaterial.pem(options.certificates.get(i), options.keys.get(i));
            all = all == null ? pair : all.and(pair);
        }
        return all;
    }

    /** A directory that keeps only some of the sessions is used, with a word about it; one that keeps none is refused. */
    private ClientSettings cached() {
        var settings = ClientSettings.builder().sessionDirectory(options.tlsCache).build();
        var backend = needed("--tls-cache", this::backend);
        backend.map(chosen -> chosen.sessionKeeping(settings)).ifPresent(keeping -> {
            if (!keeping.possible()) {
                throw new IllegalStateException("--tls-cache: " + keeping.limits());
            }
            if (!keeping.limits().isEmpty()) {
                note.accept("--tls-cache: " + keeping.limits());
            }
        });
        return settings;
    }

    private Optional<TlsBackend> backend() throws TlsException {
        var backends = Backends.find();
        return options.tlsBackend == null ? backends.best() : Optional.of(backends.named(options.tlsBackend));
    }

    private interface Step<T> {
        T take() throws TlsException;
    }

    private static <T> T needed(String option, Step<T> step) {
        try {
            return step.take();
        } catch (TlsException e) {
            throw new IllegalStateException(option + ": " + e.getMessage(), e);
        }
    }
}
