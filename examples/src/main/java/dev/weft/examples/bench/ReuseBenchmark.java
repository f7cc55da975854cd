package dev.weft.examples.bench;

import dev.weft.examples.ThrowAwayCertificate;
import dev.weft.session.PoolSettings;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;

/**
 * What it saves that server legs are used again: handshakes and messages a second of sessions with one message each, bound on
 * mail and on connect, in the same run. Prints Markdown. Needs Linux, root and the Debian package postfix (no service need run).
 */
public final class ReuseBenchmark {

    /** What a user may say about a run. */
    public static final String USAGE = """
            Usage: java -cp CLASSPATH dev.weft.examples.bench.ReuseBenchmark [OPTION]...
              --parts NAME[,NAME...]  what to measure: sink, postfix; both if not given
              --messages N            sessions of one message each to the sink; 10000
              --postfix-messages N    and to Postfix; 3000
              --senders N             sessions at one time; 20
              --limit N               server legs at one time, bound on mail; 10
              --leg-messages N        messages over one leg, where that is raised; 100000
              --rounds N              rounds that count; 5
              --warm-up N             messages that each proxy gets before, so that its compilers have done most; 10000
              --jvm "FLAG..."         flags for the JVMs that Weft runs in; none
              --check                 exit with 1 if a target was missed
            The exit code is 2 if something that is needed is not there.
            """;

    private static final int SIZE = 4096;
    /** Longer than a leg stays idle, so that every round makes legs of its own. */
    private static final long BETWEEN_MS = PoolSettings.DEFAULT.idle().toMillis() + 500;
    private static final int MOST_HANDSHAKES = 20;
    private static final int MOST_HANDSHAKES_BY_DEFAULT = 120;
    private static final double TIMES_ON_CONNECT = 3;
    private static final double PART_OF_DIRECT = 0.9;

    private final Arguments arguments;
    private final Report report = new Report();
    private final int senders;
    private final int limit;
    private final int raised;
    private final int rounds;
    private final int warmUp;
    private final List<String> jvmFlags;
    private Path directory;

    private ReuseBenchmark(Arguments arguments) {
        this.arguments = arguments;
        this.senders = Math.max(1, arguments.number("--senders", 20));
        this.limit = Math.max(1, arguments.number("--limit", 10));
        this.raised = Math.max(1, arguments.number("--leg-messages", 100_000));
        this.rounds = Math.max(1, arguments.number("--rounds", 5));
        this.warmUp = Math.max(senders, arguments.number("--warm-up", 10_000));
        this.jvmFlags = arguments.words("--jvm", "", "\\s+");
    }

    /**
     * Runs the benchmark.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        if (Arrays.asList(args).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        try {
            var valued = Set.of("--parts", "--messages", "--postfix-messages", "--senders", "--limit", "--leg-messages",
                    "--rounds", "--warm-up", "--jvm");
            System.exit(new ReuseBenchmark(new Arguments(args, Set.of("--check"), valued)).run(args));
        } catch (IllegalArgumentException | Tools.MissingToolException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        } catch (IOException | TlsException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private int run(String[] args) throws IOException, TlsException, InterruptedException {
        var parts = arguments.words("--parts", "sink,postfix", ",");
        for (var part : parts) {
            if (!part.equals("sink") && !part.equals("postfix")) {
                throw new IllegalArgumentException("option --parts " + part + ": give sink, postfix or both");
            }
        }
        Tools.find("smtp-source", "postfix");
        Tools.requireLinux();
        report.header(ReuseBenchmark.class, args);
        report.line("- Sessions of one message of 4 KB, " + senders + " at one time; the server leg in TLS; bound on mail, at"
                + " most " + limit + " server legs at one time; " + rounds + " rounds after " + warmUp + " messages to warm up, in turn");
        directory = Files.createTempDirectory("weft-reuse");
        try {
            var certificate = CertificateFiles.make(directory, ThrowAwayCertificate.Kind.EC);
            if (parts.contains("sink")) {
                sink(certificate, Math.max(senders, arguments.number("--messages", 10_000)));
            }
            if (parts.contains("postfix")) {
                postfix(certificate, Math.max(senders, arguments.number("--postfix-messages", 3_000)));
            }
        } catch (IOException e) {
            System.err.println(e.getMessage() + " (logs in " + directory + ")");
            return 1;
        }
        Tools.remove(directory);
        return report.end(arguments.has("--check"));
    }

    /** A way to the server, with what each round gave. */
    private static final class Way {
        private final String name;
        private final int port;
        private final DoubleSupplier cpu;
        private final List<Double> perSecond = new ArrayList<>();
        private final List<Double> cpuMs = new ArrayList<>();
        private final List<Double> serverCpuMs = new ArrayList<>();
        private final List<Integer> handshakes = new ArrayList<>();
        private int resumed;

