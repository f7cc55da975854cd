package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.SmtpProxyBuilder;
import dev.weft.examples.bench.FaultTrials;
import dev.weft.examples.bench.MessageBenchmark;
import dev.weft.examples.bench.RelayBenchmark;
import dev.weft.examples.bench.RelaySoak;
import dev.weft.examples.bench.ReuseBenchmark;
import dev.weft.examples.bench.StageTable;
import dev.weft.examples.bench.TlsBenchmark;
import dev.weft.examples.bench.experiments.Experiments;
import dev.weft.relay.Notice;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Stage;
import dev.weft.relay.TransactionRecord;
import dev.weft.session.Timeouts;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README shows has to compile, and what it tells of the standalone proxy has to be so. */
class ReadmeTest {

    private static final Path README = Path.of("..", "README.md");

    private static final String IMPORTS = """
            import dev.weft.*;
            import dev.weft.intercept.*;
            import dev.weft.policy.*;
            import dev.weft.relay.*;
            import dev.weft.session.*;
            import dev.weft.smtp.*;
            import java.net.*;
            import java.time.Duration;
            import java.util.*;
            import java.util.concurrent.*;
            """;

    @TempDir
    private Path directory;

    @Test
    void theEmbeddingCompiles() throws IOException {
        compile("Embedding", "class Embedding { void run() throws Exception {\n" + block("SmtpProxy.builder()") + "\n} }");
    }

    @Test
    void theBindingOnMailCompiles() throws IOException {
        compile("OnMail", "class OnMail { void run() throws Exception {\n" + block("Binding.ON_MAIL") + "\n} }");
    }

    @Test
    void theReadyMadePartsCompile() throws IOException {
        compile("Parts", "class Parts { void run(SmtpProxyBuilder builder) throws Exception {\n" + block("StateFile.of") + "\n} }");
    }

    @Test
    void theHandlersMethodsCompile() throws IOException {
        compile("Methods", """
                abstract class Methods implements RelayHandler {
                    abstract InetAddress addressFor(InetSocketAddress client);
                    abstract CompletionStage<Boolean> lookup(dev.weft.smtp.Path path);
                """ + block("Verdict.later") + "}");
    }

    @Test
    void theTlsHandlerCompiles() throws IOException {
        compile("TlsMethods", """
                abstract class TlsMethods implements RelayHandler {
                    abstract boolean isPrivate(InetSocketAddress server);
                """ + block("TlsPolicy.verify") + "}");
    }

