package dev.weft.examples.bench;

import dev.weft.examples.ThrowAwayCertificate;
import dev.weft.tls.spi.TlsClientContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;

/**
 * What STARTTLS costs a server: Postfix's smtpd, and Weft with each backend on its client leg in front of a fast sink. All are up
 * at the same time, with the same certificate, and are asked in turn.
 */
final class HandshakeBenchmark {

    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int CPU_CONCURRENCY = 20;
    private static final int WARM_UP = 8000;

    private final Path directory;
    private final TlsClientContext client;
    private final Report report;
    private final List<Integer> concurrencies;
    private final int rounds;
    private final int divisor;
    /** Of the sessions that were to be resumed, how many at least were; a server may give no new ticket when it resumes. */
    private final Map<String, Double> leastShare = new TreeMap<>();

    /**
     * Prepares it.
     *
     * @param client the stopwatch's own TLS
     * @param rounds of each part
     * @param divisor what the numbers of sessions are divided by, to be quicker
     */
    HandshakeBenchmark(Path directory, TlsClientContext client, List<Integer> concurrencies, int rounds, int divisor, Report report) {
        this.directory = directory;
        this.client = client;
        this.concurrencies = concurrencies;
        this.rounds = rounds;
        this.divisor = divisor;
        this.report = report;
    }

    /** A server to ask. */
    private record Peer(String name, int port, DoubleSupplier cpu) {}

    /** How its sessions are. */
    private enum Mode {
        CLEAR, FULL, RESUMED;

        SessionPlan plan(int port, TlsClientContext client) {
            var plan = SessionPlan.to(new InetSocketAddress("127.0.0.1", port));
            return this == CLEAR ? plan : plan.withTls(client, this == RESUMED);
        }
    }

    void run(CertificateFiles certificate, List<String> jvmFlags, Set<String> parts) throws IOException, InterruptedException {
        try (var sink = SmtpSink.start(directory, false);
                var postfix = PostfixServer.start(directory, certificate);
                var jdk = weft(jvmFlags, sink, "jdk", certificate);
                var conscrypt = weft(jvmFlags, sink, "conscrypt", certificate)) {
            var peers = List.of(new Peer("Postfix", postfix.port(), postfix::cpuSeconds),
                    new Peer("Weft/JDK", jdk.port(), jdk::cpuSecondsWithoutCompilers),
                    new Peer("Weft/Conscrypt", conscrypt.port(), conscrypt::cpuSecondsWithoutCompilers));
            warmUp(peers);
            if (parts.contains("cpu")) {
                cpu(certificate, peers);
            }
            for (var mode : List.of(Mode.FULL, Mode.RESUMED)) {
                if (parts.contains("together")) {
                    stages(certificate, peers, mode, true);
                }
                if (parts.contains("stages")) {
                    stages(certificate, peers, mode, false);
                }
            }
            leastShare.forEach((name, share) -> report.line("- " + name + " resumed at least " + Report.whole(100 * share)
                    + " % of the sessions that were to be; the figures of resumed ones are of these."));
        }
    }

    private WeftChild weft(List<String> jvmFlags, SmtpSink sink, String backend, CertificateFiles certificate) throws IOException {
        return WeftChild.startTls(directory, jvmFlags, sink.port(), backend, false, certificate.chain(), certificate.key());
    }

    /**
     * The compilers of three JVMs, this one's too, get their work done: it takes some thousand handshakes until they have nothing
     * left to do. Postfix starts its processes.
     */
    private void warmUp(List<Peer> peers) throws IOException {
        for (int round = 0; round < 2; round++) {
            for (var peer : peers) {
                int count = peer.name.equals("Postfix") ? 400 : WARM_UP / 2;
                for (var mode : Mode.values()) {
                    try (var sessions = new StageClient(mode.plan(peer.port, client), CPU_CONCURRENCY)) {
                        sessions.run(count, LIMIT);
                    }
                }
                report.progress("%s is warm", peer.name);
            }
        }
    }

