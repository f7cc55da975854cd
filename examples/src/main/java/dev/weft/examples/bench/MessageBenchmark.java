package dev.weft.examples.bench;

import dev.weft.examples.bench.MessageProxy.PathName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Compares the message paths, in one run and against the same sink: no proxy, Weft with each path in a JVM of its own, and
 * Postfix with a before-queue content filter that lets all pass. Prints Markdown. Needs Linux and the Debian package postfix;
 * Postfix itself is measured only as root.
 */
public final class MessageBenchmark {

    /** What a user may say about a run. */
    public static final String USAGE = """
            Usage: java -cp CLASSPATH dev.weft.examples.bench.MessageBenchmark [OPTION]...
              --cases NAME[,NAME...]  what to measure: 4k, 1m, latency4k, latency1m; all if not given
              --rounds N              rounds that count, after one that warms up; 5, or 2 if quick
              --quick                 a quarter of the messages
              --jvm "FLAG..."         flags for the JVMs that Weft runs in; none
              --check                 exit with 1 if a target was missed
            The exit code is 2 if something that is needed is not there.
            """;

    private static final List<String> CASES = List.of("4k", "1m", "latency4k", "latency1m");

    private final Arguments arguments;
    private final Report report = new Report();

    private MessageBenchmark(Arguments arguments) {
        this.arguments = arguments;
    }

    /**
     * Runs the benchmark.
     *
     * @param args see {@code --help}
     * @throws IOException if a message was lost or a process failed
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        if (Arrays.asList(args).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        try {
            var arguments = new Arguments(args, Set.of("--quick", "--check"), Set.of("--cases", "--rounds", "--jvm"));
            System.exit(new MessageBenchmark(arguments).run(args));
        } catch (IllegalArgumentException | Tools.MissingToolException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        }
    }

    private int run(String[] args) throws IOException, InterruptedException {
        boolean quick = arguments.has("--quick");
        int rounds = Math.max(1, arguments.number("--rounds", quick ? 2 : 5));
        var cases = arguments.words("--cases", String.join(",", CASES), ",");
        for (var name : cases) {
            if (!CASES.contains(name)) {
                throw new IllegalArgumentException("unknown case " + name + ": give some of " + String.join(", ", CASES));
            }
        }
        Tools.find("smtp-source", "postfix");
        Tools.requireLinux();
        boolean postfix = "root".equals(System.getProperty("user.name"));

        report.header(MessageBenchmark.class, args);
        report.line("- Peer: " + (postfix
                ? PostfixServer.version() + ". Filtered and queued: smtpd with smtpd_proxy_filter, and as the filter Postfix's own"
                        + " second smtpd, which queues the message; it is thrown away behind the queue. Filtered only:"
                        + " smtpd_proxy_filter leads to the sink, and nothing is queued"
                : "none, since only root can run Postfix"));
        report.rounds(rounds);
        var directory = Files.createTempDirectory("weft-bench");
        try {
            compare(directory, cases, rounds, quick ? 4 : 1, postfix);
        } catch (IOException e) {
            System.err.println(e.getMessage() + " (logs in " + directory + ")");
            return 1;
        }
        Tools.remove(directory);
        return report.end(arguments.has("--check"));
    }

    private void compare(Path directory, List<String> cases, int rounds, int divisor, boolean postfix)
            throws IOException, InterruptedException {
        var jvmFlags = arguments.words("--jvm", "", "\\s+");
        try (var sink = SmtpSink.start(directory, false);
                var stream = WeftChild.startMessages(directory, jvmFlags, sink.port(), PathName.STREAM);
                var dot = WeftChild.startMessages(directory, jvmFlags, sink.port(), PathName.DOT);
                var hold = WeftChild.startMessages(directory, jvmFlags, sink.port(), PathName.HOLD);
                var queued = postfix ? PostfixServer.startFiltered(directory, 0) : null;
                var filtered = postfix ? PostfixServer.startFiltered(directory, sink.port()) : null) {
            var contenders = new ArrayList<>(List.of(
                    Contender.direct(sink.port()),
                    Contender.process("Weft, stream", stream.port(), stream.pid()),
                    Contender.process("Weft, hold the dot", dot.port(), dot.pid()),
                    Contender.process("Weft, hold", hold.port(), hold.pid())));
            // So that the first case does not measure the JVMs' compilers.
            for (var weft : contenders.subList(1, contenders.size())) {
                SmtpSource.send(directory, weft.port(), 40_000 / divisor, 20, true, 4096);
            }
            if (postfix) {
                contenders.add(new Contender("Postfix, filtered and queued", queued.port(), queued::cpuSeconds));
                contenders.add(new Contender("Postfix, filtered only", filtered.port(), filtered::cpuSeconds));
            }
            var table = new MessageTable(directory, contenders, rounds, divisor, report);
            if (cases.contains("4k")) {
                table.throughput("4 KB, many a session, 20 at a time", Load.MANY_AT_20, true);
            }
            if (cases.contains("1m")) {
                table.throughput("1 MB, many a session, 10 at a time", Load.MEGABYTE, false);
            }
            if (cases.contains("latency4k")) {
                table.latency("4 KB", 4096, 1_000);
            }
            if (cases.contains("latency1m")) {
                table.latency("1 MB", 1 << 20, 200);
            }
        }
    }
}
