package dev.weft.examples.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What a proxy adds to the time of a whole session with one message of 4 KB, one session at a time. */
final class LatencyBenchmark {

    private static final double MOST_ADDED = 1.5;
    private static final int BODY = 4096;
    private static final int SESSIONS = 2_000;

    private final List<Contender> contenders;
    private final int rounds;
    private final int sessions;

    /**
     * Prepares it.
     *
     * @param contenders the direct way, HAProxy, Weft
     * @param divisor what the number of sessions is divided by, to be quicker
     */
    LatencyBenchmark(List<Contender> contenders, int rounds, int divisor) {
        this.contenders = contenders;
        this.rounds = rounds;
        this.sessions = SESSIONS / divisor;
    }

    /** The percentiles of one contender in one round, in milliseconds. */
    private record Times(double p50, double p99) {}

    void run(Report report) throws IOException {
        var results = new ArrayList<Times[]>();
        for (int round = 0; round <= rounds; round++) {
            var these = new Times[contenders.size()];
            for (int i = 0; i < these.length; i++) {
                int which = round % 2 == 1 ? these.length - 1 - i : i;
                these[which] = measure(contenders.get(which));
            }
            // The first round warms up.
            if (round > 0) {
                results.add(these);
                report.progress("latency round %d: p50 %.3f %.3f %.3f ms", round, these[0].p50, these[1].p50, these[2].p50);
            }
        }
        print(results, report);
    }

    private void print(List<Times[]> results, Report report) {
        report.line("");
        report.line("Time of a session with one message of 4 KB, from connect to the reply to QUIT, one at a time, in ms."
                + " Added: less the direct way's p50 of the same round.");
        report.line("");
        report.row("", "session p50", "session p99", "added p50", "added p99", "Weft/HAProxy, added p50", "≤ 1.5");
        report.row("---", "---:", "---:", "---:", "---:", "---:", "---");
        var ratio = figures(results, times -> (times[2].p50 - times[0].p50) / (times[1].p50 - times[0].p50));
        for (int i = 0; i < contenders.size(); i++) {
            int which = i;
            boolean proxy = i > 0;
            boolean weft = i == 2;
            report.row(contenders.get(i).name(),
                    Report.thousandths(median(results, times -> times[which].p50)),
                    Report.thousandths(median(results, times -> times[which].p99)),
                    proxy ? Report.thousandths(median(results, times -> times[which].p50 - times[0].p50)) : "–",
                    proxy ? Report.thousandths(median(results, times -> times[which].p99 - times[0].p50)) : "–",
                    weft ? Report.ratio(ratio) : "",
                    weft ? report.atMost(MOST_ADDED, Statistics.median(ratio)) : "");
        }
    }

    private Times measure(Contender contender) throws IOException {
        var client = new SessionClient(new InetSocketAddress("127.0.0.1", contender.port()), BODY);
        var times = new double[sessions];
        for (int i = 0; i < sessions; i++) {
            times[i] = client.send(null) / 1e6;
        }
        return new Times(Statistics.percentile(times, 50), Statistics.percentile(times, 99));
    }

    private static double median(List<Times[]> results, ToDoubleFunction<Times[]> figure) {
        return Statistics.median(figures(results, figure));
    }

    private static List<Double> figures(List<Times[]> results, ToDoubleFunction<Times[]> figure) {
        return results.stream().mapToDouble(figure).boxed().toList();
    }
}
