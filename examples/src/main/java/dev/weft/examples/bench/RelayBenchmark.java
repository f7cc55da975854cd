package dev.weft.examples.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Compares, in one run and against the same sink: no proxy, Weft in a JVM of its own, and HAProxy, which only copies bytes.
 * Prints Markdown. Needs Linux, and the Debian packages postfix (for smtp-source and smtp-sink; no service need run) and
 * haproxy.
 */
public final class RelayBenchmark {

    /** What a user may say about a run. */
    public static final String USAGE = """
            Usage: java -cp CLASSPATH dev.weft.examples.bench.RelayBenchmark [OPTION]...
              --cases NAME[,NAME...]  what to measure: %s, latency, memory; all if not given
              --rounds N              rounds that count, after one that warms up; 5, or 2 if quick
              --quick                 a quarter of the messages
              --idle N                how many idle sessions; 10000. Each takes two descriptors of a proxy: see ulimit -n
              --jvm "FLAG..."         flags for the JVM that Weft runs in; none
              --check                 exit with 1 if a target was missed
            The exit code is 2 if something that is needed is not there.
            """.formatted(String.join(", ", Load.keys()));

    private final Arguments arguments;
    private final Report report = new Report();

    private RelayBenchmark(Arguments arguments) {
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
            var arguments = new Arguments(args, Set.of("--quick", "--check"), Set.of("--cases", "--rounds", "--idle", "--jvm"));
            System.exit(new RelayBenchmark(arguments).run(args));
        } catch (IllegalArgumentException | Tools.MissingToolException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        }
    }

    private int run(String[] args) throws IOException, InterruptedException {
        boolean quick = arguments.has("--quick");
        int divisor = quick ? 4 : 1;
        int rounds = Math.max(1, arguments.number("--rounds", quick ? 2 : 5));
        var jvmFlags = arguments.words("--jvm", "", "\\s+");
        var cases = arguments.words("--cases", String.join(",", Load.keys()) + ",latency,memory", ",");
        var loads = Arrays.stream(Load.values()).filter(load -> cases.contains(load.key)).toList();
        requireKnown(cases);
        var haproxyVersion = Tools.version(Tools.find("haproxy", "haproxy"), "-v");
        Tools.find("smtp-source", "postfix");
        Tools.requireLinux();

        report.header(RelayBenchmark.class, args);
        report.line("- Peer: " + haproxyVersion + ", TCP mode, 2 threads");
        report.rounds(rounds);
        var directory = Files.createTempDirectory("weft-bench");
        try (var sink = SmtpSink.start(directory, false)) {
            if (!loads.isEmpty() || cases.contains("latency")) {
                compare(directory, sink, jvmFlags, loads, cases.contains("latency"), rounds, divisor);
            }
            if (cases.contains("memory")) {
                new MemoryBenchmark(directory, sink, divisor).run(jvmFlags, arguments.number("--idle", 10_000), report);
            }
        } catch (IOException e) {
            System.err.println(e.getMessage() + " (logs in " + directory + ")");
            return 1;
        }
        Tools.remove(directory);
        return report.end(arguments.has("--check"));
    }

    private void compare(
            Path directory, SmtpSink sink, List<String> jvmFlags, List<Load> loads, boolean latency, int rounds, int divisor)
            throws IOException, InterruptedException {
        try (var haproxy = Haproxy.start(directory, sink.port());
                var weft = WeftChild.start(directory, jvmFlags, sink.port())) {
            // So that the first case does not measure the JVM's compilers more than the others do.
            SmtpSource.send(directory, weft.port(), 40_000 / divisor, 20, true, 4096);
            SmtpSource.send(directory, weft.port(), 20_000 / divisor, 20, false, 4096);
            var contenders = List.of(
                    Contender.direct(sink.port()),
                    Contender.process("HAProxy", haproxy.port(), haproxy.pid()),
                    Contender.process("Weft", weft.port(), weft.pid()));
            if (!loads.isEmpty()) {
                new ThroughputBenchmark(directory, contenders, rounds, divisor).run(loads, report);
            }
            if (latency) {
                new LatencyBenchmark(contenders, rounds, divisor).run(report);
            }
        }
    }

    private static void requireKnown(List<String> cases) {
        for (var name : cases) {
            if (!Load.keys().contains(name) && !name.equals("latency") && !name.equals("memory")) {
                throw new IllegalArgumentException("unknown case " + name + ": give some of " + String.join(", ", Load.keys())
                        + ", latency, memory");
            }
        }
    }
}
