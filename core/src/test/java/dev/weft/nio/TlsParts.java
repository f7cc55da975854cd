package dev.weft.nio;

import dev.weft.relay.TlsPolicy;
import dev.weft.session.Arrival.TlsOffer;
import dev.weft.tls.spi.Backends;
import dev.weft.tls.spi.CertificateJudge;
import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import dev.weft.tls.testkit.TestCertificate;
import dev.weft.tls.testkit.TestCertificate.Kind;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Collects what a proxy's TLS is made from in a test, and makes the peers' contexts, which are the JDK's. */
final class TlsParts {

    static final TestCertificate CA = TestCertificate.of(Kind.EC, "Test CA").authority().build();
    static final TestCertificate RSA = leaf(Kind.RSA, "mx.example");
    static final TestCertificate EC = leaf(Kind.EC, "mx.example");

    private final TlsBackend backend;
    private Optional<ServerSettings> clientLeg = Optional.empty();
    private ClientSettings serverLeg = ClientSettings.builder().build();
    private TlsPolicy policy = TlsPolicy.may();
    private boolean required;
    private Duration brokenFor = Duration.ofMinutes(10);
    private int workers = 2;
    private UnaryOperator<TlsClientContext> aroundClient = UnaryOperator.identity();
    private UnaryOperator<TlsServerContext> aroundServer = UnaryOperator.identity();

    private TlsParts(String backend) throws TlsException {
        this.backend = Backends.find().named(backend);
    }

    static TlsParts of(String backend) throws TlsException {
        return new TlsParts(backend);
    }

    static TestCertificate leaf(Kind kind, String... names) {
        return TestCertificate.of(kind, names[0]).names(names).issuer(CA).build();
    }

    TlsParts clientLeg(KeyMaterial keys) {
        return clientLeg(ServerSettings.builder(keys).build());
    }

    TlsParts clientLeg(ServerSettings settings) {
        clientLeg = Optional.of(settings);
        return this;
    }

    TlsParts serverLeg(ClientSettings settings) {
        serverLeg = settings;
        return this;
    }

    TlsParts policy(TlsPolicy chosen) {
        policy = chosen;
        return this;
    }

    TlsParts required() {
        required = true;
        return this;
    }

    TlsParts brokenFor(Duration time) {
        brokenFor = time;
        return this;
    }

    TlsParts workers(int count) {
        workers = count;
        return this;
    }

    TlsParts around(UnaryOperator<TlsClientContext> client, UnaryOperator<TlsServerContext> server) {
        aroundClient = client;
        aroundServer = server;
        return this;
    }

    Tls.Config config() throws TlsException {
        Optional<TlsServerContext> server = Optional.empty();
        if (clientLeg.isPresent()) {
            server = Optional.of(aroundServer.apply(backend.server(clientLeg.get())));
        }
        return new Tls.Config(Optional.of(aroundClient.apply(backend.client(serverLeg))), server,
                server.isEmpty() ? TlsOffer.NONE : required ? TlsOffer.REQUIRED : TlsOffer.OFFERED, policy,
                Optional.of(CertificateJudge.trusting(List.of(CA.certificate()))), brokenFor, workers);
    }

    /** A context for a peer of the proxy's, which trusts anybody. */
    static SSLContext peer(TestCertificate... keys) throws GeneralSecurityException {
        var context = SSLContext.getInstance("TLS");
        KeyManager[] managers = {};
        if (keys.length > 0) {
            var store = KeyStore.getInstance("PKCS12");
            try {
                store.load(null, null);
            } catch (java.io.IOException e) {
                throw new GeneralSecurityException(e);
            }
            for (int i = 0; i < keys.length; i++) {
                var certified = keys[i].certified();
                store.setKeyEntry("key" + i, certified.key(), new char[0], certified.chain().toArray(X509Certificate[]::new));
            }
            var factory = KeyManagerFactory.getInstance("SunX509");
            factory.init(store, new char[0]);
            managers = factory.getKeyManagers();
        }
        context.init(managers, new TrustManager[] {new Anybody()}, new SecureRandom());
        return context;
    }

    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
