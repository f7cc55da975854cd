package dev.weft.tls.conscrypt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsFailure;
import dev.weft.tls.spi.TlsServerContext;
import dev.weft.tls.spi.support.AcceptAll;
import dev.weft.tls.spi.support.BufferPool;
import dev.weft.tls.spi.support.SslEngineDriver;
import dev.weft.tls.testkit.TestCertificate;
import dev.weft.tls.testkit.TlsPair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against an engine of the JDK's that is told more than the interface of backends can say. */
class ConscryptKeyChoiceTest {
    private static final TestCertificate RSA = TestCertificate.of(TestCertificate.Kind.RSA, "mx.example").build();
    private static final TestCertificate EC = TestCertificate.of(TestCertificate.Kind.EC, "mx.example").build();

    private static SSLEngine jdkEngine(String protocol, String... suites) throws Exception {
        var context = SSLContext.getInstance("TLS", "SunJSSE");
        context.init(null, new TrustManager[] {new AcceptAll()}, null);
        var engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(new String[] {protocol});
        if (suites.length > 0) {
            engine.setEnabledCipherSuites(suites);
        }
        return engine;
    }

    private static TlsEngine server(KeyMaterial material) throws Exception {
        return new ConscryptTlsBackend().server(ServerSettings.builder(material).build()).engine();
    }

    private static TlsEngine driven(SSLEngine engine) throws Exception {
        return SslEngineDriver.start(engine, false, Optional.empty(), new BufferPool());
    }

    @ParameterizedTest
    @CsvSource({
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, RSA",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, EC",
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, EC"})
    void clientGetsTheKindOfCertificateThatItCanUse(String suites, String kind) throws Exception {
        for (var material : Stream.of(RSA.material().and(EC.material()), EC.material().and(RSA.material())).toList()) {
            try (var pair = new TlsPair(driven(jdkEngine("TLSv1.2", suites.split(" "))), server(material)).handshake()) {
                var shown = pair.client().engine().facts().orElseThrow().peerChain().get(0);
                assertThat(shown.getPublicKey().getAlgorithm()).isEqualTo(kind);
            }
        }
    }

    /** Engines offer the suites of the keys that there are; a change of their kind has to change that too. */
    @Test
    void suitesFollowTheKindOfKeyThatTheFilesHold(@TempDir Path directory) throws Exception {
        var chain = directory.resolve("cert.pem");
        var key = directory.resolve("key.pem");
        write(EC, chain, key);
        try (var context = new ConscryptTlsBackend().server(ServerSettings.builder(KeyMaterial.pem(chain, key)).build())) {
            assertThat(agreed(context, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")).isTrue();
            assertThat(agreed(context, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")).isFalse();
            write(RSA, chain, key);
            context.maintain();
            assertThat(agreed(context, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")).isFalse();
            assertThat(agreed(context, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")).isTrue();
        }
    }

    private static void write(TestCertificate certificate, Path chain, Path key) throws IOException {
        Files.write(chain, certificate.chainPem());
        Files.write(key, certificate.keyPem());
    }

    private static boolean agreed(TlsServerContext context, String suite) throws Exception {
        try (var pair = new TlsPair(driven(jdkEngine("TLSv1.2", suite)), context.engine())) {
            pair.settle();
            return pair.client().engine().facts().map(facts -> facts.cipherSuite().equals(suite)).orElse(false);
        }
    }

    @Test
    void realRenegotiationIsRefused() throws Exception {
        var jdk = jdkEngine("TLSv1.2");
        try (var pair = new TlsPair(driven(jdk), server(EC.material())).handshake()) {
            pair.chat();
            jdk.beginHandshake();
            pair.settle();
            assertThat(pair.server().engine().failure()).map(TlsFailure::kind).contains(TlsFailure.Kind.RENEGOTIATION);
            assertThat(pair.client().engine().inboundClosed() || pair.client().engine().failure().isPresent()).isTrue();
        }
    }

    @Test
    void keyUpdateGoesOn() throws Exception {
        var jdk = jdkEngine("TLSv1.3");
        try (var pair = new TlsPair(driven(jdk), server(EC.material())).handshake()) {
            pair.chat();
            jdk.beginHandshake(); // in TLS 1.3: new keys
            pair.settle();
            pair.chat();
        }
    }
}
