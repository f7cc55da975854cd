package dev.weft.examples.bench.experiments;

import dev.weft.examples.lab.Family;
import dev.weft.examples.lab.Namespaces;
import dev.weft.examples.lab.Postfix;
import dev.weft.examples.lab.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The hosts of one trial with one contender between them: made for it, and gone with it. */
final class Site implements AutoCloseable {

    private static final Duration SUBMISSION_LIMIT = Duration.ofSeconds(90);

    private final Namespaces net;
    private final Map<String, Postfix> senders = new LinkedHashMap<>();
    private final Map<String, Postfix> receivers = new LinkedHashMap<>();
    private Postfix relay;
    private WeftProcess weft;
    private Deliveries sent;
    private Deliveries arrivals;

    private Site(Namespaces net) {
        this.net = net;
    }

    static Site open(Way way, SiteRules rules) throws IOException, InterruptedException, NotAvailableException {
        var site = new Site(Topology.create());
        try {
            site.start(way, rules);
            return site;
        } catch (IOException | InterruptedException | NotAvailableException | RuntimeException | Error e) {
            site.close();
            throw e;
        }
    }

    private void start(Way way, SiteRules rules) throws IOException, InterruptedException, NotAvailableException {
        if (way.weft()) { // first, since it may be one that is not available
            weft = WeftProcess.start(net, rules.jvmFlags(), rules.weft(way));
        }
        var routes = Topology.RECEIVERS.stream().map(host -> host + ".test smtp:[" + Topology.address(host, Family.IPV4) + "]\n")
                .collect(Collectors.joining());
        for (var host : Topology.SENDERS) {
            var postfix = new Postfix(net, host, false, rules.sender(way == Way.POSTFIX ? Topology.gateway(host) : null));
            postfix.write("transport", routes);
            postfix.write("held", rules.held());
            senders.put(host, postfix);
        }
        for (var host : Topology.RECEIVERS) {
            receivers.put(host, new Postfix(net, host, true, rules.receiver(host)));
        }
        if (way == Way.POSTFIX) {
            relay = new Postfix(net, Topology.ROUTER, true, rules.relay());
            relay.write("transport", routes);
        }
        var all = new ArrayList<>(senders.values());
        all.addAll(receivers.values());
        if (relay != null) {
            all.add(relay);
        }
        Parallel.run(all, Postfix::start);
        sent = new Deliveries(logs(senders.values()));
        arrivals = new Deliveries(logs(receivers.values()));
    }

    Postfix sender(String host) {
        return senders.get(host);
    }

    /** What the senders' logs tell. */
    Deliveries sent() {
        return sent;
    }

    /** What the receivers' logs tell: a message is there when it is queued there. */
    Deliveries arrivals() {
        return arrivals;
    }

    /** How often a receiver refused a sender, or the relay, for too many connections. */
    int refusals() throws IOException {
        var relayed = new Deliveries(relay == null ? List.of() : logs(List.of(relay))).read();
        return sent.refusedForConnections() + relayed.refusedForConnections();
    }

    private static List<Path> logs(Collection<Postfix> instances) {
        return instances.stream().map(Postfix::log).toList();
    }

    /** Begins to measure what the contender uses. */
    UsageMeter measure() {
        if (relay != null) {
            return UsageMeter.ofFamily(relay.master());
        }
        return weft == null ? UsageMeter.ofNothing() : UsageMeter.ofProcess(weft.pid());
    }

    /** Addresses that no other message of the trial has. */
    static List<String> recipients(String sender, String label, int count, List<String> receivers) {
        return IntStream.range(0, count)
                .mapToObj(i -> sender + "-" + label + i + "@" + receivers.get(i % receivers.size()) + ".test").toList();
    }

    /** Has each sender queue its messages and hold them. */
    void hold(Map<String, List<String>> recipientsBySender) throws IOException, InterruptedException {
        Parallel.run(recipientsBySender.entrySet(), each -> Submission.send(senders.get(each.getKey()), each.getValue(), true));
        long end = System.nanoTime() + SUBMISSION_LIMIT.toNanos();
        for (var each : recipientsBySender.entrySet()) {
            while (held(each.getKey()) < each.getValue().size()) {
                requireTime(end, each.getKey() + " holds " + held(each.getKey()) + " of " + each.getValue().size() + " messages");
            }
        }
    }

    private int held(String sender) {
        var files = senders.get(sender).home().resolve("queue/hold").toFile().list();
        return files == null ? 0 : files.length;
    }

    private static void requireTime(long end, String state) throws IOException, InterruptedException {
        if (System.nanoTime() > end) {
            throw new IOException("time is up: " + state);
        }
        TimeUnit.MILLISECONDS.sleep(50);
    }

    /** Has some senders begin with what they hold; says when, in microseconds since 1970. */
    long release(Collection<String> hosts) throws IOException {
        long start = nowMicros();
        Parallel.run(hosts, host -> senders.get(host).release());
        return start;
    }

    /** Waits until mail has arrived for all of the recipients, or the time is up; says which it was. */
    boolean awaitArrival(Collection<String> recipients, Duration limit) throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (arrivals.read().delivered(recipients) < recipients.size()) {
            if (System.nanoTime() > end) {
                return false;
            }
            if (weft != null && !weft.alive()) {
                throw new IOException("Weft has ended: " + weft.printed());
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        return true;
    }

    static long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    @Override
    public void close() {
        try (net) {
            if (weft != null) {
                weft.close();
                weft.complaints().forEach(line -> Console.progress("Weft printed: " + line));
            }
        }
    }
}
