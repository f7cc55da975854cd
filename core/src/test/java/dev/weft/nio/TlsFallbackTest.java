package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.nio.SecureServer.Manner;
import dev.weft.relay.TlsPolicy;
import dev.weft.testkit.RecordingHandler;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.testkit.TestCertificate;
import dev.weft.tls.testkit.TestCertificate.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SNIHostName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of mail where TLS towards the server does not come about. */
class TlsFallbackTest {

    private static final byte[] MESSAGE = "Subject: x\r\n\r\nhello\r\n".getBytes();

    static Stream<Arguments> failuresOfHandshakes() {
        return Stream.of("jdk", "conscrypt").flatMap(backend ->
                Stream.of(Manner.CLOSE, Manner.RESET, Manner.JUNK, Manner.STALL).map(manner -> Arguments.of(backend, manner)));
    }

    private static Rig rig(SecureServer server, RecordingHandler handler, TlsParts parts) throws Exception {
        return Rig.with(Interception.fixed(server.address())).handlers(handler).timeout("handshake", Duration.ofMillis(400))
                .tls(parts.config()).start();
    }

    private static Rig patientRig(SecureServer server, RecordingHandler handler, TlsParts parts) throws Exception {
        return Rig.with(Interception.fixed(server.address())).handlers(handler).tls(parts.config()).start();
    }

    private static void deliver(Rig rig) throws Exception {
        try (var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            client.message(MESSAGE);
            client.command("QUIT", 221);
        }
        rig.awaitIdle();
    }