        Way(String name, WeftChild weft) {
            this(name, weft.port(), weft::cpuSecondsWithoutCompilers);
        }

        /** @param cpu the seconds that the proxy has used so far */
        Way(String name, int port, DoubleSupplier cpu) {
            this.name = name;
            this.port = port;
            this.cpu = cpu;
        }
    }

    private void sink(CertificateFiles certificate, int messages) throws IOException, TlsException, InterruptedException {
        var settings = ServerSettings.builder(KeyMaterial.pem(certificate.chain(), certificate.key())).build();
        int byDefault = PoolSettings.DEFAULT.messages();
        try (var context = StageTable.backend("").server(settings);
                var sink = new TlsSink(context);
                var connect = WeftChild.startBound(directory, jvmFlags, sink.port(), "connect");
                var mail = WeftChild.startBound(directory, jvmFlags, sink.port(), "mail", limit, byDefault);
                var more = WeftChild.startBound(directory, jvmFlags, sink.port(), "mail", limit, raised)) {
            var ways = List.of(new Way("on connect", connect),
                    new Way("on mail, " + byDefault + " messages a leg (the default)", mail),
                    new Way("on mail, raised to " + raised + " messages a leg", more));
            warmUp(ways);
            for (int round = 1; round <= rounds; round++) {
                for (var way : turned(ways, round)) {
                    var before = sink.count();
                    double cpu = way.cpu.getAsDouble();
                    double seconds = SmtpSource.send(directory, way.port, messages, senders, false, SIZE);
                    var count = sink.count().since(before);
                    if (count.messages() != messages) {
                        throw new IOException(way.name + ": " + messages + " messages sent, " + count.messages() + " came");
                    }
                    way.perSecond.add(messages / seconds);
                    way.cpuMs.add((way.cpu.getAsDouble() - cpu) * 1000 / messages);
                    way.handshakes.add(count.handshakes());
                    way.resumed += count.resumed();
                    report.progress("sink, round %d, %s: %.0f msg/s, %d handshakes", round, way.name, messages / seconds,
                            count.handshakes());
                }
                Thread.sleep(BETWEEN_MS);
            }
            var failure = sink.failure();
            if (failure != null) {
                throw new IOException("the sink failed", failure);
            }
            report.line("");
            report.line(messages + " sessions to a sink that counts its handshakes (most of a round; resumed ones count too):");
            report.line("");
            report.row("binding", "handshakes on the server leg", "of these resumed", "target", "msg/s", "× on connect",
                    "Weft, CPU ms a message");
            report.row("---", "---:", "---:", "---", "---:", "---:", "---:");
            row(ways.get(0), ways.get(0), messages, 0);
            row(ways.get(1), ways.get(0), messages, MOST_HANDSHAKES_BY_DEFAULT);
            row(ways.get(2), ways.get(0), messages, MOST_HANDSHAKES);
        }
    }

