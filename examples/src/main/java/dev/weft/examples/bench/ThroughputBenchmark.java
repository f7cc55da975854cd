package dev.weft.examples.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Messages a second, and the proxies' CPU seconds per 10,000 messages. */
final class ThroughputBenchmark {

    private static final double LEAST_THROUGHPUT = 0.9;
    private static final double MOST_CPU = 1.6;

    private final Path directory;
    private final List<Contender> contenders;
    private final int rounds;
    private final int divisor;

    /**
     * Prepares it.
     *
     * @param contenders the direct way, HAProxy, Weft
     * @param divisor what the numbers of messages are divided by, to be quicker
     */
    ThroughputBenchmark(Path directory, List<Contender> contenders, int rounds, int divisor) {
        this.directory = directory;
        this.contenders = contenders;
        this.rounds = rounds;
        this.divisor = divisor;
    }

    void run(List<Load> loads, Report report) throws IOException, InterruptedException {
        report.line("");
        report.line("Messages/s, and CPU seconds of the proxy's process per 10,000 messages. 4 KB a message where not said.");
        report.line("");
        report.row("case", "direct msg/s", "HAProxy msg/s", "Weft msg/s", "Weft/HAProxy", "≥ 0.9",
                "HAProxy CPU s", "Weft CPU s", "Weft/HAProxy", "≤ 1.6");
        report.row("---", "---:", "---:", "---:", "---:", "---", "---:", "---:", "---:", "---");
        for (var load : loads) {
            measure(load, report);
        }
    }

    private void measure(Load load, Report report) throws IOException, InterruptedException {
        // In the first round compilers and caches warm up; it does not count.
        var runs = new ArrayList<Run[]>();
        for (int round = 0; round <= rounds; round++) {
            var these = round(load, round % 2 == 1);
            if (round > 0) {
                runs.add(these);
                report.progress("%s round %d: %.0f %.0f %.0f msg/s, CPU %.2f %.2f", load.key, round, these[0].perSecond(),
                        these[1].perSecond(), these[2].perSecond(), these[1].cpuPer10k(), these[2].cpuPer10k());
            }
        }
        var throughput = figures(runs, run -> run[2].perSecond() / run[1].perSecond());
        // A clock of 10 ms may see nothing in a very short run.
        var cpu = figures(runs, run -> run[2].cpuPer10k() / Math.max(run[1].cpuPer10k(), 1e-6));
        report.row(load.title,
                Report.whole(median(runs, run -> run[0].perSecond())),
                Report.whole(median(runs, run -> run[1].perSecond())),
                Report.whole(median(runs, run -> run[2].perSecond())),
                Report.ratio(throughput),
                load.throughputTarget ? report.atLeast(LEAST_THROUGHPUT, Statistics.median(throughput)) : "–",
                Report.hundredths(median(runs, run -> run[1].cpuPer10k())),
                Report.hundredths(median(runs, run -> run[2].cpuPer10k())),
                Report.ratio(cpu),
                load.cpuTarget ? report.atMost(MOST_CPU, Statistics.median(cpu)) : "–");
    }

    /** All contenders once, in an order that turns from round to round, so that a drift of the machine favours none. */
    private Run[] round(Load load, boolean backwards) throws IOException, InterruptedException {
        var runs = new Run[contenders.size()];
        for (int i = 0; i < runs.length; i++) {
            int which = backwards ? runs.length - 1 - i : i;
            runs[which] = Run.of(directory, load, contenders.get(which), divisor);
        }
        return runs;
    }

    private static double median(List<Run[]> runs, ToDoubleFunction<Run[]> figure) {
        return Statistics.median(figures(runs, figure));
    }

    private static List<Double> figures(List<Run[]> runs, ToDoubleFunction<Run[]> figure) {
        return runs.stream().mapToDouble(figure).boxed().toList();
    }
}