    private static String refused(Rig rig) throws Exception {
        try (var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            var reply = client.command("MAIL FROM:<a@client.example>", 451);
            client.command("QUIT", 221);
            client.hangUp();
            rig.awaitIdle();
            return reply;
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("failuresOfHandshakes")
    void mayGoesOnInClearOverANewConnectionAndRemembers(String backend, Manner manner) throws Exception {
        var handler = new RecordingHandler();
        try (var server = SecureServer.start(manner); var rig = rig(server, handler, TlsParts.of(backend))) {
            deliver(rig);
            // With the name that it announced, without unless that cost time, and in clear.
            int clear = manner == Manner.STALL ? 2 : 3;
            assertThat(server.connections()).isEqualTo(clear);
            assertThat(server.lines()).contains(clear + " MAIL FROM:<a@client.example>").doesNotContain(clear + " STARTTLS");
            assertThat(handler.session().tlsFailure()).isPresent();
            assertThat(handler.session().serverTls()).isEmpty();
            assertThat(handler.lines("notice").toString()).contains("TLS_FALLBACK");

            deliver(rig);
            assertThat(server.connections()).as("remembered").isEqualTo(clear + 1);
            assertThat(server.lines()).doesNotContain(clear + 1 + " STARTTLS");
            assertThat(server.messages()).hasSize(2);
        }
    }

    @Test
    void whatIsRememberedIsForgottenInTime() throws Exception {
        try (var server = SecureServer.start(Manner.CLOSE);
                var rig = patientRig(server, new RecordingHandler(), TlsParts.of("jdk").brokenFor(Duration.ZERO))) {
            deliver(rig);
            server.manner(Manner.SECURE);
            deliver(rig);
            assertThat(server.lines()).contains("4 TLS MAIL FROM:<a@client.example>");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NOT_OFFERED", "REFUSE"})
    void mayGoesOnOnTheSameConnectionWhereTlsIsNotToBeHad(Manner manner) throws Exception {
        var handler = new RecordingHandler();
        try (var server = SecureServer.start(manner); var rig = rig(server, handler, TlsParts.of("jdk"))) {
            deliver(rig);
            assertThat(server.connections()).isEqualTo(1);
            assertThat(server.lines().stream().filter(line -> line.contains("EHLO"))).hasSize(1);
        }
    }

    static Stream<Arguments> everyFailure() {
        return Stream.of("jdk", "conscrypt").flatMap(backend -> Stream.of(Manner.values())
                .filter(manner -> manner != Manner.SECURE && manner != Manner.INJECT && manner != Manner.LESS_INSIDE)
                .map(manner -> Arguments.of(backend, manner)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("everyFailure")
    void encryptNeverFallsBack(String backend, Manner manner) throws Exception {
        var handler = new RecordingHandler();
        try (var server = SecureServer.start(manner);
                var rig = rig(server, handler, TlsParts.of(backend).policy(TlsPolicy.encrypt()))) {
            assertThat(refused(rig)).contains("4.7.5");
            assertThat(server.lines().toString()).doesNotContain("MAIL");
            assertThat(server.messages()).isEmpty();
            assertThat(handler.session().tlsFailure()).isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"may", "encrypt"})
    void textGluedToTheReplyToStarttlsIsAnAttack(String policy) throws Exception {
        try (var server = SecureServer.start(Manner.INJECT);
                var rig = rig(server, new RecordingHandler(),
                        TlsParts.of("jdk").policy(policy.equals("may") ? TlsPolicy.may() : TlsPolicy.encrypt()));
                var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            client.send("EHLO client.example\r\n");
            assertThat(client.line()).startsWith("4");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void verifyRefusesOtherNamesAndOtherIssuersAndExpiredOnes(String backend) throws Exception {
        var now = Instant.now();
        var bad = List.of(
                TlsParts.leaf(Kind.EC, "other.example"),
                TestCertificate.of(Kind.EC, "mx.example").names("mx.example").build(),
                TestCertificate.of(Kind.RSA, "mx.example").names("mx.example").issuer(TlsParts.CA)
                        .valid(now.minusSeconds(7200), now.minusSeconds(3600)).build());
        for (var certificate : bad) {
            var handler = new RecordingHandler();
            try (var server = new SecureServer(TlsParts.peer(certificate), Manner.SECURE);
                    var rig = patientRig(server, handler, TlsParts.of(backend).policy(TlsPolicy.verify("mx.example")))) {
                assertThat(refused(rig)).contains("4.7.5", "not verified");
                assertThat(server.lines().toString()).doesNotContain("MAIL");
                var peer = handler.session().serverTls().orElseThrow().peer();
                assertThat(peer.presented()).isTrue();
                assertThat(peer.verified()).isFalse();
            }
            try (var server = new SecureServer(TlsParts.peer(certificate), Manner.SECURE);
                    var rig = patientRig(server, handler, TlsParts.of(backend).policy(TlsPolicy.encrypt()))) {
                deliver(rig); // any certificate will do, and how it stood is on record
                assertThat(server.lines()).contains("1 TLS MAIL FROM:<a@client.example>");
                assertThat(handler.session().serverTls().orElseThrow().peer().verified()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void aServerThatRefusesTheNameIsAskedAgainWithout(String backend) throws Exception {
        try (var server = SecureServer.start(Manner.SECURE).named("unknown.example").tune(socket -> {
            var parameters = socket.getSSLParameters();
            parameters.setSNIMatchers(List.of(SNIHostName.createSNIMatcher("mx\\.example")));
            socket.setSSLParameters(parameters);
        }); var rig = patientRig(server, new RecordingHandler(), TlsParts.of(backend))) {
            deliver(rig);
            assertThat(server.lines()).contains("2 TLS MAIL FROM:<a@client.example>");
            assertThat(server.lines().toString()).contains("2 is TLSv1.3 for []");
        }
    }

    /** C38: at may an old version is not good enough, and clear text is better than no mail; it is on record. */
    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void aServerOfAnotherVersionGetsClearTextAtMayAndNothingAtEncrypt(String backend) throws Exception {
        var only12 = dev.weft.tls.spi.ClientSettings.builder().versions(dev.weft.tls.spi.TlsVersion.TLS_1_2).build();
        var handler = new RecordingHandler();
        try (var server = SecureServer.start(Manner.SECURE).tune(socket -> socket.setEnabledProtocols(new String[] {"TLSv1.3"}))) {
            try (var rig = patientRig(server, handler, TlsParts.of(backend).serverLeg(only12))) {
                deliver(rig);
                assertThat(handler.session().tlsFailure().orElseThrow()).containsIgnoringCase("protocol_version");
            }
            try (var rig = patientRig(server, handler, TlsParts.of(backend).serverLeg(only12).policy(TlsPolicy.encrypt()))) {
                assertThat(refused(rig)).containsIgnoringCase("protocol_version");
            }
        }
    }

    /** A want of descriptors here says nothing about the server. */
    @Test
    void aFaultOfOurOwnIsNoMarkAgainstTheServer() throws Exception {
        var failing = new boolean[] {true};
        var parts = TlsParts.of("jdk").around(real -> new TlsClientContext() {
            @Override
            public dev.weft.tls.spi.TlsEngine engine(java.util.Optional<String> name, java.util.Optional<String> key) throws TlsException {
                if (failing[0]) {
                    throw new TlsException("no TLS engine can be made: Too many open files");
                }
                return real.engine(name, key);
            }

            @Override
            public void maintain() {}

            @Override
            public void close() {
                real.close();
            }
        }, real -> real);
        try (var server = SecureServer.start(Manner.SECURE); var rig = patientRig(server, new RecordingHandler(), parts)) {
            deliver(rig);
            failing[0] = false;
            deliver(rig);
            assertThat(server.lines().toString()).contains("4 TLS MAIL");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void theServersCapabilitiesAreThoseInsideTls(String backend) throws Exception {
        try (var server = SecureServer.start(Manner.LESS_INSIDE); var rig = patientRig(server, new RecordingHandler(), TlsParts.of(backend));
                var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            assertThat(client.command("EHLO client.example", 250)).doesNotContain("PIPELINING", "8BITMIME", "STARTTLS");
            client.command("QUIT", 221);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void aClientThatSaysHeloIsServedInTlsToo(String backend) throws Exception {
        try (var server = SecureServer.start(Manner.SECURE);
                var rig = patientRig(server, new RecordingHandler(), TlsParts.of(backend).policy(TlsPolicy.encrypt()));
                var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            assertThat(client.command("HELO client.example", 250)).hasLineCount(1);
            client.command("MAIL FROM:<a@client.example>", 250);
            client.command("QUIT", 221);
            assertThat(server.lines()).contains("1 TLS MAIL FROM:<a@client.example>");
        }
    }
}