    @Test
    void theSettingsAreAllThoseOfTheBuilder() throws IOException {
        var methods = Arrays.stream(SmtpProxyBuilder.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers())).map(Method::getName).distinct().toList();
        var named = Stream.of("| setting (`SmtpProxy.builder()`) |", "| TLS setting |").flatMap(head ->
                Pattern.compile("`(\\w+)(?:\\([^`]*\\))?`").matcher(firstColumn(head)).results()
                        .map(name -> name.group(1))).toList();
        assertThat(methods).containsAll(named.stream().filter(name -> !name.equals("SmtpProxy")).toList());
        var readme = Files.readString(README);
        assertThat(methods).allMatch(method -> method.equals("build") || readme.contains(method), "is somewhere in the README");
        assertThat(named).contains("binding", "helloName", "legLimit", "legLimits", "pool", "throttleSigns", "onMail");
    }

    @Test
    void theFilesThatItLinksExist() throws IOException {
        var links = Pattern.compile("\\]\\(([^)#:]+)\\)").matcher(Files.readString(README)).results()
                .map(link -> link.group(1)).toList();
        assertThat(links).isNotEmpty().allSatisfy(link -> assertThat(README.resolveSibling(link)).exists());
    }

    @Test
    void everyExampleThatAUserMayNameIsListed() throws IOException {
        var text = Files.readString(README);
        try (var files = Files.list(Path.of("src", "main", "java", "dev", "weft", "examples"))) {
            for (var file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                var source = Files.readString(file);
                if (source.contains("--handler dev.weft.examples.") || source.contains("weft-proxy.jar dev.weft.examples.")) {
                    assertThat(text).contains("/" + file.getFileName());
                }
            }
        }
    }

    @Test
    void theTimeLimitsAreAllThere() throws IOException {
        var table = section("| time limit ");
        Timeouts.DEFAULT.byName().keySet().forEach(name -> assertThat(table).contains("| `" + name + "` |"));
    }

    @Test
    void theMembersOfTheLogAreAllThere() throws IOException {
        var table = section("| event | its members |");
        var address = new InetSocketAddress("192.0.2.25", 25);
        var route = Route.to(address);
        var reply = Optional.of(Reply.of(250, "2.0.0", "ok"));
        var mail = Command.of("MAIL FROM:<a@example.com>");
        var notice = new JsonObject();
        EventJson.notice(notice, new Notice(Notice.Kind.LEASE_REFUSED, "", Optional.of(address),
                Optional.of(address.getAddress()), reply, Optional.of(Stage.LEASE)));
        var transaction = new JsonObject();
        EventJson.transaction(transaction, address, new TransactionRecord("id", 1, route, Optional.of(address), OptionalInt.of(0),
                mail, List.of(), 0, 0, TransactionRecord.Outcome.ACCEPTED, reply, Map.of(Stage.LEASE, Duration.ofMillis(1))));
        var session = new JsonObject();
        EventJson.session(session, new SessionRecord("id", address, address, Optional.of(route), Optional.of(address), 1, 2, 3,
                Optional.empty(), Optional.empty(), Optional.of("why"), true, Duration.ZERO, SessionRecord.End.QUIT, "detail",
                Map.of()));
        Map.of("notice", notice, "transaction", transaction, "session_closed", session).forEach((event, json) -> {
            var row = table.lines().filter(line -> line.startsWith("| `" + event + "` |")).findFirst().orElseThrow();
            assertThat(Json.object(json.toString()).keySet()).isNotEmpty()
                    .allSatisfy(name -> assertThat(row).contains("`" + name + "`"));
        });
    }

    @Test
    void theOptionsThatItNamesExist() throws Exception {
        var proxy = new String(WeftProxy.class.getResourceAsStream("weft-proxy-help.txt").readAllBytes(), StandardCharsets.UTF_8);
        var others = Map.of(
                "StageTimer", StageTable.USAGE,
                "TlsBenchmark", TlsBenchmark.USAGE,
                "MessageBenchmark", MessageBenchmark.USAGE,
                "FaultTrials", FaultTrials.USAGE,
                "ReuseBenchmark", ReuseBenchmark.USAGE,
                "Experiments", Experiments.USAGE,
                "RelayBenchmark", RelayBenchmark.USAGE,
                "RelaySoak", RelaySoak.USAGE);
        var lines = Files.readString(README).lines().filter(line -> line.contains("weft-proxy.jar")).toList();
        assertThat(lines).isNotEmpty();
        for (var line : lines) {
            var help = others.keySet().stream().filter(line::contains).findFirst().map(others::get).orElse(proxy);
            assertThat(Pattern.compile("--[a-z-]+").matcher(line.substring(line.indexOf("weft-proxy.jar"))).results()
                    .map(MatchResult::group))
                    .allMatch(help::contains);
        }
    }

    private static String firstColumn(String head) {
        try {
            return section(head).lines().map(line -> line.split("(?<!\\\\)\\|")[1]).collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A table, from its head to the empty line. */
    private static String section(String head) throws IOException {
        var text = Files.readString(README);
        int start = text.indexOf(head);
        assertThat(start).as("a table that begins with " + head).isNotNegative();
        return text.substring(start, text.indexOf("\n\n", start));
    }

    private static String block(String part) throws IOException {
        List<String> blocks = Pattern.compile("^```java\\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(README)).results().map(block -> block.group(1)).toList();
        return blocks.stream().filter(block -> block.contains(part)).findFirst()
                .orElseThrow(() -> new AssertionError("the README has no Java block with " + part + " in it: " + blocks));
    }

    private void compile(String name, String source) throws IOException {
        var file = Files.writeString(directory.resolve(name + ".java"), IMPORTS + source);
        assertThat(Javac.run("-d", directory.toString(), "-cp", System.getProperty("java.class.path"), file.toString()))
                .isEmpty();
    }
}
