package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.relay.TlsPolicy;
import dev.weft.testkit.RecordingHandler;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.testkit.TestCertificate;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mail passes octet for octet, whichever leg is in TLS, with either backend. */
class TlsRelayTest {

    private enum Legs {
        BOTH, CLIENT, SERVER, NONE;

        boolean client() {
            return this == BOTH || this == CLIENT;
        }

        boolean server() {
            return this == BOTH || this == SERVER;
        }
    }

    private static final byte[] LARGE = message(5_000_000, new Random(5));

    static Stream<Arguments> waysAndBackends() {
        return Stream.of("jdk", "conscrypt").flatMap(backend -> Stream.of(Legs.values()).map(legs -> Arguments.of(backend, legs)));
    }

    /** Lines of many lengths, dots at their begin stuffed, ending in CRLF. */
    static byte[] message(int size, Random random) {
        var out = new ByteArrayOutputStream();
        while (out.size() < size - 2) {
            int line = Math.min(random.nextInt(1, 900), size - 2 - out.size());
            for (int i = 0; i < line; i++) {
                int octet = 32 + random.nextInt(224);
                if (i == 0 && octet == '.') {
                    octet = ',';
                }
                out.write(octet);
            }
            if (out.size() < size - 4) {
                out.write('\r');
                out.write('\n');
                if (random.nextInt(20) == 0 && out.size() < size - 6) {
                    out.write('.');
                    out.write('.');
                }
            }
        }
        out.write('\r');
        out.write('\n');
        return out.toByteArray();
    }

    @ParameterizedTest(name = "{0}, TLS on {1}")
    @MethodSource("waysAndBackends")
    void messagesOfAllSizesPassOctetForOctet(String backend, Legs legs) throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        var parts = TlsParts.of(backend).policy(legs.server() ? TlsPolicy.encrypt() : TlsPolicy.none());
        if (legs.client()) {
            parts.clientLeg(TlsParts.EC.material());
        }
        var handler = new RecordingHandler();
        try (var server = SecureServer.start(SecureServer.Manner.SECURE);
                var rig = Rig.with(Interception.fixed(server.address())).handlers(handler).tls(parts.config()).start();
                var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            var offered = client.command("EHLO client.example", 250);
            assertThat(offered.contains("STARTTLS")).isEqualTo(legs.client());
            if (legs.client()) {
                client.startTls(TlsParts.peer());
                assertThat(client.command("EHLO client.example", 250)).doesNotContain("STARTTLS").contains("PIPELINING");
            }
            var sizes = List.of(3, 1000, 16_381, 16_384, 16_385, 33_000, 5_000_000);
            var sent = sizes.stream().map(size -> size < LARGE.length ? message(size, random) : LARGE).toList();
            for (var message : sent) {
                client.message(message);
            }
            client.command("QUIT", 221);
            assertThat(client.line()).as("the end").isNull();
            client.hangUp();
            rig.awaitIdle();
            assertThat(server.messages()).as("seed " + seed).hasSameSizeAs(sent);
            for (int i = 0; i < sent.size(); i++) {
                assertThat(server.messages().get(i)).as("message of %s, seed %s", sizes.get(i), seed).isEqualTo(sent.get(i));
            }
            assertThat(handler.session().clientTls().isPresent()).isEqualTo(legs.client());
            assertThat(handler.session().serverTls().isPresent()).isEqualTo(legs.server());
            var mail = server.lines().stream().filter(line -> line.contains("MAIL FROM")).findFirst().orElseThrow();
            assertThat(mail.startsWith("1 TLS")).isEqualTo(legs.server());
        }
    }

    static Stream<Arguments> kindsAndVersions() {
        return Stream.of("jdk", "conscrypt").flatMap(backend -> Stream.of(TlsParts.RSA, TlsParts.EC)
                .flatMap(key -> Stream.of(TlsVersion.TLS_1_2, TlsVersion.TLS_1_3).map(version -> Arguments.of(backend, key, version))));
    }

    @ParameterizedTest(name = "{0} {2}")
    @MethodSource("kindsAndVersions")
    void bothVersionsAndKindsOfKeyServeBothLegs(String backend, TestCertificate key, TlsVersion version) throws Exception {
        var handler = new RecordingHandler();
        var parts = TlsParts.of(backend).policy(TlsPolicy.verify("mx.example"))
                .clientLeg(ServerSettings.builder(key.material()).versions(version).build());
        try (var server = new SecureServer(TlsParts.peer(key), SecureServer.Manner.SECURE)
                .tune(socket -> socket.setEnabledProtocols(new String[] {version.standardName()}));
                var rig = Rig.with(Interception.fixed(server.address())).handlers(handler).tls(parts.config()).start();
                var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            var secure = client.startTls(TlsParts.peer());
            assertThat(secure.getSession().getProtocol()).isEqualTo(version.standardName());
            client.command("EHLO client.example", 250);
            client.message("Subject: x\r\n\r\nhello\r\n".getBytes());
            client.command("QUIT", 221);
            client.hangUp();
            rig.awaitIdle();
            var record = handler.session();
            assertThat(record.clientTls().orElseThrow().facts().version()).isEqualTo(version);
            assertThat(record.serverTls().orElseThrow().facts().version()).isEqualTo(version);
            assertThat(record.serverTls().orElseThrow().peer().verified()).isTrue();
            assertThat(record.serverTls().orElseThrow().facts().serverName()).contains("mx.example");
        }
    }

    /** What the client sent goes to the server in one go, and its answers come in order. */
    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void pipelinedTransactionsPass(String backend) throws Exception {
        var parts = TlsParts.of(backend).policy(TlsPolicy.encrypt()).clientLeg(TlsParts.EC.material());
        try (var server = SecureServer.start(SecureServer.Manner.SECURE);
                var rig = Rig.with(Interception.fixed(server.address())).tls(parts.config()).start();
                var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            client.startTls(TlsParts.peer());
            client.command("EHLO client.example", 250);
            int rcpts = 500;
            client.send("MAIL FROM:<a@client.example>\r\n" + "RCPT TO:<b@mx.example>\r\n".repeat(rcpts) + "DATA\r\n");
            for (int i = 0; i <= rcpts; i++) {
                client.expect(250);
            }
            client.expect(354);
            client.send("x\r\n.\r\nRSET\r\nNOOP\r\nQUIT\r\n");
            client.expect(250);
            client.expect(250);
            client.expect(250);
            client.expect(221);
            assertThat(client.line()).isNull();
            assertThat(server.messages()).hasSize(1);
        }
    }

    /** One byte of a record a segment, from the client's side: records come apart in every place. */
    @Test
    void recordsMayComeByteByByte() throws Exception {
        for (var backend : List.of("jdk", "conscrypt")) {
            var parts = TlsParts.of(backend).policy(TlsPolicy.none()).clientLeg(TlsParts.EC.material());
            try (var server = SecureServer.start(SecureServer.Manner.SECURE);
                    var rig = Rig.with(Interception.fixed(server.address())).tls(parts.config()).start();
                    var drip = new Drip(rig.address, 1);
                    var client = SecureClient.connect(drip.address())) {
                client.expect(220);
                client.command("EHLO client.example", 250);
                client.startTls(TlsParts.peer());
                client.command("EHLO client.example", 250);
                client.message("Subject: x\r\n\r\nhello\r\n".getBytes());
                client.command("QUIT", 221);
                assertThat(server.messages()).hasSize(1);
            }
        }
    }
}
