package dev.weft.examples.bench.experiments;

import dev.weft.examples.bench.Arguments;
import dev.weft.examples.bench.Report;
import dev.weft.examples.bench.Tools;
import dev.weft.examples.lab.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Three experiments in network namespaces of their own, with real Postfix hosts that send and receive: what a Postfix relay,
 * and Weft with either binding, make of a burst for a slow receiver, of the machine, and of three senders that want the same
 * receiver. Prints tables and writes charts. Needs Linux, root, and the Debian packages postfix, iproute2 and nftables.
 */
public final class Experiments {

    /** What a user may say about a run. */
    public static final String USAGE = """
            Usage: java -cp weft-proxy.jar dev.weft.examples.bench.experiments.Experiments [OPTION]...
              --experiment NAME[,NAME]  congestion, resources, fairness, or all (default)
              --contender NAME[,NAME]   %s; all if not given
              --output DIR              where the charts and a copy of the tables go; weft-experiments if not given
              --quick                   smaller, in about four minutes instead of fifteen
              --messages N              messages of each sender in fairness and resources
              --limit N|auto            --limit of Weft on mail in the fairness experiment; 10, as the receiver has it
              --relay-connections N     of the Postfix relay to one destination, in the congestion experiment; %d, as it is
                                        installed. It has 100 in all: what one receiver may keep others can't have
              --jvm "FLAG..."           flags for the JVM that Weft runs in; none
              --check                   exit with 1 if Weft on mail missed a target, or could not take part
            The exit code is 1 if a trial failed, 2 if something that is needed is not there.
            """.formatted(Way.options(), SiteRules.POSTFIX_CONNECTIONS);

    private static final List<String> NAMES = List.of("congestion", "resources", "fairness");
    private static final Map<String, String> PROGRAMS = Map.of("postfix", "postfix", "postsuper", "postfix",
            "sendmail", "postfix", "ip", "iproute2", "ss", "iproute2", "nft", "nftables",
            "setsid", "util-linux", "unshare", "util-linux");

    private final Plan plan;
    private final List<Way> ways;
    private final Set<Way> unavailable = EnumSet.noneOf(Way.class);
    private int failures;

    private Experiments(Plan plan, List<Way> ways) {
        this.plan = plan;
        this.ways = ways;
    }

    /**
     * Runs the experiments.
     *
     * @param args see {@code --help}
     * @throws IOException if the output can't be written
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        if (Arrays.asList(args).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        try {
            System.exit(run(args));
        } catch (IllegalArgumentException | Tools.MissingToolException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        }
    }

    private static int run(String[] args) throws IOException, InterruptedException {
        var arguments = new Arguments(args, Set.of("--quick", "--check"),
                Set.of("--experiment", "--contender", "--output", "--messages", "--limit", "--relay-connections", "--jvm"));
        var names = names(arguments.words("--experiment", "all", ","));
        var ways = Way.of(arguments.words("--contender", Way.options(), ","));
        var plan = plan(arguments);
        requirePrograms();
        Files.createDirectories(plan.output());
        try (var console = new Console(System.out, plan.output().resolve("experiments.txt"))) {
            new Report(console.stream()).header(Experiments.class, args);
            var version = Shell.must("postconf", "-d", "-h", "mail_version").strip();
            console.line("- Senders, receivers and relay: Postfix " + version);
            var run = new Experiments(plan, ways);
            for (var name : names) {
                run.run(experiment(name, plan), console);
            }
            console.line("Charts and tables are in " + plan.output().toAbsolutePath());
            boolean checked = !console.missed() && !run.unavailable.contains(Way.WEFT_MAIL);
            return run.failures == 0 && (checked || !arguments.has("--check")) ? 0 : 1;
        }
    }

    static List<String> names(List<String> given) {
        for (var name : given) {
            if (!NAMES.contains(name) && !name.equals("all")) {
                throw new IllegalArgumentException("unknown experiment " + name + ": give some of " + String.join(", ", NAMES)
                        + ", or all");
            }
        }
        return given.contains("all") ? NAMES : given;
    }

    private static Plan plan(Arguments arguments) {
        var output = Path.of(arguments.text("--output", "weft-experiments"));
        var jvmFlags = arguments.words("--jvm", "", "\\s+");
        var limit = arguments.text("--limit", "10");
        int relayConnections = Math.max(1, arguments.number("--relay-connections", SiteRules.POSTFIX_CONNECTIONS));
        var plan = arguments.has("--quick")
                ? Plan.quick(relayConnections, limit, jvmFlags, output)
                : Plan.full(relayConnections, limit, jvmFlags, output);
        if (!arguments.has("--messages")) {
            return plan;
        }
        int messages = arguments.number("--messages", 1);
        if (messages == 0) {
            throw new IllegalArgumentException("option --messages 0: give 1 or more");
        }
        return plan.withMessages(messages);
    }

    private static Experiment experiment(String name, Plan plan) {
        return switch (name) {
            case "congestion" -> new CongestionExperiment(plan);
            case "resources" -> new ResourceExperiment(plan);
            default -> new FairnessExperiment(plan);
        };
    }

    /** All that is missing at once. */
    private static void requirePrograms() {
        Tools.requireLinux();
        var missing = new ArrayList<String>();
        if (!"root".equals(System.getProperty("user.name"))) {
            missing.add("you are not root: network namespaces and Postfix need it");
        }
        PROGRAMS.forEach((program, debianPackage) -> {
            if (Shell.find(program).isEmpty()) {
                missing.add(program + " is not installed: on Debian it is in the package " + debianPackage);
            }
        });
        if (missing.isEmpty() && !Shell.run(List.of("unshare", "--net", "true")).ok()) {
            missing.add("this machine permits no network namespaces (unshare --net fails)");
        }
        if (!missing.isEmpty()) {
            throw new Tools.MissingToolException(String.join("\n", missing));
        }
    }

    /** A contender that fails does not keep the others from taking part. */
    private void run(Experiment experiment, Console console) throws IOException, InterruptedException {
        console.line("");
        console.line(experiment.description());
        for (var way : ways) {
            long start = System.nanoTime();
            try {
                var found = experiment.attempt(way);
                Console.progress("%s: %s (%d s)".formatted(way.title(), found, (System.nanoTime() - start) / 1_000_000_000));
            } catch (NotAvailableException e) {
                unavailable.add(way);
                console.line(way.title() + " is not available: " + e.getMessage());
            } catch (IOException | UncheckedIOException | IllegalStateException e) {
                failures++;
                console.line(way.title() + " FAILED: " + e.getMessage());
            }
        }
        experiment.report(console);
    }
}
