package dev.weft.examples.bench;

import dev.weft.tls.spi.Backends;
import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The tables of the stage timer: what each step of a session takes, at several numbers of sessions at one time. */
public final class StageTable {

    /** What a user may say about a run. */
    public static final String USAGE = """
            Usage: java -cp weft-proxy.jar dev.weft.examples.StageTimer HOST:PORT [OPTION]...
            Opens SMTP sessions and prints how long each step takes: mean, p50, p95, max in milliseconds.
              --concurrency N[,N...]  sessions at one time; 5,20,50,100,200,300
              --rounds N              sessions that count in each slot, after one to warm up; 5
              --starttls              STARTTLS after EHLO, any certificate is taken
              --resume                with it: each session takes up the TLS session of the one before; starttls is then of
                                      those that could (a server that gives no ticket when it resumes: every second)
              --together              with it: all sessions wait for each other after EHLO and start TLS at one time
              --tls-backend NAME      the client's own TLS: jdk or conscrypt; the best that can run
              --messages 0|1          messages in each session; 0 ends it with QUIT after RCPT
              --size BYTES            of a message; 4096
              --from ADDRESS          from@client.example
              --to ADDRESS            to@server.example
              --delayed-ack           leave TCP acknowledgements to the system around the handshake
              --limit SECONDS         how long one number of sessions may take; 120
            The client is one thread on the same processors as what it measures, if that is on this machine.
            """;

    private StageTable() {}

    /**
     * Measures and prints.
     *
     * @param server whom to ask
     * @param options as {@link #USAGE} says
     * @param out where the tables go
     * @return the exit status: 1 if a session failed
     * @throws IOException if the sessions come to no end
     * @throws IllegalArgumentException if an option is wrong
     */
    public static int run(InetSocketAddress server, String[] options, PrintStream out) throws IOException {
        var arguments = new Arguments(options, Set.of("--starttls", "--resume", "--together", "--delayed-ack"),
                Set.of("--concurrency", "--rounds", "--tls-backend", "--messages", "--size", "--from", "--to", "--limit"));
        for (var option : List.of("--resume", "--together")) {
            if (arguments.has(option) && !arguments.has("--starttls")) {
                throw new IllegalArgumentException("option " + option + " goes with --starttls: there is no TLS in clear");
            }
        }
        var plan = SessionPlan.to(server)
                .withEnvelope(arguments.text("--from", "from@client.example"), arguments.text("--to", "to@server.example"));
        int messages = arguments.number("--messages", 0);
        if (messages > 1) {
            throw new IllegalArgumentException("option --messages " + messages + ": give 0 or 1");
        }
        if (messages == 1) {
            plan = plan.withMessage(arguments.number("--size", 4096));
        }
        if (arguments.has("--delayed-ack")) {
            plan = plan.withDelayedAck();
        }
        if (arguments.has("--together")) {
            plan = plan.startingTogether();
        }
        if (!arguments.has("--starttls")) {
            return tables(plan, arguments, new Report(out));
        }
        try (var context = backend(arguments.text("--tls-backend", "")).client(ClientSettings.builder().build())) {
            return tables(plan.withTls(context, arguments.has("--resume")), arguments, new Report(out));
        } catch (TlsException e) {
            throw new IllegalArgumentException("option --tls-backend: " + e.getMessage(), e);
        }
    }

    /** The backend of a name, or the best one. */
    static TlsBackend backend(String name) throws TlsException {
        var backends = Backends.find();
        return name.isEmpty()
                ? backends.best().orElseThrow(() -> new TlsException("no TLS backend can run; " + backends.describe()))
                : backends.named(name);
    }

    private static int tables(SessionPlan plan, Arguments arguments, Report report) throws IOException {
        int rounds = Math.max(1, arguments.number("--rounds", 5));
        var limit = Duration.ofSeconds(Math.max(1, arguments.number("--limit", 120)));
        int failed = 0;
        for (var word : arguments.words("--concurrency", "5,20,50,100,200,300", ",")) {
            int concurrency = Arguments.atLeastOne("--concurrency", word);
            try (var client = new StageClient(plan, concurrency)) {
                client.run(concurrency, limit);
                var times = client.run(rounds * concurrency, limit);
                print(plan, concurrency, times, report);
                failed += times.failed;
            }
        }
        return failed == 0 ? 0 : 1;
    }

    private static void print(SessionPlan plan, int concurrency, StageTimes times, Report report) {
        report.line("");
        report.line(concurrency + " at one time: " + times.sessions + " sessions, " + Report.whole(times.perSecond()) + " a second"
                + (plan.tls() == null ? ", in clear" : ", " + times.resumed + " resumed")
                + (times.failed == 0 ? "" : ", " + times.failed + " FAILED, the first: " + times.firstFailure));
        report.line("");
        report.row("ms", "mean", "p50", "p95", "max");
        report.row("---", "---:", "---:", "---:", "---:");
        for (var step : Step.values()) {
            if (times.has(step)) {
                report.row(step.title(), Report.hundredths(times.mean(step)), Report.hundredths(times.percentile(step, 50)),
                        Report.hundredths(times.percentile(step, 95)), Report.hundredths(times.percentile(step, 100)));
            }
        }
    }
}
