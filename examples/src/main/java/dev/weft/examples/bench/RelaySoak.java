package dev.weft.examples.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Proves endurance: nothing lost or doubled under load, no ports run out at a high rate of sessions from one address to one
 * server, many idle sessions in a small heap. Needs Linux and the Debian package postfix (for smtp-source and smtp-sink; no
 * service need run).
 */
public final class RelaySoak {

    /** What a user may say about a run. */
    public static final String USAGE = """
            Usage: java -cp CLASSPATH dev.weft.examples.bench.RelaySoak [OPTION]...
              --messages N      messages to count at the sink; 50000, 0 for none
              --sessions N      how many sessions at one time; 100
              --seconds N       how long one-message sessions go on from one address; 120, 0 for none
              --rate N          how many of these a second; 700
              --least N         how many of these a second must succeed; 600
              --idle N          idle sessions in a JVM of -Xmx256m; 10000, 0 for none. Bound on connect each takes two descriptors,
                                bound on mail one: see ulimit -n
              --proxy-closes    the server leaves the first close after QUIT to the proxy, whose ports then go into TIME_WAIT
              --quick           a tenth of the messages, seconds and idle sessions, where they are not given
            The exit code is 1 if anything failed, 2 if something that is needed is not there.
            """;

    private static final String ONE_SOURCE = "127.0.0.1";
    private static final int IDLE_MESSAGES = 1_000;

    private final Arguments arguments;
    private final int divisor;
    private final Report report = new Report();
    private final List<String> details = new ArrayList<>();
    private Path directory;
    private boolean failed;

    private RelaySoak(Arguments arguments) {
        this.arguments = arguments;
        this.divisor = arguments.has("--quick") ? 10 : 1;
    }

    /**
     * Runs the soak.
     *
     * @param args see {@code --help}
     * @throws IOException if a process failed
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        if (Arrays.asList(args).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        try {
            var valued = Set.of("--messages", "--sessions", "--seconds", "--rate", "--least", "--idle");
            System.exit(new RelaySoak(new Arguments(args, Set.of("--quick", "--proxy-closes"), valued)).run(args));
        } catch (IllegalArgumentException | Tools.MissingToolException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        }
    }

    private int run(String[] args) throws IOException, InterruptedException {
        Tools.find("smtp-source", "postfix");
        Tools.find("smtp-sink", "postfix");
        Tools.requireLinux();
        report.header(RelaySoak.class, args);
        report.line("");
        directory = Files.createTempDirectory("weft-soak");
        int messages = arguments.number("--messages", 50_000 / divisor);
        if (messages > 0) {
            int sessions = Math.max(1, arguments.number("--sessions", 100));
            part("messages counted by smtp-sink", () -> countAtSmtpSink(messages, sessions));
            part("messages told apart by their recipients", () -> countByRecipient(messages, sessions));
        }
        int seconds = arguments.number("--seconds", 120 / divisor);
        if (seconds > 0) {
            part("sessions from one address to one server", () -> fromOneSource(seconds));
        }
        int idle = arguments.number("--idle", 10_000 / divisor);
        if (idle > 0) {
            part("idle sessions in a small heap", () -> manyIdle(idle, IdleSessions.most()));
            part("idle sessions bound on mail in a small heap", () -> manyIdle(idle, IdleSessions.mostOnMail(), Proxy.ON_MAIL));
        }
        if (!failed) {
            Tools.remove(directory);
        }
        return failed ? 1 : 0;
    }

    /** A part of the soak; says whether all was well. */
    private interface Part {
        boolean run() throws IOException, InterruptedException;
    }

    private void part(String name, Part part) throws InterruptedException {
        boolean passed = false;
        try {
            passed = part.run();
        } catch (IOException e) {
            details.add(e.getMessage());
        }
        failed |= !passed;
        report.line("- " + name + ": " + (passed ? "passed" : "**failed**, logs in " + directory));
        details.forEach(detail -> report.line("  - " + detail));
        details.clear();
    }

