package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.intercept.Interception;
import dev.weft.intercept.Network;
import dev.weft.nio.SecureServer.Manner;
import dev.weft.relay.TlsPolicy;
import dev.weft.testkit.RecordingHandler;
import dev.weft.tls.spi.ClientCertificates;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.testkit.TestCertificate.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS as the clients see it: STARTTLS and implicit, certificates of both sides, and who tries to get round it. */
class TlsClientLegTest {

    /** The first octet of a record that holds an alert (RFC 8446 §5.1). */
    private static final int ALERT = 21;

    @TempDir
    Path directory;

    private static Rig rig(SecureServer server, TlsParts parts, RecordingHandler... handlers) throws Exception {
        return Rig.with(Interception.fixed(server.address())).handlers(handlers).tls(parts.policy(TlsPolicy.none()).config()).start();
    }

    /** -1 at the end, gentle or not. */
    private static int firstOctet(SecureClient client) throws IOException {
        try {
            return client.clear().getInputStream().read();
        } catch (java.net.SocketException e) {
            return -1;
        }
    }

    private static String shown(SSLSocket socket) throws IOException {
        return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSubjectX500Principal().getName();
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void theNameThatIsAskedForChoosesTheCertificate(String backend) throws Exception {
        var keys = TlsParts.leaf(Kind.EC, "one.example").material().and(TlsParts.leaf(Kind.EC, "two.example").material());
        try (var server = SecureServer.start(Manner.NOT_OFFERED); var rig = rig(server, TlsParts.of(backend).clientLeg(keys))) {
            for (var name : List.of("two.example", "one.example", "three.example", "")) {
                try (var client = SecureClient.connect(rig.address)) {
                    client.expect(220);
                    client.command("EHLO client.example", 250);
                    client.command("STARTTLS", 220);
                    var socket = client.handshake(TlsParts.peer(), name, tuned -> { });
                    assertThat(shown(socket)).isEqualTo(name.equals("two.example") ? "CN=two.example" : "CN=one.example");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void changedFilesAreTakenIntoUseWhileItRuns(String backend) throws Exception {
        var chain = directory.resolve("chain.pem");
        var key = directory.resolve("key.pem");
        var before = TlsParts.leaf(Kind.EC, "before.example");
        Files.write(chain, before.chainPem());
        Files.write(key, before.keyPem());
        try (var server = SecureServer.start(Manner.NOT_OFFERED);
                var rig = rig(server, TlsParts.of(backend).clientLeg(KeyMaterial.pem(chain, key)))) {
            assertThat(certificateOf(rig)).isEqualTo("CN=before.example");
            var after = TlsParts.leaf(Kind.RSA, "after.example");
            Files.write(chain, after.chainPem());
            Files.write(key, after.keyPem());
            rig.engine.tls().maintain(); // as every few seconds
            assertThat(certificateOf(rig)).isEqualTo("CN=after.example");

            Files.writeString(key, "no key");
            rig.engine.tls().maintain();
            assertThat(certificateOf(rig)).as("the former stays in use").isEqualTo("CN=after.example");
        }
    }

    private static String certificateOf(Rig rig) throws Exception {
        try (var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            return shown(client.startTls(TlsParts.peer()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void certificatesOfClientsAreOnRecordAndMayBeDemanded(String backend) throws Exception {
        for (var asked : List.of(ClientCertificates.OPTIONAL, ClientCertificates.REQUIRED)) {
            var handler = new RecordingHandler();
            var settings = ServerSettings.builder(TlsParts.EC.material()).clientCertificates(asked).build();
            try (var server = SecureServer.start(Manner.NOT_OFFERED);
                    var rig = rig(server, TlsParts.of(backend).clientLeg(settings), handler)) {
                for (var version : List.of("TLSv1.2", "TLSv1.3")) {
                    try (var client = SecureClient.connect(rig.address)) {
                        greet(client);
                        client.handshake(TlsParts.peer(TlsParts.leaf(Kind.EC, "client.example")), "",
                                socket -> socket.setEnabledProtocols(new String[] {version}));
                        client.command("EHLO client.example", 250);
                        client.command("QUIT", 221);
                    }
                    rig.awaitIdle();
                    var tls = handler.session().clientTls().orElseThrow();
                    assertThat(tls.peer().trusted()).isTrue();
                    assertThat(tls.facts().peerChain().get(0).getSubjectX500Principal().getName()).isEqualTo("CN=client.example");

                    try (var client = SecureClient.connect(rig.address)) {
                        greet(client);
                        var socket = client.clear();
                        if (asked == ClientCertificates.OPTIONAL) {
                            client.handshake(TlsParts.peer(), "", tuned -> tuned.setEnabledProtocols(new String[] {version}));
                            client.command("EHLO client.example", 250);
                        } else {
                            // The reason is an alert, not a connection that just ends.
                            assertThatThrownBy(() -> {
                                client.handshake(TlsParts.peer(), "", tuned -> tuned.setEnabledProtocols(new String[] {version}));
                                client.command("EHLO client.example", 250);
                            }).hasMessageMatching("(?s).*(bad_certificate|certificate_required|handshake_failure).*");
                        }
                        socket.close();
                    }
                    rig.awaitIdle();
                }
            }
        }
    }

    private static void greet(SecureClient client) throws IOException {
        client.expect(220);
        client.command("EHLO client.example", 250);
        client.command("STARTTLS", 220);
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void nothingPassesInClearWhereTlsIsRequired(String backend) throws Exception {
        try (var server = SecureServer.start(Manner.NOT_OFFERED);
                var rig = rig(server, TlsParts.of(backend).clientLeg(TlsParts.EC.material()).required());
                var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            assertThat(client.command("MAIL FROM:<a@client.example>", 530)).contains("5.7.0");
            client.startTls(TlsParts.peer());
            client.command("EHLO client.example", 250);
            client.message("x\r\n".getBytes());
            assertThat(server.messages()).hasSize(1);
        }
    }

    /** C53, on the wire: glued to STARTTLS, and behind it in a segment of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void commandsInClearBehindStarttlsAreNeverActedOn(String backend) throws Exception {
        try (var server = SecureServer.start(Manner.NOT_OFFERED);
                var rig = rig(server, TlsParts.of(backend).clientLeg(TlsParts.EC.material()))) {
            try (var client = SecureClient.connect(rig.address)) {
                client.expect(220);
                client.command("EHLO client.example", 250);
                client.send("STARTTLS\r\nNOOP\r\nMAIL FROM:<x@example.com>\r\n");
                client.line(); // 220, or nothing
                assertThatThrownBy(() -> {
                    client.handshake(TlsParts.peer(), "", socket -> { });
                    client.command("NOOP", 250);
                }).isInstanceOf(IOException.class);
            }
            try (var client = SecureClient.connect(rig.address)) {
                client.expect(220);
                client.command("EHLO client.example", 250);
                client.command("STARTTLS", 220);
                client.send("NOOP\r\nMAIL FROM:<x@example.com>\r\n");
                assertThat(firstOctet(client)).isIn(-1, ALERT);
            }
            rig.awaitIdle();
            assertThat(server.lines().toString()).doesNotContain("NOOP").doesNotContain("MAIL");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void starttlsIsOfferedOnceAndTakesNoArgument(String backend) throws Exception {
        try (var server = SecureServer.start(Manner.SECURE);
                var rig = rig(server, TlsParts.of(backend).clientLeg(TlsParts.EC.material()));
                var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            client.command("STARTTLS now", 501);
            client.startTls(TlsParts.peer());
            client.command("MAIL FROM:<a@client.example>", 503);
            assertThat(client.command("EHLO client.example", 250)).doesNotContain("STARTTLS");
            client.command("STARTTLS", 503);
            client.command("MAIL FROM:<a@client.example>", 250);
            client.command("QUIT", 221);
            assertThat(server.lines().stream().filter(line -> line.contains("EHLO"))).as("asked once").hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void implicitTlsBeginsWithTheHandshake(String backend) throws Exception {
        var handler = new RecordingHandler();
        var config = TlsParts.of(backend).clientLeg(TlsParts.EC.material()).policy(TlsPolicy.none()).config();
        try (var server = SecureServer.start(Manner.NOT_OFFERED);
                var rig = Rig.with(Interception.fixed(server.address())).handlers(handler).tls(config).implicitTls()
                        .timeout("handshake", Duration.ofSeconds(2)).maxPerClient(1).start()) {
            try (var client = SecureClient.connect(rig.address)) {
                client.handshake(TlsParts.peer(), "", socket -> { });
                client.expect(220);
                assertThat(client.command("EHLO client.example", 250)).doesNotContain("STARTTLS");
                try (var second = SecureClient.connect(rig.address)) {
                    second.handshake(TlsParts.peer(), "", socket -> { });
                    second.expect(421); // inside TLS: the limit of a client
                }
                client.message("x\r\n".getBytes());
                client.command("QUIT", 221);
            }
            rig.awaitIdle();
            assertThat(handler.session().clientTls()).isPresent();

            try (var silent = SecureClient.connect(rig.address)) {
                assertThat(firstOctet(silent)).isIn(-1, ALERT);
            }
            try (var plain = SecureClient.connect(rig.address)) {
                plain.send("EHLO client.example\r\n");
                assertThat(firstOctet(plain)).isIn(-1, ALERT);
            }
            rig.awaitIdle();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void aProxyHeaderComesBeforeImplicitTlsInOneSegmentOrTwo(String backend) throws Exception {
        var handler = new RecordingHandler();
        var config = TlsParts.of(backend).clientLeg(TlsParts.EC.material()).policy(TlsPolicy.none()).config();
        try (var server = SecureServer.start(Manner.NOT_OFFERED);
                var rig = Rig.with(Interception.proxyProtocol(List.of(Network.parse("127.0.0.0/8")))).handlers(handler).tls(config).implicitTls().start()) {
            for (var glued : List.of(true, false)) {
                try (var client = SecureClient.connect(rig.address)) {
                    var header = "PROXY TCP4 192.0.2.7 " + InetAddress.getLoopbackAddress().getHostAddress() + " 4321 "
                            + server.address().getPort() + "\r\n";
                    if (!glued) {
                        client.send(header);
                    }
                    var context = TlsParts.peer();
                    if (glued) {
                        try (var glue = new Glue(client.clear(), header)) {
                            client.handshakeOver(glue, context);
                            client.expect(220);
                            client.command("QUIT", 221);
                        }
                    } else {
                        client.handshake(context, "", socket -> { });
                        client.expect(220);
                        client.command("QUIT", 221);
                    }
                }
                rig.awaitIdle();
                assertThat(handler.session().client().getAddress().getHostAddress()).isEqualTo("192.0.2.7");
                assertThat(handler.session().clientTls()).isPresent();
            }
        }
    }
}