    /** @param target the most handshakes for 10,000 messages; 0 for none */
    private void row(Way way, Way connect, int messages, int target) {
        int most = Collections.max(way.handshakes);
        var verdict = target == 0 ? "–"
                : messages > 10_000 ? "– (for 10,000 messages)" : "≤ " + target + ": " + report.atMost(target, most);
        report.row(way.name, "" + most, Report.whole((double) way.resumed / way.handshakes.size()), verdict,
                Report.whole(Statistics.median(way.perSecond)), Report.ratio(ratios(way, connect)),
                Report.hundredths(Statistics.median(way.cpuMs)));
    }

    private void postfix(CertificateFiles certificate, int messages) throws IOException, InterruptedException {
        int byDefault = PoolSettings.DEFAULT.messages();
        try (var postfix = PostfixServer.start(directory, certificate);
                var connect = WeftChild.startBound(directory, jvmFlags, postfix.port(), "connect");
                var mail = WeftChild.startBound(directory, jvmFlags, postfix.port(), "mail", limit, byDefault)) {
            var ways = List.of(new Way("direct, in clear", postfix.port(), () -> 0), new Way("on connect", connect),
                    new Way("on mail", mail));
            warmUp(ways);
            postfix.awaitEmptyQueue();
            for (int round = 1; round <= rounds; round++) {
                for (var way : turned(ways, round)) {
                    double cpu = way.cpu.getAsDouble();
                    double serverCpu = postfix.cpuSeconds();
                    double seconds = SmtpSource.send(directory, way.port, messages, senders, false, SIZE);
                    postfix.awaitEmptyQueue();
                    way.perSecond.add(messages / seconds);
                    way.cpuMs.add((way.cpu.getAsDouble() - cpu) * 1000 / messages);
                    way.serverCpuMs.add((postfix.cpuSeconds() - serverCpu) * 1000 / messages);
                    report.progress("Postfix, round %d, %s: %.0f msg/s", round, way.name, messages / seconds);
                }
            }
            var direct = ways.get(0);
            var onMail = ways.get(2);
            double target = Math.min(TIMES_ON_CONNECT * Statistics.median(ways.get(1).perSecond),
                    PART_OF_DIRECT * Statistics.median(direct.perSecond));
            report.line("");
            report.line(messages + " sessions to " + PostfixServer.version() + " with STARTTLS, which throws all of it away:");
            report.line("");
            report.row("way", "msg/s", "× on connect", "× direct", "Weft, CPU ms a message", "Postfix", "target");
            report.row("---", "---:", "---:", "---:", "---:", "---:", "---");
            for (var way : ways) {
                double perSecond = Statistics.median(way.perSecond);
                report.row(way.name, Report.whole(perSecond),
                        Report.ratio(ratios(way, ways.get(1))), Report.ratio(ratios(way, direct)),
                        Report.hundredths(Statistics.median(way.cpuMs)), Report.hundredths(Statistics.median(way.serverCpuMs)),
                        way == onMail ? "≥ " + Report.whole(target) + ", the lower of 3 × on connect and 0.9 × direct: "
                                + report.atLeast(target, perSecond) : "–");
            }
        }
    }

    private void warmUp(List<Way> ways) throws IOException, InterruptedException {
        for (var way : ways) {
            report.progress("warming up %s", way.name);
            SmtpSource.send(directory, way.port, warmUp, senders, false, SIZE);
        }
        Thread.sleep(BETWEEN_MS);
    }

    /** In an order that turns from round to round, so that a drift of the machine favours none. */
    private static List<Way> turned(List<Way> ways, int round) {
        var turned = new ArrayList<>(ways);
        if (round % 2 == 1) {
            Collections.reverse(turned);
        }
        return turned;
    }

    private static List<Double> ratios(Way way, Way other) {
        var ratios = new ArrayList<Double>();
        for (int i = 0; i < way.perSecond.size(); i++) {
            ratios.add(way.perSecond.get(i) / other.perSecond.get(i));
        }
        return ratios;
    }
}