    private StageTimes measure(Peer peer, Mode mode, boolean together, int concurrency, int count, double[] cpu) throws IOException {
        var plan = mode.plan(peer.port, client);
        try (var sessions = new StageClient(together ? plan.startingTogether() : plan, concurrency)) {
            sessions.run(concurrency, LIMIT);
            double before = peer.cpu.getAsDouble();
            var times = sessions.run(count, LIMIT);
            cpu[0] = (peer.cpu.getAsDouble() - before) * 1000 / Math.max(1, times.sessions);
            if (times.failed > count / 100) {
                throw new IOException(peer.name + ": " + times.failed + " of " + count + " sessions failed, the first: "
                        + times.firstFailure);
            }
            if (mode == Mode.RESUMED) {
                if (times.resumed == 0) {
                    throw new IOException(peer.name + " resumed no session");
                }
                leastShare.merge(peer.name, (double) times.resumed / times.sessions, Math::min);
            }
            return times;
        }
    }

    private void cpu(CertificateFiles certificate, List<Peer> peers) throws IOException {
        int count = Math.max(CPU_CONCURRENCY, 600 / divisor);
        Map<Mode, List<List<Double>>> all = new LinkedHashMap<>(); // for each mode and peer, the rounds
        for (var mode : Mode.values()) {
            var lists = new ArrayList<List<Double>>();
            peers.forEach(peer -> lists.add(new ArrayList<>()));
            all.put(mode, lists);
        }
        for (int round = 0; round < rounds; round++) {
            for (var mode : Mode.values()) {
                for (int i = 0; i < peers.size(); i++) {
                    int which = round % 2 == 0 ? i : peers.size() - 1 - i;
                    var cpu = new double[1];
                    var times = measure(peers.get(which), mode, false, CPU_CONCURRENCY, count, cpu);
                    if (mode == Mode.RESUMED) {
                        // Those that were not resumed are taken to have cost what full ones did in this round.
                        double share = (double) times.resumed / times.sessions;
                        double full = all.get(Mode.FULL).get(which).get(round);
                        cpu[0] = (cpu[0] - (1 - share) * full) / share;
                    }
                    all.get(mode).get(which).add(cpu[0]);
                    report.progress("%s CPU, round %d, %s, %s: %.2f ms", certificate.title(), round + 1, mode, peers.get(which).name,
                            cpu[0]);
                }
            }
        }
        report.line("");
        report.line("Server CPU, " + certificate.title() + ", ms a session (" + CPU_CONCURRENCY + " at one time, " + count
                + " sessions, medians of " + rounds + " rounds), and what TLS adds to a session in clear."
                + " Weft without the JVM's compilers, which a process that runs for long has behind it.");
        report.line("");
        report.row("", "in clear", "full", "resumed", "added, full", "added, resumed", "of Postfix's, full", "target",
                "of Postfix's, resumed", "target");
        report.row("---", "---:", "---:", "---:", "---:", "---:", "---:", "---", "---:", "---");
        double mostFull = certificate.kind() == ThrowAwayCertificate.Kind.RSA ? 0.5 : 0.25;
        double postfixFull = added(all, Mode.FULL, 0);
        double postfixResumed = added(all, Mode.RESUMED, 0);
        for (int i = 0; i < peers.size(); i++) {
            boolean marked = peers.get(i).name.endsWith("Conscrypt");
            double full = added(all, Mode.FULL, i) / postfixFull;
            double resumed = added(all, Mode.RESUMED, i) / postfixResumed;
            report.row(peers.get(i).name, cell(all, Mode.CLEAR, i), cell(all, Mode.FULL, i), cell(all, Mode.RESUMED, i),
                    Report.hundredths(added(all, Mode.FULL, i)), Report.hundredths(added(all, Mode.RESUMED, i)),
                    i == 0 ? "–" : Report.hundredths(full) + " ×",
                    marked ? "≤ " + mostFull + " " + report.atMost(mostFull, full) : "–",
                    i == 0 ? "–" : Report.hundredths(resumed) + " ×", marked ? "≤ 0.25 " + report.atMost(0.25, resumed) : "–");
        }
    }

    private static double added(Map<Mode, List<List<Double>>> all, Mode mode, int peer) {
        return Statistics.median(all.get(mode).get(peer)) - Statistics.median(all.get(Mode.CLEAR).get(peer));
    }

    private static String cell(Map<Mode, List<List<Double>>> all, Mode mode, int peer) {
        return Report.hundredths(Statistics.median(all.get(mode).get(peer)));
    }

