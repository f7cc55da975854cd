package dev.weft.examples.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The tables of {@link MessageBenchmark}: one for each size of messages, a row for each contender. */
final class MessageTable {

    private static final double LEAST_DOT_TO_STREAM = 0.9;
    private static final double LEAST_HOLD_TO_STREAM = 0.8;
    private static final double LEAST_HOLD_TO_POSTFIX = 5;
    /** A queue with its writes to disk is so much slower that all rounds would wait for it. */
    private static final int FEWER_FOR_POSTFIX = 8;

    private static final int STREAM = 1;
    private static final int DOT = 2;
    private static final int HOLD = 3;
    private static final int QUEUED = 4;

    private final Path directory;
    private final List<Contender> contenders;
    private final int rounds;
    private final int divisor;
    private final Report report;

    /**
     * Prepares it.
     *
     * @param contenders the direct way; Weft's paths stream, hold the dot, hold; then, if it is there, Postfix with a queue, and
     *         without
     * @param divisor what the numbers of messages are divided by, to be quicker
     */
    MessageTable(Path directory, List<Contender> contenders, int rounds, int divisor, Report report) {
        this.directory = directory;
        this.contenders = contenders;
        this.rounds = rounds;
        this.divisor = divisor;
        this.report = report;
    }

    private interface Measuring<T> {
        T measure(Contender contender, int divisor) throws IOException, InterruptedException;
    }

    /** All contenders in turn, in an order that turns from round to round, so that a drift of the machine favours none. */
    private <T> List<List<T>> rounds(Measuring<T> measuring, ToDoubleFunction<T> shown, String what)
            throws IOException, InterruptedException {
        var all = new ArrayList<List<T>>();
        for (int round = 0; round <= rounds; round++) {
            var these = new ArrayList<T>(contenders.stream().map(none -> (T) null).toList());
            for (int i = 0; i < contenders.size(); i++) {
                int which = round % 2 == 1 ? contenders.size() - 1 - i : i;
                these.set(which, measuring.measure(contenders.get(which), which < QUEUED ? divisor : divisor * FEWER_FOR_POSTFIX));
            }
            if (round > 0) {
                all.add(these);
                report.progress("%s round %d: %s", what, round,
                        these.stream().map(one -> Report.thousandths(shown.applyAsDouble(one))).toList());
            }
        }
        return all;
    }

    /** Messages a second and CPU for each of them. */
    void throughput(String title, Load load, boolean small) throws IOException, InterruptedException {
        var all = rounds((contender, fewer) -> Run.of(directory, load, contender, fewer), Run::perSecond, load.key + " msg/s");
        report.line("");
        report.line(title + ":");
        report.line("");
        report.row("", "msg/s", "to stream", "target", "CPU ms a message", "hold to Postfix", "≥ 5");
        report.row("---", "---:", "---:", "---", "---:", "---:", "---");
        for (int i = 0; i < contenders.size(); i++) {
            int which = i;
            var toStream = figures(all, round -> round.get(which).perSecond() / round.get(STREAM).perSecond());
            var overPostfix = figures(all, round -> round.get(HOLD).perSecond() / round.get(which).perSecond());
            report.row(contenders.get(i).name(),
                    Report.whole(Statistics.median(figures(all, round -> round.get(which).perSecond()))),
                    i == 0 || i == STREAM ? "" : Report.ratio(toStream),
                    toStreamTarget(i, small, toStream),
                    i == 0 ? "" : Report.thousandths(Statistics.median(figures(all, round -> round.get(which).cpuPer10k() / 10))),
                    i < QUEUED ? "" : Report.ratio(overPostfix),
                    i != QUEUED || !small ? "" : report.atLeast(LEAST_HOLD_TO_POSTFIX, Statistics.median(overPostfix)));
        }
        if (!small && contenders.size() > QUEUED) {
            var direct = figures(all, round -> round.get(0).perSecond() / round.get(QUEUED).perSecond());
            report.line("");
            report.line("At this size sender and sink are the limit: even the direct way is only " + Report.ratio(direct)
                    + " Postfix, filtered and queued, so that there is no target for hold.");
        }
    }

    private String toStreamTarget(int contender, boolean small, List<Double> ratios) {
        return switch (contender) {
            case DOT -> "≥ 0.9 " + report.atLeast(LEAST_DOT_TO_STREAM, Statistics.median(ratios));
            case HOLD -> small ? "≥ 0.8 " + report.atLeast(LEAST_HOLD_TO_STREAM, Statistics.median(ratios)) : "";
            default -> "";
        };
    }

    /** What each way adds to the time of a session with one message. */
    void latency(String size, int bodySize, int sessions) throws IOException, InterruptedException {
        var all = rounds((contender, fewer) -> SessionTimes.of(contender, bodySize, Math.max(20, sessions / fewer)),
                SessionTimes::p50, "p50 of " + size);
        report.line("");
        report.line("Time of a session with one message of " + size + ", from connect to the reply to QUIT, one at a time, in ms."
                + " Added: less the direct way's of the same round.");
        report.line("");
        report.row("", "session p50", "session p99", "added p50", "added p99");
        report.row("---", "---:", "---:", "---:", "---:");
        for (int i = 0; i < contenders.size(); i++) {
            int which = i;
            report.row(contenders.get(i).name(),
                    median(all, round -> round.get(which).p50()),
                    median(all, round -> round.get(which).p99()),
                    i == 0 ? "–" : median(all, round -> round.get(which).p50() - round.get(0).p50()),
                    i == 0 ? "–" : median(all, round -> round.get(which).p99() - round.get(0).p99()));
        }
    }

    private static <T> String median(List<List<T>> all, ToDoubleFunction<List<T>> figure) {
        return Report.thousandths(Statistics.median(figures(all, figure)));
    }

    private static <T> List<Double> figures(List<List<T>> all, ToDoubleFunction<List<T>> figure) {
        return all.stream().mapToDouble(figure).boxed().toList();
    }
}
