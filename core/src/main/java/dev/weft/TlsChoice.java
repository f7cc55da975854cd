package dev.weft;

import dev.weft.nio.Tls;
import dev.weft.relay.TlsPolicy;
import dev.weft.session.Arrival.TlsOffer;
import dev.weft.tls.spi.Backends;
import dev.weft.tls.spi.CertificateJudge;
import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a host said about TLS, and the backend that carries it out. A named backend that can't run is an error, never changed
 * silently.
 */
final class TlsChoice {

    private static final Logger LOG = LoggerFactory.getLogger(SmtpProxy.class);

    String backend;
    TlsPolicy policy;
    ServerSettings clientLeg;
    ClientSettings serverLeg;
    boolean required;
    boolean passThrough;
    CertificateJudge judge;
    Duration brokenFor = Duration.ofMinutes(10);

    Tls.Config config(boolean implicit) {
        if (clientLeg == null && (required || implicit)) {
            throw new IllegalStateException((required ? "requireClientTls()" : "listenImplicitTls(...)")
                    + " needs a certificate: call clientTls(...)");
        }
        if (passThrough && clientLeg != null) {
            throw new IllegalStateException("passThroughClientTls() and clientTls(...) can't both be: either the server's"
                    + " certificate is shown to clients, or one of the proxy's own");
        }
        var backends = Backends.find();
        try {
            var chosen = backend != null ? Optional.of(backends.named(backend)) : backends.best();
            if (chosen.isEmpty()) {
                if (clientLeg != null || serverLeg != null || policy != null && policy.wanted()) {
                    throw new IllegalStateException("TLS is asked for, and no backend can do it: add weft-tls-conscrypt or"
                            + " weft-tls-jdk (" + backends.describe() + ")");
                }
                return new Tls.Config(
                        Optional.empty(), Optional.empty(), offer(), TlsPolicy.none(), Optional.empty(), brokenFor, 0);
            }
            return with(chosen.get());
        } catch (TlsException e) {
            throw new IllegalStateException("TLS: " + e.getMessage(), e);
        }
    }

    private TlsOffer offer() {
        if (passThrough) {
            return TlsOffer.PASS_THROUGH;
        }
        return clientLeg == null ? TlsOffer.NONE : required ? TlsOffer.REQUIRED : TlsOffer.OFFERED;
    }

    private Tls.Config with(TlsBackend chosen) throws TlsException {
        LOG.debug("TLS backend: {}", chosen.name());
        var settings = serverLeg != null ? serverLeg : ClientSettings.builder().build();
        var judged = judge != null ? judge : CertificateJudge.platform();
        // The client legs' keys first: the session directory is touched only if all the rest can be used.
        var server = clientLeg != null ? Optional.of(chosen.server(clientLeg)) : Optional.<TlsServerContext>empty();
        TlsClientContext client;
        try {
            client = chosen.client(settings);
        } catch (TlsException | RuntimeException e) {
            server.ifPresent(TlsServerContext::close);
            throw e;
        }
        if (settings.sessionDirectory().isPresent()) {
            LOG.info("TLS sessions are kept in {}: {}",
                    settings.sessionDirectory().get(), chosen.sessionKeeping(settings).limits());
        }
        return new Tls.Config(
                Optional.of(client), server, offer(), policy != null ? policy : TlsPolicy.may(), Optional.of(judged),
                brokenFor, Runtime.getRuntime().availableProcessors());
    }
}
