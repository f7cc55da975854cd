package dev.weft.examples.bench;

import dev.weft.tls.spi.TlsClientContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One large message after another through Weft, with TLS on both legs, on one, on none: what TLS only where it is needed saves.
 */
final class TlsBulkBenchmark {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int MEGABYTE = 1_000_000;
    private static final int SIZE = 20 * MEGABYTE;

    private final Path directory;
    private final TlsClientContext client;
    private final TlsSink sink;
    private final int messages;
    private final Report report;

    TlsBulkBenchmark(Path directory, TlsClientContext client, TlsSink sink, int messages, Report report) {
        this.directory = directory;
        this.client = client;
        this.sink = sink;
        this.messages = messages;
        this.report = report;
    }

    private record Legs(String title, boolean client, boolean server) {}

    private static final List<Legs> ALL = List.of(new Legs("none", false, false), new Legs("client leg", true, false),
            new Legs("server leg", false, true), new Legs("both legs", true, true));

    void run(CertificateFiles certificate, List<String> jvmFlags) throws IOException {
        report.line("");
        report.line("A message of 20 MB, one at a time, median of " + messages + ": MB/s from its first octet to the reply, and CPU ms of"
                + " Weft's process per MB. Sender and receiver share the processors, and their TLS costs too.");
        report.line("");
        report.row("TLS on", "Weft/JDK MB/s", "CPU ms/MB", "Weft/Conscrypt MB/s", "CPU ms/MB");
        report.row("---", "---:", "---:", "---:", "---:");
        var rows = new ArrayList<List<String>>();
        ALL.forEach(legs -> rows.add(new ArrayList<>(List.of(legs.title))));
        for (var backend : List.of("jdk", "conscrypt")) {
            for (int i = 0; i < ALL.size(); i++) {
                var legs = ALL.get(i);
                try (var weft = WeftChild.startTls(directory, jvmFlags, sink.port(), backend, legs.server, certificate.chain(),
                        certificate.key())) {
                    rows.get(i).addAll(measure(weft, legs));
                    report.progress("bulk, %s, %s: %s", backend, legs.title, rows.get(i));
                }
            }
        }
        rows.forEach(row -> report.row(row.toArray(String[]::new)));
    }

    private List<String> measure(WeftChild weft, Legs legs) throws IOException {
        var plan = SessionPlan.to(new InetSocketAddress("127.0.0.1", weft.port())).withMessage(SIZE);
        if (legs.client) {
            plan = plan.withTls(client, false);
        }
        try (var sender = new StageClient(plan, 1)) {
            sender.run(5, LIMIT);
            double before = weft.cpuSeconds();
            var times = sender.run(messages, LIMIT);
            double cpu = (weft.cpuSeconds() - before) * 1000;
            if (times.failed > 0) {
                throw new IOException("a large message failed: " + times.firstFailure + "; " + weft.log());
            }
            return List.of(Report.whole(SIZE / 1000.0 / times.percentile(Step.MESSAGE, 50)),
                    Report.hundredths(cpu * MEGABYTE / SIZE / messages));
        }
    }
}
