package dev.weft.examples.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The experiments' command, as a user starts it, in its smallest size: all mail arrives, and only results are left. */
@Timeout(240)
class ExperimentsIT {

    private static final Duration LIMIT = Duration.ofSeconds(180);

    @TempDir
    Path output;

    @BeforeAll
    static void requirePrograms() {
        new Prerequisites().namespaces().program("postfix", "postfix").program("postsuper", "postfix")
                .program("sendmail", "postfix").orSkip();
    }

    private Process start(String... options) throws IOException {
        var command = new ArrayList<>(List.of(ProxyProcess.JAVA, "-cp", Prerequisites.proxyJar().toString(),
                "dev.weft.examples.bench.experiments.Experiments", "--quick", "--output", output.toString()));
        command.addAll(List.of(options));
        return Shell.builder(command, output.resolve("printed")).start();
    }

    private String printed() {
        return Shell.text(output.resolve("printed"));
    }

    /** What a process of the command has made and not yet removed. */
    private static List<String> leftBy(Process process) {
        var name = "weft-lab-" + process.pid() + "-";
        var left = new ArrayList<>(Shell.must("ip", "netns", "list").lines().filter(line -> line.startsWith(name)).toList());
        try (var files = Files.newDirectoryStream(Path.of(System.getProperty("java.io.tmpdir")), name + "*")) {
            files.forEach(file -> left.add(file.toString()));
        } catch (IOException e) {
            left.add(e.toString());
        }
        return left;
    }

    private static void awaitNothingLeftBy(Process process) {
        Await.until("namespaces and files of the experiments are gone", Duration.ofSeconds(30), () -> leftBy(process).isEmpty(),
                () -> leftBy(process).toString());
    }

    @Test
    void fairnessWithTwoContendersIsCompleteAndLeavesNothingBehind() throws Exception {
        var process = start("--experiment", "fairness", "--contender", "direct,weft-connect", "--messages", "5");
        Await.until("the experiments end", LIMIT, () -> !process.isAlive(), this::printed);

        assertThat(process.exitValue()).as(this::printed).isZero();
        for (var contender : List.of("direct", "Weft on connect")) {
            var row = Pattern.compile("^" + contender + "  .*$", Pattern.MULTILINE).matcher(printed());
            assertThat(row.find()).as("a row for %s in %s", contender, printed()).isTrue();
            assertThat(row.group()).as("none lost, none doubled").matches(".*\\s0\\s+0");
        }
        assertThat(printed()).contains(Shell.text(output.resolve("experiments.txt")).lines().toList());
        for (var chart : List.of("fairness.svg", "fairness-direct.svg", "fairness-weft-connect.svg")) {
            var document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(output.resolve(chart).toFile());
            assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
        }
        awaitNothingLeftBy(process);
    }

    @Test
    void aRunThatIsInterruptedLeavesNothingBehind() throws Exception {
        var process = start("--experiment", "fairness", "--contender", "weft-connect");
        Await.until("a Postfix runs", LIMIT, () -> !process.isAlive() || leftBy(process).stream()
                .anyMatch(line -> !Shell.text(Path.of(line, "mx1/queue/pid/master.pid")).isEmpty()), this::printed);
        assertThat(process.isAlive()).as(this::printed).isTrue();
        process.destroy();
        Await.until("the experiments end", LIMIT, () -> !process.isAlive(), this::printed);
        awaitNothingLeftBy(process);
    }

    @Test
    void whatItDoesNotKnowIsRefusedWithTheMend() throws Exception {
        var process = start("--contender", "exim");
        Await.until("the experiments end", LIMIT, () -> !process.isAlive(), this::printed);
        assertThat(process.exitValue()).isEqualTo(2);
        assertThat(printed()).isEqualTo("unknown contender exim: give some of direct,postfix,weft-connect,weft-mail\n");
    }
}
