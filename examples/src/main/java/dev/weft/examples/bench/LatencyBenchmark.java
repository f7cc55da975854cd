package dev.weft.examples.bench;

import java.io.IOException;
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

    void run(Report report) throws IOException {
        var results = new ArrayList<SessionTimes[]>();
        for (int round = 0; round <= rounds; round++) {
            var these = new SessionTimes[contenders.size()];
            for (int i = 0; i < these.length; i++) {
                int which = round % 2 == 1 ? these.length - 1 - i : i;
                these[which] = SessionTimes.of(contenders.get(which), BODY, sessions);
            }
            // The first round warms up.
            if (round > 0) {
                results.add(these);
                report.progress("latency round %d: p50 %.3f %.3f %.3f ms", round, these[0].p50(), these[1].p50(), these[2].p50());
            }
        }
        print(results, report);
    }

    private void print(List<SessionTimes[]> results, Report report) {
        report.line("");
        report.line("Time of a session with one message of 4 KB, from connect to the reply to QUIT, one at a time, in ms."
                + " Added: less the direct way's p50 of the same round.");
        report.line("");
        report.row("", "session p50", "session p99", "added p50", "added p99", "Weft/HAProxy, added p50", "≤ 1.5");
        report.row("---", "---:", "---:", "---:", "---:", "---:", "---");
        var ratio = figures(results, times -> (times[2].p50() - times[0].p50()) / (times[1].p50() - times[0].p50()));
        for (int i = 0; i < contenders.size(); i++) {
            int which = i;
            boolean proxy = i > 0;
            boolean weft = i == 2;
            report.row(contenders.get(i).name(),
                    Report.thousandths(median(results, times -> times[which].p50())),
                    Report.thousandths(median(results, times -> times[which].p99())),
                    proxy ? Report.thousandths(median(results, times -> times[which].p50() - times[0].p50())) : "–",
                    proxy ? Report.thousandths(median(results, times -> times[which].p99() - times[0].p50())) : "–",
                    weft ? Report.ratio(ratio) : "",
                    weft ? report.atMost(MOST_ADDED, Statistics.median(ratio)) : "");
        }
    }

    private static double median(List<SessionTimes[]> results, ToDoubleFunction<SessionTimes[]> figure) {
        return Statistics.median(figures(results, figure));
    }

    private static List<Double> figures(List<SessionTimes[]> results, ToDoubleFunction<SessionTimes[]> figure) {
        return results.stream().mapToDouble(figure).boxed().toList();
    }
}
