package dev.weft.examples.bench;

import dev.weft.tls.spi.TlsClientContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What held sessions with TLS on both legs take: live heap and resident memory, as {@link MemoryBenchmark} measures, and
 * descriptors.
 */
final class TlsMemoryBenchmark {

    private static final Duration OPENING = Duration.ofMinutes(2);
    private static final int SETTLE_SECONDS = 10;
    /**
     * Few, since native memory that was given back to the allocator stays resident and would hide what the held sessions take.
     */
    private static final int REHEARSAL = 50;

    private final Path directory;
    private final TlsClientContext client;
    private final TlsSink sink;
    private final Report report;

    TlsMemoryBenchmark(Path directory, TlsClientContext client, TlsSink sink, Report report) {
        this.directory = directory;
        this.client = client;
        this.sink = sink;
        this.report = report;
    }

    private record Point(long residentKib, long heapKib, int descriptors) {}

    void run(CertificateFiles certificate, List<String> jvmFlags, int sessions) throws IOException, InterruptedException {
        report.line("");
        report.line("Memory with " + sessions + " sessions held after EHLO, both legs in TLS, " + certificate.title() + ". Weft's JVM runs"
                + " with " + String.join(" ", MemoryBenchmark.FIXED_HEAP) + ", so resident memory grows by what is outside the heap.");
        report.line("");
        report.row("KiB a session", "live heap", "outside the heap", "sum", "target", "descriptors a session");
        report.row("---", "---:", "---:", "---:", "---", "---:");
        for (var backend : List.of("jdk", "conscrypt")) {
            var flags = new ArrayList<>(jvmFlags);
            flags.addAll(MemoryBenchmark.FIXED_HEAP);
            try (var weft = WeftChild.startTls(directory, flags, sink.port(), backend, true, certificate.chain(), certificate.key())) {
                measure(weft, backend, sessions);
            }
        }
    }

    private void measure(WeftChild weft, String backend, int sessions) throws IOException, InterruptedException {
        var plan = SessionPlan.to(new InetSocketAddress("127.0.0.1", weft.port())).withTls(client, false);
        try (var warmUp = new StageClient(plan, 20)) {
            warmUp.run(1000, OPENING);
        }
        // What the first held sessions leave behind once, such as buffers of the loops, is no session's.
        try (var rehearsal = new StageClient(plan.holding(), REHEARSAL)) {
            rehearsal.run(REHEARSAL, OPENING);
        }
        Thread.sleep(1000);
        var before = point(weft);
        try (var held = new StageClient(plan.holding(), sessions)) {
            var times = held.run(sessions, OPENING);
            if (times.failed > 0) {
                throw new IOException(times.failed + " sessions were not held, the first: " + times.firstFailure);
            }
            var after = point(weft);
            double heap = (double) (after.heapKib - before.heapKib) / sessions;
            double outside = (double) (after.residentKib - before.residentKib) / sessions;
            double sum = heap + Math.max(0, outside);
            double most = backend.equals("jdk") ? 30 : 100;
            report.row("Weft/" + (backend.equals("jdk") ? "JDK" : "Conscrypt"), Report.hundredths(heap), Report.hundredths(outside),
                    Report.hundredths(sum), "≤ " + Report.whole(most) + " " + report.atMost(most, sum),
                    Report.hundredths((double) (after.descriptors - before.descriptors) / sessions));
        }
    }

    /** The collection comes first: it frees native memory whose owners are gone. */
    private static Point point(WeftChild weft) throws IOException, InterruptedException {
        weft.liveHeapKib();
        long resident = ProcFs.residentKib(weft.pid());
        for (int second = 0; second < SETTLE_SECONDS; second++) {
            Thread.sleep(1000);
            long now = ProcFs.residentKib(weft.pid());
            boolean settled = Math.abs(now - resident) <= 64;
            resident = now;
            if (settled) {
                break;
            }
        }
        return new Point(resident, weft.liveHeapKib(), ProcFs.descriptors(weft.pid()));
    }
}
