package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.RelayHandler;
import dev.weft.session.Timeouts;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WeftProxyTest {

    private static final String MESSAGE = "Subject: hi\r\n\r\nhello\r\n";

    @TempDir
    private Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** A handler that can't be made. */
    public static final class Broken implements RelayHandler {
        public Broken() {
            throw new IllegalStateException("no database");
        }
    }

    private int run(String... arguments) {
        return WeftProxy.run(arguments, new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String to(ScriptedServer server) {
        return EventJson.address(server.address());
    }

    @Test
    void helpNamesEveryOptionOnStandardOutput() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("--listen", "--intercept", "--trusted", "--to", "--source",
                "--handler", "--handler-path", "--log", "--bare-line-ends", "--max-sessions", "--max-sessions-per-client",
                "--timeout", "--grace", "--tls", "--verify-name", "--trust", "--tls-cache", "--tls-backend", "--cert", "--key",
                "--require-tls", "--tls-pass-through", "--implicit-tls", "--loops", "--binding", "--limit", "--helo",
                "--leg-messages", "--rate", "--hold", "--help", "--version", "Exit status");
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).allMatch(line -> line.length() <= 120);
        assertThat(err.size()).isZero();
    }

    @Test
    void helpTellsTheDefaultsOfAllTimeLimits() {
        run("--help");
        Timeouts.DEFAULT.byName().forEach((name, limit) ->
                assertThat(out.toString(StandardCharsets.UTF_8).replaceAll("\\s+", " "))
                        .contains(name + " (" + limit.toSeconds() + ")"));
    }

    @Test
    void versionGoesToStandardOutput() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).matches("weft-proxy \\S.*, Java \\d+.*\\R");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--frob                                                  | unknown option --frob",
        "--listen 127.0.0.1:0 --to 127.0.0.1:25 --handler no.such.Class | --handler no.such.Class: there is no such class",
        "--listen 127.0.0.1:0 --to 127.0.0.1:25 --handler java.lang.String | is no dev.weft.relay.RelayHandler",
        "--listen 127.0.0.1:0 --to 127.0.0.1:25 --handler dev.weft.examples.ClientSource | needs to be a public class",
        "--listen 127.0.0.1:0 --to 127.0.0.1:25 --handler dev.weft.examples.WeftProxyTest$Broken | its constructor failed",
    })
    void aWrongCommandLineExitsWith2AndOneLine(String line, String part) {
        assertThat(run(line.split(" "))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("weft-proxy: ").contains(part).hasLineCount(1);
        assertThat(out.size()).isZero();
    }

    @Test
    void aTakenPortExitsWith1AndOneLine() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var address = "127.0.0.1:" + taken.getLocalPort();
            assertThat(run("--listen", address, "--to", "127.0.0.1:25")).isEqualTo(1);
            assertThat(err.toString(StandardCharsets.UTF_8)).contains("--listen", address, "free port").hasLineCount(1);
        }
    }

    @Test
    void aLogThatCannotBeWrittenExitsWith1AndOneLine() {
        assertThat(run("--listen", "127.0.0.1:0", "--to", "127.0.0.1:25", "--log", directory + "/none/x")).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--log", "/none/x").hasLineCount(1);
    }

    @Test
    void holdKeepsEveryMessageTillItIsWholeAndRelaysItUnchanged() throws Exception {
        var message = "Subject: hi\r\n\r\n" + "..dots and \u00e9\r\n".repeat(200_000); // beyond what is kept in memory
        try (var server = ScriptedServer.script().answerOnce("DATA", "451 4.3.0 not now").start();
                var proxy = StandaloneProxy.start(directory, "--hold", "--listen", "127.0.0.1:0", "--to", to(server));
                var client = ScriptedClient.connect(proxy.address())) {
            client.expect(220);
            assertThat(client.command("EHLO a.example", 250)).doesNotContain("CHUNKING");
            for (int code : new int[] {451, 250}) {
                client.command("MAIL FROM:<a@example.com> BODY=8BITMIME", 250);
                client.command("RCPT TO:<b@example.net>", 250);
                client.command("DATA", 354); // the server's own first answer to it is 451, and the message's reply
                client.send(message.getBytes(StandardCharsets.ISO_8859_1)).send(".\r\n");
                client.expect(code);
            }
            client.command("QUIT", 221);
            assertThat(new String(server.awaitMessages(1).get(0).raw(), StandardCharsets.ISO_8859_1).equals(message)).isTrue();
        }
    }

    @Test
    void aSourceThatThisHostDoesNotHaveIsToldAtTheStart() throws Exception {
        try (var server = ScriptedServer.start();
                var proxy = StandaloneProxy.start(directory, "--source", "127.0.0.1,192.0.2.77", "--listen", "127.0.0.1:0",
                        "--to", to(server));
                var first = ScriptedClient.connect(proxy.address())) {
            first.expect(220);
            try (var second = ScriptedClient.connect(proxy.address())) {
                second.expect(421);
            }
            assertThat(proxy.errors()).filteredOn(line -> line.contains("--source")).singleElement().asString()
                    .contains("--source 192.0.2.77 is no address of this host");
        }
    }

    @Test
    void withoutASocketAsStandardInputInheritedExitsWith1() throws Exception {
        try (var proxy = StandaloneProxy.start(directory, "--intercept", "inherited")) {
            assertThat(proxy.exitCode()).isEqualTo(1);
            assertThat(proxy.errors()).singleElement().asString()
                    .startsWith("weft-proxy: --intercept inherited: no listener was inherited");
        }
    }

    @Test
    void onSigtermATransactionMayFinishAndTheExitCodeIs0() throws Exception {
        var log = directory.resolve("events.jsonl");
        Files.writeString(log, "{\"event\":\"earlier\"}\n");
        try (var server = ScriptedServer.start();
                var proxy = StandaloneProxy.start(directory, "--listen", "127.0.0.1:0", "--to", to(server), "--log",
                        log.toString());
                var client = ScriptedClient.connect(proxy.address())) {
            client.expect(220);
            client.command("EHLO a.example.com", 250);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.net>", 250);
            client.command("DATA", 354);
            proxy.terminate();
            proxy.awaitError("stopping: no new sessions; 1 open");
            client.send(MESSAGE + ".\r\n").expect(250);
            client.expect(421);
            assertThat(proxy.exitCode()).isZero();
            assertThat(proxy.errors()).hasSize(3).allMatch(line -> line.startsWith("weft-proxy: ")).last()
                    .isEqualTo("weft-proxy: stopped");
            assertThat(proxy.output()).isEmpty();
            assertThat(server.awaitMessages(1).get(0).text()).isEqualTo(MESSAGE);
        }
        var events = Files.readAllLines(log).stream().map(Json::object).toList();
        assertThat(events).extracting(event -> event.get("event"))
                .startsWith("earlier", "session_opened", "greeting", "command")
                .contains("transaction")
                .endsWith("session_closed");
        assertThat(events.get(events.size() - 1)).containsEntry("end", "stopped");
    }

    @Test
    void aSecondSignalEndsAtOnce() throws Exception {
        try (var server = ScriptedServer.start();
                var proxy = StandaloneProxy.start(directory, "--listen", "127.0.0.1:0", "--to", to(server), "--grace", "3600");
                var client = ScriptedClient.connect(proxy.address())) {
            client.expect(220);
            client.command("EHLO a.example.com", 250);
            client.command("MAIL FROM:<a@example.com>", 250);
            proxy.terminate();
            proxy.awaitError("stopping");
            proxy.terminate();
            assertThat(proxy.exitCode()).isEqualTo(1);
            assertThat(proxy.errors()).last().asString().contains("SIGTERM again");
        }
    }

    @Test
    void sessionsLeaveFromTheSourcesInTurn() throws Exception {
        try (var server = ScriptedServer.start();
                var proxy = StandaloneProxy.start(directory, "--listen", "127.0.0.1:0", "--to", to(server), "--log", "-",
                        "--source", "127.0.0.11,127.0.0.12")) {
            for (int i = 0; i < 4; i++) {
                try (var client = ScriptedClient.connect(proxy.address())) {
                    client.expect(220);
                    client.command("QUIT", 221);
                }
            }
            proxy.terminate();
            assertThat(proxy.exitCode()).isZero();
            var sources = proxy.events().stream().filter(event -> event.get("event").equals("session_closed"))
                    .map(event -> event.get("source").toString().replaceAll(":\\d+$", "")).toList();
            assertThat(sources).containsExactlyInAnyOrder("127.0.0.11", "127.0.0.12", "127.0.0.11", "127.0.0.12");
        }
    }

    @Test
    void theEventLogTellsAllOfASession() throws Exception {
        var client1 = InetAddress.getByName("127.0.0.5");
        try (var server = ScriptedServer.script().answer("RCPT TO:<no@", "550 5.1.1 no \"such\" user").start();
                var proxy = StandaloneProxy.start(directory, "--listen", "127.0.0.1:0", "--to", to(server), "--log", "-");
                var client = ScriptedClient.connect(proxy.address(), client1, Duration.ofSeconds(20))) {
            client.expect(220);
            client.command("EHLO a.example.com", 250);
            client.sendLines("MAIL FROM:<>", "RCPT TO:<b@example.net>", "RCPT TO:<no@example.net>", "DATA");
            client.expect(250);
            client.expect(250);
            client.expect(550);
            client.expect(354);
            client.send(MESSAGE + ".\r\n").expect(250);
            client.command("QUIT", 221);
            client.readToEnd();
            proxy.terminate();
            assertThat(proxy.exitCode()).isZero();

            var events = proxy.events();
            assertThat(events).allSatisfy(event -> assertThat(event).containsKeys("time", "event", "session", "client"));
            assertThat(new HashSet<>(events.stream().map(event -> event.get("session")).toList())).hasSize(1);
            assertThat(events.get(0)).containsEntry("event", "session_opened").containsEntry("destination", to(server));
            assertThat(events.get(0).get("client").toString()).startsWith("127.0.0.5:");
            assertThat(only(events, "command")).extracting(event -> event.get("line")).containsExactly("EHLO a.example.com",
                    "MAIL FROM:<>", "RCPT TO:<b@example.net>", "RCPT TO:<no@example.net>", "DATA", "QUIT");
            assertThat(only(events, "reply")).extracting(event -> code(event) + " to " + event.get("verb"))
                    .containsExactly("250 to EHLO",
                    "250 to MAIL", "250 to RCPT", "550 to RCPT", "354 to DATA", "250 to DATA", "221 to QUIT");

            var transaction = only(events, "transaction").get(0);
            assertThat(transaction).containsEntry("sender", "").containsEntry("mail", "MAIL FROM:<>")
                    .containsEntry("outcome", "accepted").containsEntry("reused", 0.0).doesNotContainKey("waited_ms")
                    .containsEntry("server", to(server)).containsEntry("recipient_count", 2.0)
                    .containsEntry("message_bytes", (double) MESSAGE.length());
            assertThat(transaction.get("recipients").toString())
                    .contains("path=b@example.net, accepted=true", "code=550.0, enhanced=5.1.1")
                    .contains("path=no@example.net, accepted=false").contains("no \"such\" user");
            assertThat(object(transaction, "stages_ms")).containsOnlyKeys("mail", "rcpt", "data", "end_of_data");

            var closed = only(events, "session_closed").get(0);
            assertThat(closed).containsEntry("end", "quit").containsEntry("transactions", 1.0)
                    .containsKeys("source", "bytes_from_client", "bytes_from_server", "duration_ms");
            assertThat(object(closed, "stages_ms")).containsOnlyKeys("connect", "greeting", "ehlo");
        }
    }

    @Test
    void theEventLogTellsWhatConnectionAMessageHad() throws Exception {
        var server = ScriptedServer.start();
        try (var proxy = StandaloneProxy.start(directory, "--listen", "127.0.0.1:0", "--to", to(server), "--log", "-",
                "--binding", "mail", "--helo", "weft.example", "--limit", "1", "--handler", "dev.weft.examples.LogEverything")) {
            try (server) {
                for (int i = 0; i < 2; i++) {
                    try (var client = ScriptedClient.connect(proxy.address())) {
                        client.expect(220);
                        client.command("EHLO a.example.com", 250);
                        client.sendMessage("<a@example.com>", List.of("<b@example.net>"), MESSAGE);
                        client.command("QUIT", 221);
                    }
                }
            }
            try (var client = ScriptedClient.connect(proxy.address())) {
                client.expect(220);
                client.command("EHLO a.example.com", 250);
                client.command("MAIL FROM:<a@example.com>", 451);
                client.command("QUIT", 221);
            }
            proxy.terminate();
            assertThat(proxy.exitCode()).isZero();
            var transactions = only(proxy.events(), "transaction");
            assertThat(transactions).extracting(event -> event.get("reused")).containsExactly(0.0, 1.0, null);
            assertThat(transactions.get(1)).containsEntry("source", transactions.get(0).get("source"));
            assertThat(transactions).extracting(event -> event.containsKey("waited_ms")).containsExactly(true, true, false);
            assertThat(only(proxy.events(), "notice")).filteredOn("kind", "lease_refused").singleElement()
                    .satisfies(notice -> assertThat(notice).containsEntry("server", to(server)).containsEntry("stage", "connect")
                            .doesNotContainKey("reply"));
            assertThat(String.join("\n", proxy.errors()))
                    .contains("a fresh server leg", "a server leg that had carried 1 before", "no server leg");
        }
    }

    @Test
    void credentialsNeverReachTheLog() throws Exception {
        try (var server = ScriptedServer.script().capabilities("AUTH PLAIN LOGIN", "PIPELINING")
                        .answerOnce("AUTH", "535 5.7.8 no")
                        .answer("AUTH", "334 VXNlcm5hbWU6").start();
                var proxy = StandaloneProxy.start(directory, "--listen", "127.0.0.1:0", "--to", to(server), "--log", "-",
                        "--handler", "dev.weft.examples.LogEverything");
                var client = ScriptedClient.connect(proxy.address())) {
            client.expect(220);
            client.command("EHLO a.example.com", 250);
            client.command("AUTH PLAIN AHNlY3JldA==", 535);
            client.command("AUTH LOGIN", 334);
            client.sendLines("c2VjcmV0");
            client.readReply();
            proxy.terminate();
            assertThat(proxy.exitCode()).isZero();
            assertThat(String.join("", proxy.output())).contains("AUTH PLAIN ***").doesNotContain("AHNlY3JldA", "c2VjcmV0");
            assertThat(String.join("", proxy.errors())).contains("AUTH PLAIN ***").doesNotContain("AHNlY3JldA", "c2VjcmV0");
        }
    }

    private static List<Map<String, Object>> only(List<Map<String, Object>> events, String name) {
        return events.stream().filter(event -> event.get("event").equals(name)).toList();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Map<String, Object> event, String name) {
        return (Map<String, Object>) event.get(name);
    }

    private static int code(Map<String, Object> event) {
        return ((Double) object(event, "reply").get("code")).intValue();
    }
}
