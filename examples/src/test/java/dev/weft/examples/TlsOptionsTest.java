package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The standalone proxy with TLS: one with a certificate stands in for a server with STARTTLS, another is its client. */
class TlsOptionsTest {

    @TempDir
    private Path directory;

    private Path certificate;
    private Path key;

    @BeforeEach
    void aCertificate() throws IOException {
        var made = ThrowAwayCertificate.make(ThrowAwayCertificate.Kind.EC, "mx.example.net");
        certificate = Files.write(directory.resolve("cert.pem"), made.certificatePem());
        key = Files.write(directory.resolve("key.pem"), made.keyPem());
    }

    private StandaloneProxy proxy(String to, String... options) throws IOException {
        var all = new ArrayList<>(List.of("--listen", "127.0.0.1:0", "--to", to, "--log", "-"));
        all.addAll(List.of(options));
        return StandaloneProxy.start(directory, all.toArray(String[]::new));
    }

    private String[] withCertificate() {
        return new String[] {"--tls", "none", "--cert", certificate.toString(), "--key", key.toString(), "--require-tls"};
    }

    @Test
    void theEventLogTellsTheTlsOfEachLeg() throws Exception {
        try (var server = ScriptedServer.start();
                var far = proxy(EventJson.address(server.address()), withCertificate());
                var near = proxy(EventJson.address(far.address()), "--tls", "verify", "--verify-name", "mx.example.net",
                        "--trust", certificate.toString(), "--tls-backend", "jdk")) {
            try (var client = ScriptedClient.connect(near.address())) {
                client.expect(220);
                client.command("EHLO a.example.com", 250);
                client.command("MAIL FROM:<a@example.com>", 250);
                client.command("QUIT", 221);
                client.readToEnd();
            }
            var tls = tls(closed(near), "server_tls");
            assertThat(tls).containsKeys("version", "cipher").containsEntry("resumed", false);
            assertThat(object(tls, "peer")).containsEntry("trusted", true).containsEntry("expired", false)
                    .containsEntry("self_signed", true).containsEntry("names", List.of("mx.example.net"))
                    .containsEntry("matched", "mx.example.net");
            var clientTls = tls(closed(far), "client_tls");
            assertThat(clientTls).containsEntry("version", tls.get("version")).doesNotContainKey("peer");
        }
    }

    @Test
    void aClientsStartTlsPassesThroughToTheServer() throws Exception {
        try (var server = ScriptedServer.start();
                var far = proxy(EventJson.address(server.address()), withCertificate());
                var near = proxy(EventJson.address(far.address()), "--tls-pass-through")) {
            try (var client = ScriptedClient.connect(near.address())) {
                client.expect(220);
                assertThat(client.command("EHLO a.example.com", 250)).contains("STARTTLS");
                client.command("STARTTLS", 220);
                client.send("no TLS");
                client.readToEnd();
            }
            assertThat(closed(near)).containsEntry("tls_passed_through", true).doesNotContainKeys("client_tls", "server_tls");
            // What came was the far one's to judge.
            assertThat(closed(far).get("detail").toString()).contains("no TLS");
        }
    }

    @Test
    void aPolicyThatCannotBeMetIsInTheLogAsANoticeAndAFailure() throws Exception {
        try (var server = ScriptedServer.start();
                var near = proxy(EventJson.address(server.address()), "--tls", "encrypt")) {
            try (var client = ScriptedClient.connect(near.address())) {
                client.expect(220);
                client.command("EHLO a.example.com", 250);
                client.command("MAIL FROM:<a@example.com>", 451);
                client.command("QUIT", 221);
                client.readToEnd();
            }
            near.terminate();
            assertThat(near.exitCode()).isZero();
            assertThat(near.events()).anySatisfy(event -> assertThat(event).containsEntry("event", "notice")
                    .containsEntry("kind", "tls_unmet").containsKey("detail"));
            assertThat(near.events()).last().satisfies(event -> assertThat(event).containsEntry("event", "session_closed")
                    .containsKey("tls_failure").doesNotContainKeys("server_tls", "client_tls"));
        }
    }

    @Test
    void whatCannotBeHadExitsWith1AndOneLineThatNamesTheOption() throws IOException {
        var text = Files.writeString(directory.resolve("text"), "no PEM");
        var open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        fails("--tls-backend: there is no TLS backend named \"openssl\"", "--tls-backend", "openssl");
        fails("--cert: " + directory + "/none", "--cert", directory + "/none", "--key", key.toString());
        fails("--cert: ", "--cert", text.toString(), "--key", key.toString());
        fails("--trust: " + directory + "/none", "--trust", directory + "/none");
        fails("--tls-cache: ", "--tls-cache", directory + "/cache", "--tls-backend", "jdk");
        fails(open.toString(), "--tls-cache", open.toString(), "--tls-backend", "conscrypt");
        assertThat(directory.resolve("cache")).doesNotExist();
    }

    private static void fails(String part, String... options) {
        var all = new ArrayList<>(List.of("--listen", "127.0.0.1:0", "--to", "127.0.0.1:25"));
        all.addAll(List.of(options));
        var err = new ByteArrayOutputStream();
        int exit = WeftProxy.run(all.toArray(String[]::new), System.out, new PrintStream(err, true, StandardCharsets.UTF_8));
        var lines = err.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(exit).as(lines.toString()).isEqualTo(1);
        // Before it there may be a line on what a cache can keep.
        assertThat(lines.get(lines.size() - 1)).startsWith("weft-proxy: ").contains(part);
    }

    private static Map<String, Object> closed(StandaloneProxy proxy) throws Exception {
        proxy.terminate();
        assertThat(proxy.exitCode()).isZero();
        var sessions = proxy.events().stream().filter(event -> event.get("event").equals("session_closed")).toList();
        assertThat(sessions).hasSize(1);
        return sessions.get(0);
    }

    private static Map<String, Object> tls(Map<String, Object> event, String leg) {
        assertThat(event).containsKey(leg);
        return object(event, leg);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Map<String, Object> object, String name) {
        return (Map<String, Object>) object.get(name);
    }
}
