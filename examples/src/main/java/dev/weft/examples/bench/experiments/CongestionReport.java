package dev.weft.examples.bench.experiments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What the congestion experiment prints and draws. */
final class CongestionReport {

    static final double MOST_SLOWER = 1.3;

    /** Beyond that, messages often wait for a processor. Two processors that have nothing else to do are busy for 15 to 40 %. */
    private static final double BUSY_PERCENT = 60;

    private static final List<String> STEADY_RECEIVERS = List.of("mx1", "mx2");

    /**
     * What came of a contender, with times in microseconds since 1970.
     *
     * @param begin of the steady mail that counts
     * @param middle when the burst began
     * @param end of the steady mail
     * @param busyWithout how much of the processors' time was in use, by anyone, between begin and middle, in percent
     * @param busyWith the same between middle and end
     */
    record Result(long begin, long middle, long end, double busyWithout, double busyWith, Map<String, Timeline> timelines) {

        boolean machineWasBusy() {
            return Math.max(busyWithout, busyWith) > BUSY_PERCENT;
        }

        double[] without(String receiver) {
            return timelines.get(receiver).latencies(begin, middle);
        }

        double[] with(String receiver) {
            return timelines.get(receiver).latencies(middle, end);
        }

        double ratio(String receiver) {
            return Timeline.median(with(receiver)) / Timeline.median(without(receiver));
        }

        String summary() {
            return STEADY_RECEIVERS.stream().map(receiver -> receiver + " median "
                    + Console.decimals(Timeline.median(without(receiver))) + " -> "
                    + Console.decimals(Timeline.median(with(receiver))) + " ms").reduce((a, b) -> a + ", " + b).orElse("");
        }
    }

    private final Path output;
    private final Map<Way, Result> results = new EnumMap<>(Way.class);

    CongestionReport(Path output) {
        this.output = output;
    }

    void add(Way way, Result result) {
        results.put(way, result);
    }

    void write(Console console) throws IOException {
        var table = new TextTable("contender", "MX", "received/s without", "with", "median ms without", "with", "with/without",
                "direct's", "p99 ms without", "with", "max ms with", "late", "CPUs busy % without", "with");
        table.row("target", "", "", "", "", "", "<= " + MOST_SLOWER, "", "", "", "", "0", "", "");
        for (var each : results.entrySet()) {
            each.getValue().timelines.forEach((receiver, timeline) -> row(console, table, each.getKey(), receiver, timeline));
        }
        console.table(table);
        console.line("late: not arrived when the trial ended; their latency so far counts. The figures second by second are in");
        console.line("congestion-CONTENDER.txt. CPUs busy: all that went on on this machine, not only here.");
        results.forEach((way, result) -> {
            if (result.machineWasBusy()) {
                console.line("CAUTION: the processors were busy for %s and %s %% of the time of %s, without and with the burst:"
                        .formatted(percent(result.busyWithout), percent(result.busyWith), way.title()));
                console.line("its latencies may be waits for a processor. Run it again when nothing else is running.");
            }
        });
        for (var each : results.entrySet()) {
            bySecond(each.getKey(), each.getValue());
            chart(each.getKey(), each.getValue());
        }
        if (!results.isEmpty()) {
            summaryChart();
        }
    }

    private void row(Console console, TextTable table, Way way, String receiver, Timeline timeline) {
        var result = results.get(way);
        var rateWithout = Console.decimals(timeline.rate(result.begin, result.middle));
        var rateWith = Console.decimals(timeline.rate(result.middle, result.end));
        if (!STEADY_RECEIVERS.contains(receiver)) {
            table.row(way.title(), receiver, rateWithout, rateWith, "–", "–", "–", "–", "–", "–", "–", "–",
                    percent(result.busyWithout), percent(result.busyWith));
            return;
        }
        var without = result.without(receiver);
        var with = result.with(receiver);
        double ratio = result.ratio(receiver);
        var direct = results.get(Way.DIRECT);
        table.row(way.title(), receiver, rateWithout, rateWith,
                Console.decimals(Timeline.median(without)), Console.decimals(Timeline.median(with)),
                console.atMost(way, MOST_SLOWER, ratio),
                Console.decimals(direct == null ? Double.NaN : direct.ratio(receiver)),
                Console.decimals(Timeline.percentile(without, 99)), Console.decimals(Timeline.percentile(with, 99)),
                Console.decimals(Timeline.percentile(with, 100)), console.none(way, timeline.late()),
                percent(result.busyWithout), percent(result.busyWith));
    }

    private static String percent(double figure) {
        return Double.isNaN(figure) ? "–" : Long.toString(Math.round(figure));
    }

    private void bySecond(Way way, Result result) throws IOException {
        var table = new TextTable("second", "mx1 received", "mx1 median ms", "mx2 received", "mx2 median ms", "mx3 received",
                "burst");
        var first = result.timelines.get("mx1");
        var second = result.timelines.get("mx2");
        var third = result.timelines.get("mx3");
        for (int i = 0; i < first.seconds(); i++) {
            table.row("" + i, Scale.label(first.arrivals()[i]), Console.decimals(first.medians()[i]),
                    Scale.label(second.arrivals()[i]), Console.decimals(second.medians()[i]), Scale.label(third.arrivals()[i]),
                    result.begin + (i + 1) * 1_000_000L > result.middle ? "yes" : "no");
        }
        Files.write(output.resolve("congestion-" + way.option() + ".txt"), table.lines());
    }

    private void chart(Way way, Result result) throws IOException {
        var counts = new ArrayList<LineChart.Series>();
        var medians = new ArrayList<LineChart.Series>();
        result.timelines.forEach((receiver, timeline) -> {
            var seconds = new double[timeline.seconds()];
            for (int i = 0; i < seconds.length; i++) {
                seconds[i] = i;
            }
            counts.add(new LineChart.Series(receiver, seconds, timeline.arrivals()));
            if (STEADY_RECEIVERS.contains(receiver)) {
                medians.add(new LineChart.Series(receiver, seconds, timeline.medians()));
            }
        });
        var burst = List.of(new LineChart.Event((result.middle - result.begin) / 1e6, "burst for mx3 begins"));
        ChartPage.write(output.resolve("congestion-" + way.option() + ".svg"), "Congestion: " + way.title(),
                "Steady mail to mx1 and mx2; mx3 is slow, and gets a burst from another sender",
                List.of(new LineChart("Received in each second", "seconds", "messages", counts, burst, false),
                        new LineChart("Median latency of what was sent in each second", "seconds", "ms (logarithmic)", medians,
                                burst, true)));
    }

    private void summaryChart() throws IOException {
        var ways = List.copyOf(results.keySet());
        var panels = STEADY_RECEIVERS.stream().map(receiver -> new BarChart("Mail to " + receiver, "median ms (logarithmic)",
                ways.stream().map(Way::title).toList(),
                List.of(new BarChart.Bars("without the burst",
                                ways.stream().map(way -> Timeline.median(results.get(way).without(receiver))).toList()),
                        new BarChart.Bars("with the burst",
                                ways.stream().map(way -> Timeline.median(results.get(way).with(receiver))).toList())),
                List.of(), true)).toList();
        ChartPage.write(output.resolve("congestion.svg"), "Congestion: latency while mx3 is slow",
                "From the sender's queue to the receiver's, with and without a burst for mx3", panels);
    }
}
