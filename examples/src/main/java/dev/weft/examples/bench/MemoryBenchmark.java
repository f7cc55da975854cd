package dev.weft.examples.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Resident memory with idle sessions. The JVM gets a heap of fixed size whose pages are all touched at the start, so the heap's
 * share of the resident memory can't grow, and what does grow is outside the heap. What a session takes inside the heap is seen
 * as live heap after a collection. The sum of both growths counts, where a fall outside the heap, such as of the compilers'
 * memory, counts as none.
 */
final class MemoryBenchmark {

    static final List<String> FIXED_HEAP = List.of("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch");

    private static final double MOST_KIB = 6;
    private static final int FEW = 1_000;
    private static final int WARM_UP_MESSAGES = 20_000;
    private static final int SETTLE_SECONDS = 15;
    private static final long SETTLED_KIB = 64;
    private static final Duration OPENING = Duration.ofMinutes(2);

    private final Path directory;
    private final SmtpSink sink;
    private final int divisor;

    MemoryBenchmark(Path directory, SmtpSink sink, int divisor) {
        this.directory = directory;
        this.sink = sink;
        this.divisor = divisor;
    }

    /** Figures at one number of sessions, in KiB; {@code live} is 0 for a process without a heap of Java. */
    private record Point(int sessions, long resident, long live) {}

    /** The live heap of a process, if it has one. */
    private interface LiveHeap {
        long kib() throws IOException;
    }

    void run(List<String> jvmFlags, int wanted, Report report) throws IOException, InterruptedException {
        int many = Math.min(wanted, IdleSessions.most());
        report.line("");
        report.line("Resident memory with idle sessions (EHLO done), in KiB. Weft's JVM runs with " + String.join(" ", FIXED_HEAP)
                + ": its heap is all touched, so resident memory grows only by what is outside the heap. Per session: growth of"
                + " resident memory plus growth of the live heap after a collection.");
        if (many < wanted) {
            report.line(IdleSessions.tooMany(wanted, many));
        }
        var weftPoints = new ArrayList<Point>();
        var haproxyPoints = new ArrayList<Point>();
        try (var haproxy = Haproxy.start(directory, sink.port())) {
            measure(haproxy.port(), haproxy.pid(), () -> 0, many, haproxyPoints, report);
        }
        var flags = new ArrayList<>(jvmFlags);
        flags.addAll(FIXED_HEAP);
        try (var weft = WeftChild.start(directory, flags, sink.port())) {
            measure(weft.port(), weft.pid(), weft::liveHeapKib, many, weftPoints, report);
        }
        var onMailPoints = new ArrayList<Point>();
        int manyOnMail = Math.min(wanted, IdleSessions.mostOnMail());
        try (var weft = WeftChild.start(directory, flags, sink.port(), Proxy.ON_MAIL)) {
            measure(weft.port(), weft.pid(), weft::liveHeapKib, manyOnMail, onMailPoints, report);
        }
        report.line("");
        report.row("sessions (on mail)", "HAProxy resident", "Weft resident", "Weft live heap", "on mail: resident", "live heap");
        report.row("---:", "---:", "---:", "---:", "---:", "---:");
        for (int i = 0; i < weftPoints.size(); i++) {
            var point = weftPoints.get(i);
            var onMail = onMailPoints.get(i);
            report.row(point.sessions == onMail.sessions ? "" + point.sessions : point.sessions + " (" + onMail.sessions + ")",
                    "" + haproxyPoints.get(i).resident, "" + point.resident, "" + point.live, "" + onMail.resident, "" + onMail.live);
        }
        report.line("");
        report.row("KiB a session, " + FEW + " to the most", "outside the heap", "live heap", "sum", "≤ 6");
        report.row("---", "---:", "---:", "---:", "---");
        growth("HAProxy", haproxyPoints, report, false);
        growth("Weft", weftPoints, report, true);
        growth("Weft, on mail", onMailPoints, report, true);
    }

    private void measure(int port, long pid, LiveHeap heap, int many, List<Point> points, Report report)
            throws IOException, InterruptedException {
        SmtpSource.send(directory, port, WARM_UP_MESSAGES / divisor, 20, false, 4096);
        try (var rehearsal = new IdleSessions(port)) {
            rehearsal.raiseTo(FEW, OPENING);
        }
        try (var idle = new IdleSessions(port)) {
            for (int sessions : new int[] {0, FEW, many}) {
                idle.raiseTo(sessions, OPENING);
                // The collection comes first: what it touches outside the heap is then in every figure alike.
                heap.kib();
                long resident = settledKib(pid);
                long live = heap.kib();
                points.add(new Point(sessions, resident, live));
                idle.requireAllOpen();
                report.progress("%d sessions: %d KiB resident, %d KiB live heap", sessions, resident, live);
            }
        }
    }

    /** The resident memory when it has hardly changed for two seconds, since compilers take and free memory after a load. */
    private static long settledKib(long pid) throws InterruptedException {
        long last = ProcFs.residentKib(pid);
        for (int second = 0; second < SETTLE_SECONDS; second += 2) {
            Thread.sleep(2000);
            long now = ProcFs.residentKib(pid);
            if (Math.abs(now - last) <= SETTLED_KIB) {
                return now;
            }
            last = now;
        }
        return last;
    }

    private static void growth(String name, List<Point> points, Report report, boolean target) {
        var few = points.get(1);
        var many = points.get(2);
        double sessions = many.sessions - few.sessions;
        double outside = (many.resident - few.resident) / sessions;
        double live = (many.live - few.live) / sessions;
        double sum = Math.max(0, outside) + live;
        report.row(name, Report.hundredths(outside), target ? Report.hundredths(live) : "–", Report.hundredths(sum),
                target ? report.atMost(MOST_KIB, sum) : "");
    }
}
