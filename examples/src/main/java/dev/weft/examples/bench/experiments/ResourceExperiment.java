package dev.weft.examples.bench.experiments;

import dev.weft.examples.lab.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The same mail through each contender: what its processes use for it. */
final class ResourceExperiment implements Experiment {

    private static final int CONNECTIONS = 10;
    private static final List<String> RECEIVERS = List.of("mx1", "mx2");
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private record Result(int messages, double seconds, UsageMeter.Usage usage, long lost, long doubled) {

        double cpuMillis() {
            return usage.cpuSeconds() * 1000 / messages;
        }

        double memoryMib() {
            return usage.peakKib() / 1024.0;
        }

        double diskKib() {
            return usage.diskBytes() / 1024.0 / messages;
        }
    }

    private final Plan plan;
    private final Map<Way, Result> results = new EnumMap<>(Way.class);

    ResourceExperiment(Plan plan) {
        this.plan = plan;
    }

    @Override
    public String description() {
        return """
                RESOURCES: %d senders send %d messages of 4 KB each to two receivers, over at most %d connections between a sender
                and a receiver. The same amount went before, to warm up, and is not counted. Measured are the contender's own
                processes, from /proc: CPU time, the peak of resident memory (pages that processes share are divided among them;
                sampled each 500 ms), and the bytes that they had the kernel write to storage. Routing alone (direct) has none."""
                .formatted(Topology.SENDERS.size(), plan.resourceMessages(), CONNECTIONS);
    }

    @Override
    public String attempt(Way way) throws IOException, InterruptedException, NotAvailableException {
        var rules = new SiteRules(CONNECTIONS, SiteRules.POSTFIX_CONNECTIONS, 0, Map.of(), "auto", plan.jvmFlags());
        try (var site = Site.open(way, rules)) {
            deliver(site, "warm");
            Result result;
            try (var meter = site.measure()) {
                var all = new ArrayList<String>();
                double seconds = deliver(site, "counted", all);
                long lost = all.size() - site.arrivals().delivered(all);
                result = new Result(all.size(), seconds, meter.usage(), lost, site.arrivals().doubled(all));
            }
            results.put(way, result);
            return result.messages + " messages in " + Console.decimals(result.seconds) + " s, lost " + result.lost;
        }
    }

    private void deliver(Site site, String label) throws IOException, InterruptedException {
        deliver(site, label, new ArrayList<>());
    }

    /** Says how long it took. */
    private double deliver(Site site, String label, List<String> recipients) throws IOException, InterruptedException {
        var bySender = new LinkedHashMap<String, List<String>>();
        for (var sender : Topology.SENDERS) {
            bySender.put(sender, Site.recipients(sender, label, plan.resourceMessages(), RECEIVERS));
        }
        bySender.values().forEach(recipients::addAll);
        site.hold(bySender);
        long start = site.release(bySender.keySet());
        site.awaitArrival(recipients, LIMIT);
        var arrivals = recipients.stream().flatMapToLong(each -> site.arrivals().queuedMicros(each).stream());
        return (arrivals.max().orElse(start) - start) / 1e6;
    }

    @Override
    public void report(Console console) throws IOException {
        var table = new TextTable("contender", "messages", "seconds", "messages/s", "CPU s", "CPU ms/message", "peak memory MiB",
                "disk KiB", "disk KiB/message", "lost", "doubled");
        for (var each : results.entrySet()) {
            var result = each.getValue();
            table.row(each.getKey().title(), "" + result.messages, Console.decimals(result.seconds),
                    Console.decimals((result.messages - result.lost) / result.seconds),
                    Console.decimals(result.usage.cpuSeconds()), Console.decimals(result.cpuMillis()),
                    Console.decimals(result.memoryMib()),
                    Console.decimals(result.usage.diskBytes() / 1024.0), Console.decimals(result.diskKib()),
                    console.none(each.getKey(), result.lost), console.none(each.getKey(), result.doubled));
        }
        console.table(table);
        if (!results.isEmpty()) {
            ChartPage.write(plan.output().resolve("resources.svg"), "Resources: what the contenders used for the same mail",
                    "%d messages of 4 KB from three senders to two receivers".formatted(plan.resourceMessages() * 3),
                    List.of(bars("CPU time", "ms a message", Result::cpuMillis),
                            bars("Peak of resident memory", "MiB", Result::memoryMib),
                            bars("Written to storage", "KiB a message", Result::diskKib)));
        }
    }

    private BarChart bars(String title, String unit, ToDoubleFunction<Result> figure) {
        var values = results.values().stream().map(figure::applyAsDouble).toList();
        return new BarChart(title, unit, results.keySet().stream().map(Way::title).toList(),
                List.of(new BarChart.Bars(unit, values)), List.of(), false);
    }
}