    /** One cell of the table of steps: what each round gave. */
    private static final class Cell {
        private final List<Double> mean = new ArrayList<>();
        private final List<Double> p95 = new ArrayList<>();
        private final List<Double> max = new ArrayList<>();
        private final List<Double> perSecond = new ArrayList<>();

        void add(StageTimes times) {
            mean.add(times.mean(Step.STARTTLS));
            p95.add(times.percentile(Step.STARTTLS, 95));
            max.add(times.percentile(Step.STARTTLS, 100));
            perSecond.add(times.perSecond());
        }

        List<String> texts() {
            return List.of(middle(mean) + " / " + middle(p95) + " / " + middle(max),
                    Report.whole(Statistics.median(perSecond)));
        }

        private static String middle(List<Double> rounds) {
            return Report.hundredths(Statistics.median(rounds));
        }
    }

    private void stages(CertificateFiles certificate, List<Peer> peers, Mode mode, boolean together) throws IOException {
        Map<Integer, List<Cell>> cells = new LinkedHashMap<>(); // for each concurrency, a cell for each peer
        for (int concurrency : concurrencies) {
            cells.put(concurrency, peers.stream().map(peer -> new Cell()).toList());
        }
        for (int round = 0; round < rounds; round++) {
            for (int concurrency : concurrencies) {
                int count = Math.max(concurrency, Math.max(300, 4 * concurrency) / divisor);
                for (int i = 0; i < peers.size(); i++) {
                    int which = round % 2 == 0 ? i : peers.size() - 1 - i;
                    var times = measure(peers.get(which), mode, together, concurrency, count, new double[1]);
                    cells.get(concurrency).get(which).add(times);
                    report.progress("%s %s, round %d, %d at one time, %s: starttls %.2f ms, ehlo2 %.2f ms",
                            certificate.title(), mode, round + 1, concurrency, peers.get(which).name,
                            times.mean(Step.STARTTLS), times.mean(Step.EHLO2));
                }
            }
        }
        report.line("");
        report.line("Step starttls (reply and handshake) as the client sees it, " + certificate.title() + ", "
                + (mode == Mode.FULL ? "full handshakes" : "resumed") + ", ms: mean / p95 / max, and sessions a second; medians of "
                + rounds + " rounds. " + (together
                        ? "All sessions wait for each other after EHLO: so many handshakes begin at one time."
                        : "Each slot opens its next session when the last one ended: how many are in this step is the server's"
                                + " doing."));
        report.line("");
        var head = new ArrayList<>(List.of("at one time"));
        var rule = new ArrayList<>(List.of("---:"));
        for (var peer : peers) {
            head.addAll(List.of(peer.name, "per s"));
            rule.addAll(List.of("---:", "---:"));
        }
        report.row(head.toArray(String[]::new));
        report.row(rule.toArray(String[]::new));
        cells.forEach((concurrency, row) -> {
            var texts = new ArrayList<>(List.of("" + concurrency));
            row.forEach(cell -> texts.addAll(cell.texts()));
            report.row(texts.toArray(String[]::new));
        });
        targets(peers, cells);
    }

    private void targets(List<Peer> peers, Map<Integer, List<Cell>> cells) {
        report.line("");
        for (int i = 1; i < peers.size(); i++) {
            var words = new ArrayList<String>();
            for (int concurrency : List.of(100, 300)) {
                if (cells.containsKey(concurrency)) {
                    double ratio = ratio(cells.get(concurrency).get(i), cells.get(concurrency).get(0));
                    words.add("mean at " + concurrency + " below Postfix's: " + Report.hundredths(ratio) + " × "
                            + report.atMost(1, ratio));
                }
            }
            if (cells.containsKey(200) && cells.containsKey(300)) {
                double growth = ratio(cells.get(300).get(i), cells.get(200).get(i));
                words.add("growth from 200 to 300 at most 1.5 ×: " + Report.hundredths(growth) + " × " + report.atMost(1.5, growth));
            }
            if (!words.isEmpty()) {
                report.line("- " + peers.get(i).name + ": " + String.join("; ", words));
            }
        }
    }

    /** The median of the rounds' ratios: what disturbs a round disturbs both. */
    private static double ratio(Cell cell, Cell other) {
        var ratios = new ArrayList<Double>();
        for (int round = 0; round < cell.mean.size(); round++) {
            ratios.add(cell.mean.get(round) / other.mean.get(round));
        }
        return Statistics.median(ratios);
    }
}
