package dev.weft.examples.bench;

import dev.weft.examples.bench.TrialLedger.Outcome;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Whether any message is lost, doubled, or left without an end, and whether a client notices anything but deferrals, when
 * servers and clients behave as badly as they can towards a proxy that is bound on mail. All over loopback, in this process.
 * Prints Markdown.
 */
public final class FaultTrials {

    /** What a user may say about a run. */
    public static final String USAGE = """
            Usage: java -cp CLASSPATH dev.weft.examples.bench.FaultTrials [OPTION]...
              --transactions N        in all, in equal parts for each number of loops and each limit; 20000. A quarter more is
                                      sent to a server that fails only between two transactions of a connection, up to
                                      the MAIL of the second: no client is to notice
              --seed N                of all that is random; drawn and printed if not given
              --loops N[,N...]        event loops of the proxy; 1,2,4
              --limits N[,N...]       connections that the server allows at a time; 1,10
              --clients N             at a time; 100
              --crowd N               clients that wait for a turn when the server vanishes; 500, 0 for none. See ulimit -n
            The exit code is 1 if anything was not as it must be.
            """;

    private static final String[] HEADINGS = {"loops", "limit", "faults", "messages", "delivered", "refused", "deferred",
        "of these uncertain, and taken", "withdrawn, left", "taken by the server", "connections", "most at a time",
        "refused for their number", "seconds", "all as it must be"};
    private static final int SHOWN = 20;

    private final Arguments arguments;
    private final Report report = new Report();
    private final Map<String, Integer> faults = new TreeMap<>();
    private final Map<String, Integer> deferrals = new TreeMap<>();

    private FaultTrials(Arguments arguments) {
        this.arguments = arguments;
    }

    /**
     * Runs the trials.
     *
     * @param args see {@code --help}
     * @throws IOException if this host has no sockets left
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        if (Arrays.asList(args).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        try {
            var valued = Set.of("--transactions", "--seed", "--loops", "--limits", "--clients", "--crowd");
            System.exit(new FaultTrials(new Arguments(args, Set.of(), valued)).run(args));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        }
    }

    private int run(String[] args) throws IOException, InterruptedException {
        long seed = seed(arguments.text("--seed", "" + new Random().nextInt(1_000_000)));
        int clients = Math.max(1, arguments.number("--clients", 100));
        int crowd = arguments.number("--crowd", 500);
        int transactions = arguments.number("--transactions", 20_000);
        var loops = numbers("--loops", "1,2,4");
        var limits = numbers("--limits", "1,10");
        int each = (transactions + loops.size() * limits.size() - 1) / (loops.size() * limits.size());
        report.header(FaultTrials.class, args);
        report.line("- Seed: " + seed + "; " + clients + " clients at a time, and " + crowd
                + " that wait when the server vanishes");
        report.line("");
        report.row(HEADINGS);
        report.row(Arrays.stream(HEADINGS).map(title -> title.equals("faults") ? "---" : "---:").toArray(String[]::new));
        int broken = 0;
        for (int loop : loops) {
            for (int limit : limits) {
                // So that one of them alone is the same again.
                long itsSeed = seed * 1_000_003 + loop * 1_009L + limit;
                broken += run(new FaultTrial.Setup(loop, limit, false, each, clients, crowd, itsSeed));
                broken += run(new FaultTrial.Setup(loop, limit, true, each / 4, clients, 0, itsSeed));
            }
        }
        list("Faults of the server", faults);
        list("Deferred messages were told", deferrals);
        report.line("");
        report.line(broken == 0
                ? "Nothing lost, nothing doubled unnoticed, no limit exceeded, nothing left open."
                : "**Broken: " + broken + ".**");
        return broken == 0 ? 0 : 1;
    }

    private int run(FaultTrial.Setup setup) throws IOException, InterruptedException {
        var result = new FaultTrial(setup).run();
        show(result);
        result.server().faults().forEach((fault, count) -> faults.merge(fault, count, Integer::sum));
        result.deferrals().forEach((reply, count) -> deferrals.merge(reply, count, Integer::sum));
        return result.broken().size();
    }

    private void list(String title, Map<String, Integer> counts) {
        report.line("");
        report.line(title + ":");
        report.line("");
        counts.forEach((what, count) -> report.line("- " + what + ": " + count));
    }

    private List<Integer> numbers(String option, String otherwise) {
        return arguments.words(option, otherwise, ",").stream().map(word -> Arguments.atLeastOne(option, word)).toList();
    }

    private void show(FaultTrial.Result result) {
        var setup = result.setup();
        var totals = result.totals();
        report.row("" + setup.loops(), "" + setup.limit(), setup.usedOnly() ? "of used legs" : "all", "" + totals.messages(),
                ended(totals, Outcome.DELIVERED), ended(totals, Outcome.REFUSED), ended(totals, Outcome.DEFERRED),
                "" + totals.uncertainTaken(),
                ended(totals, Outcome.WITHDRAWN, Outcome.LEFT_BEFORE, Outcome.LEFT_AFTER), "" + totals.taken(),
                "" + result.server().connections(), "" + result.server().most(), "" + result.server().refusedForNumber(),
                Report.whole(result.seconds()), result.broken().isEmpty() ? "yes" : "**no**");
        result.broken().stream().limit(SHOWN).forEach(line -> report.progress("  %s", line));
    }

    private static String ended(TrialLedger.Totals totals, Outcome... outcomes) {
        return "" + Arrays.stream(outcomes).mapToInt(outcome -> totals.outcomes().getOrDefault(outcome, 0)).sum();
    }

    private static long seed(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("option --seed " + text + ": give a whole number", e);
        }
    }
}
