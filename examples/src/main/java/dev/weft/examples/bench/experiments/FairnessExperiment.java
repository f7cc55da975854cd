package dev.weft.examples.bench.experiments;

import dev.weft.examples.lab.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Three senders with the same load for one receiver, which allows few connections and takes its time. */
final class FairnessExperiment implements Experiment {

    static final double MOST_UNEQUAL = 1.1;
    static final double MOST_OVER_FLOOR = 1.1;

    private static final String RECEIVER = "mx1";
    private static final int CONNECTIONS = 10;
    private static final int MX_SECONDS = 1;

    /**
     * What came of a contender.
     *
     * @param arrivals seconds after the start at which each sender's messages arrived, in order
     */
    private record Result(Map<String, double[]> arrivals, int expected, double floor, int suspended, int refusals, long doubled) {

        /** When the last message of a sender arrived; NaN if some did not. */
        double completion(String sender) {
            var all = arrivals.get(sender);
            return all.length < expected ? Double.NaN : all[all.length - 1];
        }

        List<Double> completions() {
            return arrivals.keySet().stream().map(this::completion).toList();
        }

        double total() {
            return unlessUnknown(Collections.max(completions()));
        }

        double inequality() {
            return unlessUnknown(Collections.max(completions()) / Collections.min(completions()));
        }

        private double unlessUnknown(double figure) {
            return completions().stream().anyMatch(each -> Double.isNaN(each)) ? Double.NaN : figure;
        }

        long lost() {
            return arrivals.values().stream().mapToLong(all -> expected - all.length).sum();
        }
    }

    private final Plan plan;
    private final Map<Way, Result> results = new EnumMap<>(Way.class);

    FairnessExperiment(Plan plan) {
        this.plan = plan;
    }

    @Override
    public String description() {
        return """
                FAIRNESS: %d senders begin at the same moment with %d messages each for one receiver, over %d connections each.
                It allows %d connections for a client address, and takes %d s for a recipient. A sender's time is that until its
                last message is queued at the receiver. Floor: recipients × seconds ÷ connections allowed (direct, each sender
                has its own; a relay or a proxy has one address, and so %d for all). Senders and relay try again after 2 s."""
                .formatted(Topology.SENDERS.size(), plan.fairnessMessages(), CONNECTIONS, CONNECTIONS, MX_SECONDS, CONNECTIONS);
    }

    @Override
    public String attempt(Way way) throws IOException, InterruptedException, NotAvailableException {
        var rules = new SiteRules(CONNECTIONS, CONNECTIONS, CONNECTIONS, Map.of(RECEIVER, MX_SECONDS), plan.fairnessLimit(),
                plan.jvmFlags());
        double floor = floor(way);
        try (var site = Site.open(way, rules)) {
            var bySender = new LinkedHashMap<String, List<String>>();
            for (var sender : Topology.SENDERS) {
                bySender.put(sender, Site.recipients(sender, "fair", plan.fairnessMessages(), List.of(RECEIVER)));
            }
            var all = bySender.values().stream().flatMap(List::stream).toList();
            site.hold(bySender);
            long start = site.release(bySender.keySet());
            site.awaitArrival(all, Duration.ofSeconds(30 + (long) (4 * floor)));
            site.sent().read();
            var arrivals = new LinkedHashMap<String, double[]>();
            bySender.forEach((sender, recipients) -> arrivals.put(sender, recipients.stream()
                    .flatMapToLong(recipient -> site.arrivals().queuedMicros(recipient).stream())
                    .mapToDouble(micros -> (micros - start) / 1e6).sorted().toArray()));
            var result = new Result(arrivals, plan.fairnessMessages(), floor, site.sent().suspended(), site.refusals(),
                    site.arrivals().doubled(all));
            results.put(way, result);
            return "all in %s s, floor %s s, lost %d".formatted(Console.decimals(result.total()), Console.decimals(floor),
                    result.lost());
        }
    }

    private double floor(Way way) {
        int allowed = CONNECTIONS * (way.oneAddress() ? 1 : Topology.SENDERS.size());
        return plan.fairnessMessages() * Topology.SENDERS.size() * (double) MX_SECONDS / allowed;
    }

    @Override
    public void report(Console console) throws IOException {
        var table = new TextTable("contender", "s1 s", "s2 s", "s3 s", "slowest/fastest", "total s", "floor s", "total/floor",
                "suspended", "refusals", "lost", "doubled");
        table.row("target", "", "", "", "<= " + MOST_UNEQUAL, "", "", "<= " + MOST_OVER_FLOOR, "0", "", "0", "0");
        for (var each : results.entrySet()) {
            var way = each.getKey();
            var result = each.getValue();
            var times = result.completions().stream().map(Console::decimals).toList();
            table.row(way.title(), times.get(0), times.get(1), times.get(2),
                    console.atMost(way, MOST_UNEQUAL, result.inequality()), Console.decimals(result.total()),
                    Console.decimals(result.floor), console.atMost(way, MOST_OVER_FLOOR, result.total() / result.floor),
                    console.none(way, result.suspended), "" + result.refusals, console.none(way, result.lost()),
                    console.none(way, result.doubled));
            progressChart(way, result);
        }
        console.table(table);
        console.line("suspended: lines \"delivery temporarily suspended\" in the senders' logs; refusals: attempts that the");
        console.line("receiver refused for too many connections, in the senders' and the relay's logs.");
        if (!results.isEmpty()) {
            barChart();
        }
    }

    private void barChart() throws IOException {
        var ways = List.copyOf(results.keySet());
        var bars = Topology.SENDERS.stream().map(sender -> new BarChart.Bars(sender,
                ways.stream().map(way -> results.get(way).completion(sender)).toList())).toList();
        ChartPage.write(plan.output().resolve("fairness.svg"), "Fairness: when each sender's mail was through",
                "%d messages from each sender; the receiver allows %d connections for an address and takes %d s for a message"
                        .formatted(plan.fairnessMessages(), CONNECTIONS, MX_SECONDS),
                List.of(new BarChart("Time until the last message arrived (dashed: the floor)", "seconds",
                        ways.stream().map(Way::title).toList(), bars, ways.stream().map(way -> results.get(way).floor).toList(),
                        false)));
    }

    private void progressChart(Way way, Result result) throws IOException {
        var lines = result.arrivals.entrySet().stream().map(each -> {
            var times = each.getValue();
            var counts = new double[times.length];
            for (int i = 0; i < counts.length; i++) {
                counts[i] = i + 1;
            }
            return new LineChart.Series(each.getKey(), times, counts);
        }).toList();
        ChartPage.write(plan.output().resolve("fairness-" + way.option() + ".svg"), "Fairness: " + way.title(),
                "Messages of each sender that had arrived",
                List.of(new LineChart("Arrived", "seconds since the start", "messages", lines,
                        List.of(new LineChart.Event(result.floor, "floor")), false)));
    }
}