    private boolean countAtSmtpSink(int messages, int sessions) throws IOException, InterruptedException {
        try (var sink = SmtpSink.start(directory, true); var weft = WeftChild.start(directory, List.of(), sink.port())) {
            double seconds = SmtpSource.send(directory, weft.port(), messages, sessions, false, 4096);
            long counted = sink.messages();
            details.add(messages + " sent, " + sessions + " sessions at one time, " + Report.whole(messages / seconds)
                    + " messages/s; " + counted + " counted");
            return counted == messages && quiet(weft);
        }
    }

    private boolean countByRecipient(int messages, int sessions) throws IOException, InterruptedException {
        try (var sink = new CountingSink(true); var weft = WeftChild.start(directory, List.of(), sink.port())) {
            SmtpSource.send(directory, weft.port(), messages, sessions, false, 4096);
            long lost = messages - sink.recipients();
            long doubled = sink.messages() - sink.recipients();
            details.add(messages + " sent, " + lost + " lost, " + doubled + " doubled");
            if (sink.failure() != null) {
                throw sink.failure();
            }
            return lost == 0 && doubled == 0 && quiet(weft);
        }
    }

    private boolean fromOneSource(int seconds) throws IOException, InterruptedException {
        int least = arguments.number("--least", 600);
        int rate = Math.max(1, arguments.number("--rate", 700));
        try (var sink = new CountingSink(!arguments.has("--proxy-closes"));
                var weft = WeftChild.start(directory, List.of(), sink.port(), ONE_SOURCE)) {
            var result = new PacedSessions(weft.port(), rate, seconds).run();
            long waiting = ProcFs.timeWaitTowards(sink.port());
            details.add(result.completed() + " sessions in " + Report.whole(result.seconds()) + " s, "
                    + Report.whole(result.perSecond()) + " a second, all server legs from " + ONE_SOURCE + " to one port; "
                    + waiting + " of the proxy's ports in TIME_WAIT at the end (ip_local_port_range "
                    + ProcFs.line("/proc/sys/net/ipv4/ip_local_port_range").replaceAll("\\s+", "–") + ", tcp_tw_reuse "
                    + ProcFs.line("/proc/sys/net/ipv4/tcp_tw_reuse") + ")");
            result.failures().forEach((words, count) -> details.add(count + " failed: " + words));
            return result.failures().isEmpty() && result.perSecond() >= least && quiet(weft);
        }
    }

    private boolean manyIdle(int wanted, int most, Object... binding) throws IOException, InterruptedException {
        int count = Math.min(wanted, most);
        if (count < wanted) {
            details.add(IdleSessions.tooMany(wanted, count));
        }
        try (var sink = SmtpSink.start(directory, true);
                var weft = WeftChild.start(directory, List.of("-Xmx256m"),
                        Stream.concat(Stream.of(sink.port()), Stream.of(binding)).toArray());
                var idle = new IdleSessions(weft.port())) {
            idle.raiseTo(count, Duration.ofMinutes(2));
            double seconds = SmtpSource.send(directory, weft.port(), IDLE_MESSAGES, 10, false, 4096);
            idle.requireAllOpen();
            long counted = sink.messages();
            details.add(count + " idle sessions in a JVM of -Xmx256m, " + counted + " of " + IDLE_MESSAGES
                    + " messages past them in " + Report.hundredths(seconds) + " s; live heap "
                    + weft.liveHeapKib() / 1024 + " MiB, resident " + ProcFs.residentKib(weft.pid()) / 1024 + " MiB");
            return counted == IDLE_MESSAGES && quiet(weft);
        }
    }

    /** Whether the proxy logged nothing. */
    private boolean quiet(WeftChild weft) throws IOException {
        var printed = weft.log().lines().toList();
        printed.stream().limit(10).forEach(line -> details.add("the proxy printed: " + line));
        return printed.isEmpty();
    }
}
