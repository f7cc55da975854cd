package dev.weft.examples.bench.experiments;

import dev.weft.examples.lab.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Everyday mail to two receivers, while another sender has a burst for a third one that is slow. */
final class CongestionExperiment implements Experiment {

    private static final List<String> STEADY_SENDERS = List.of("s1", "s2");
    private static final List<String> STEADY_RECEIVERS = List.of("mx1", "mx2");
    private static final int PER_SECOND = 10;
    private static final String BURST_SENDER = "s3";
    private static final String TARPIT = "mx3";
    private static final int CONNECTIONS = 50;

    private final Plan plan;
    private final CongestionReport report;

    CongestionExperiment(Plan plan) {
        this.plan = plan;
        report = new CongestionReport(plan.output());
    }

    @Override
    public String description() {
        return """
                CONGESTION: %s send %d messages of 4 KB a second each, by turns, to %s in turn. After %d s, %s begins with
                a burst of %d messages for %s, over %d connections; that receiver takes %d s for a recipient. Latency: from the
                sender's queue to the receiver's, of the messages queued in the %d s before and the %d s after the burst's begin.
                The Postfix relay makes at most %d connections to a destination, out of 100 in all."""
                .formatted(String.join(" and ", STEADY_SENDERS), PER_SECOND, String.join(" and ", STEADY_RECEIVERS),
                        plan.quietSeconds(), BURST_SENDER, plan.burstMessages(), TARPIT, CONNECTIONS, plan.tarpitSeconds(),
                        plan.quietSeconds(), plan.burstSeconds(), plan.relayConnections());
    }

    @Override
    public String attempt(Way way) throws IOException, InterruptedException, NotAvailableException {
        var rules = new SiteRules(CONNECTIONS, plan.relayConnections(), 0, Map.of(TARPIT, plan.tarpitSeconds()), "auto",
                plan.jvmFlags());
        try (var site = Site.open(way, rules)) {
            var burst = Site.recipients(BURST_SENDER, "burst", plan.burstMessages(), List.of(TARPIT));
            site.hold(Map.of(BURST_SENDER, burst));
            var steady = new ArrayList<SteadyFlow.Sent>();
            long begin;
            long middle;
            long end;
            double busyWithout;
            double busyWith;
            try (var first = flow(site, 0); var second = flow(site, 1)) {
                TimeUnit.SECONDS.sleep(plan.warmUpSeconds());
                begin = Site.nowMicros();
                var atBegin = Processors.now();
                TimeUnit.SECONDS.sleep(plan.quietSeconds());
                var atMiddle = Processors.now();
                busyWithout = atMiddle.busyPercentSince(atBegin);
                middle = site.release(List.of(BURST_SENDER));
                long pause = middle + plan.burstSeconds() * 1_000_000L - Site.nowMicros();
                TimeUnit.MICROSECONDS.sleep(pause);
                end = Site.nowMicros();
                busyWith = Processors.now().busyPercentSince(atMiddle);
                steady.addAll(first.stop());
                steady.addAll(second.stop());
            }
            settle(site, steady);
            var result = new CongestionReport.Result(
                    begin, middle, end, busyWithout, busyWith, timelines(site, steady, burst, begin, end));
            report.add(way, result);
            return result.summary();
        }
    }

    @Override
    public void report(Console console) throws IOException {
        report.write(console);
    }

    private static SteadyFlow flow(Site site, int number) throws IOException {
        double place = (double) number / STEADY_SENDERS.size();
        return new SteadyFlow(site.sender(STEADY_SENDERS.get(number)), STEADY_RECEIVERS, PER_SECOND, place);
    }

    /** Waits for what is under way, though not for ever, and for the senders' logs to tell of it. */
    private void settle(Site site, List<SteadyFlow.Sent> steady) throws IOException, InterruptedException {
        var recipients = steady.stream().map(SteadyFlow.Sent::recipient).toList();
        if (site.awaitArrival(recipients, Duration.ofSeconds(plan.burstSeconds() + 10L))) {
            for (int i = 0; i < 25 && site.sent().read().delivered(recipients) < recipients.size(); i++) {
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }
        site.sent().read();
        site.arrivals().read();
    }

    private Map<String, Timeline> timelines(Site site, List<SteadyFlow.Sent> steady, List<String> burst, long begin, long end) {
        long now = Site.nowMicros();
        int seconds = (int) ((end - begin) / 1_000_000);
        var passages = new LinkedHashMap<String, List<Timeline.Passage>>();
        Topology.RECEIVERS.forEach(receiver -> passages.put(receiver, new ArrayList<>()));
        for (var sent : steady) {
            long queued = site.sent().queuedMicros(sent.recipient()).orElse(sent.micros());
            long arrived = site.arrivals().queuedMicros(sent.recipient()).orElse(-1);
            passages.get(sent.receiver()).add(new Timeline.Passage(queued, arrived, now));
        }
        for (var recipient : burst) { // how long they had been on hold is of no interest
            site.arrivals().queuedMicros(recipient)
                    .ifPresent(arrived -> passages.get(TARPIT).add(new Timeline.Passage(begin - 1, arrived, now)));
        }
        var timelines = new LinkedHashMap<String, Timeline>();
        passages.forEach((receiver, list) -> timelines.put(receiver, new Timeline(begin, seconds, list)));
        return timelines;
    }
}
