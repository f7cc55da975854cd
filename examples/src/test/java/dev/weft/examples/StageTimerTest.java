package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.testkit.ScriptedServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StageTimerTest {

    @TempDir
    private Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return StageTimer.run(arguments, new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void everyStepInClearIsARowOfTheTable() throws Exception {
        try (var server = ScriptedServer.start()) {
            int exit = run(EventJson.address(server.address()), "--concurrency", "2,3", "--rounds", "2", "--messages", "1");
            assertThat(exit).as(printed()).isZero();
            assertThat(printed()).contains("2 at one time: 4 sessions, ", "3 at one time: 6 sessions, ", "a second, in clear",
                    "| connect |", "| greeting |", "| ehlo |", "| mail |", "| rcpt |", "| data |", "| message |", "| quit |")
                    .doesNotContain("starttls", "FAILED");
            assertThat(server.messages()).hasSize(2 + 4 + 3 + 6);
        }
    }

    @ParameterizedTest
    @CsvSource({"jdk,jdk", "jdk,conscrypt", "conscrypt,jdk", "conscrypt,conscrypt"})
    void handshakesAreTimedFullOrResumed(String serverBackend, String clientBackend) throws Exception {
        var made = ThrowAwayCertificate.make(ThrowAwayCertificate.Kind.RSA, "mx.example.net");
        var certificate = Files.write(directory.resolve("cert.pem"), made.certificatePem());
        var key = Files.write(directory.resolve("key.pem"), made.keyPem());
        try (var server = ScriptedServer.start();
                var proxy = StandaloneProxy.start(directory, "--listen", "127.0.0.1:0", "--to", EventJson.address(server.address()),
                        "--tls-backend", serverBackend, "--cert", certificate.toString(), "--key", key.toString())) {
            var address = EventJson.address(proxy.address());
            int full = run(address, "--concurrency", "2", "--rounds", "2", "--starttls", "--tls-backend", clientBackend);
            assertThat(full).as(printed()).isZero();
            assertThat(printed()).contains("4 sessions, ", " 0 resumed", "| starttls |", "| ehlo2 |");
            int resumed = run(address, "--concurrency", "2", "--rounds", "2", "--starttls", "--resume", "--tls-backend",
                    clientBackend);
            assertThat(resumed).as(printed()).isZero();
            assertThat(printed()).contains(" 4 resumed");
            int together = run(address, "--concurrency", "3", "--rounds", "2", "--starttls", "--together", "--tls-backend",
                    clientBackend);
            assertThat(together).as(printed()).isZero();
            assertThat(printed()).contains("3 at one time: 6 sessions, ");
        }
    }

    @Test
    void aRefusalIsShownAndMakesTheExitStatus1() throws Exception {
        try (var server = ScriptedServer.script().answer("MAIL", "451 4.3.0 not now").start()) {
            assertThat(run(EventJson.address(server.address()), "--concurrency", "1", "--rounds", "1")).isEqualTo(1);
            assertThat(printed()).contains("1 FAILED", "reply at step mail: 451 4.3.0 not now");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "127.0.0.1                           | give HOST:PORT",
        "127.0.0.1:25 --resume               | --resume goes with --starttls",
        "127.0.0.1:25 --together             | --together goes with --starttls",
        "127.0.0.1:25 --messages 2           | give 0 or 1",
        "127.0.0.1:25 --concurrency 5,x      | give whole numbers",
        "127.0.0.1:25 --starttls --tls-backend openssl | no TLS backend named",
        "127.0.0.1:25 --fast                 | unknown option --fast",
    })
    void aWrongCommandLineExitsWith2(String line, String part) {
        assertThat(run(line.split(" "))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("stage-timer: ").contains(part).hasLineCount(1);
    }
}
