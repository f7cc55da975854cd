package dev.weft.examples.bench;

import dev.weft.examples.ThrowAwayCertificate;
import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * What TLS costs: handshakes beside Postfix's smtpd (OpenSSL) in the same run and with the same certificate, memory of held
 * sessions, large messages. Prints Markdown. Needs Linux, root and the Debian package postfix (no service need run).
 */
public final class TlsBenchmark {

    /** What a user may say about a run. */
    public static final String USAGE = """
            Usage: java -cp CLASSPATH dev.weft.examples.bench.TlsBenchmark [OPTION]...
              --parts NAME[,NAME...]  what to measure: engine, cpu, stages, together, memory, bulk; all if not given
              --keys KIND[,KIND...]   certificates: RSA, EC; both if not given
              --concurrency N[,N...]  sessions at one time; 1,5,20,50,100,200,300, or 20,100,200,300 if quick
              --rounds N              rounds of the parts engine, cpu, stages and together; 5, or 3 if quick
              --held N                sessions of the memory part; 1000. Each takes up to six descriptors: see ulimit -n
              --quick                 half the sessions
              --jvm "FLAG..."         flags for the JVMs that Weft runs in; none
              --check                 exit with 1 if a target was missed
            The exit code is 2 if something that is needed is not there.
            """;

    private static final List<String> PARTS = List.of("engine", "cpu", "stages", "together", "memory", "bulk");

    private final Arguments arguments;
    private final Report report = new Report();

    private TlsBenchmark(Arguments arguments) {
        this.arguments = arguments;
    }

    /**
     * Runs the benchmark.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        if (Arrays.asList(args).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        try {
            var arguments = new Arguments(args, Set.of("--quick", "--check"),
                    Set.of("--parts", "--keys", "--concurrency", "--rounds", "--held", "--jvm"));
            System.exit(new TlsBenchmark(arguments).run(args));
        } catch (IllegalArgumentException | Tools.MissingToolException e) {
            System.err.println(e.getMessage());
            System.exit(2);
        } catch (IOException | TlsException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private int run(String[] args) throws IOException, TlsException, InterruptedException {
        boolean quick = arguments.has("--quick");
        var parts = arguments.words("--parts", String.join(",", PARTS), ",");
        requireKnown("--parts", parts, PARTS);
        var kinds = arguments.words("--keys", "RSA,EC", ",");
        requireKnown("--keys", kinds, List.of("RSA", "EC"));
        var concurrencies = new ArrayList<Integer>();
        for (var word : arguments.words("--concurrency", quick ? "20,100,200,300" : "1,5,20,50,100,200,300", ",")) {
            concurrencies.add(Arguments.atLeastOne("--concurrency", word));
        }
        var jvmFlags = arguments.words("--jvm", "", "\\s+");
        Tools.requireLinux();
        boolean handshakes = parts.stream().anyMatch(List.of("cpu", "stages", "together")::contains);

        report.header(TlsBenchmark.class, args);
        var directory = Files.createTempDirectory("weft-tls-bench");
        var backend = StageTable.backend("");
        try (var client = backend.client(ClientSettings.builder().build())) {
            report.line("- Client: one thread, TLS by " + backend.name() + ", TLS 1.3"
                    + (handshakes ? "; peer: " + PostfixServer.version() : ""));
            int rounds = Math.max(1, arguments.number("--rounds", quick ? 3 : 5));
            var certificates = new ArrayList<CertificateFiles>();
            for (var kind : kinds) {
                certificates.add(CertificateFiles.make(directory, ThrowAwayCertificate.Kind.valueOf(kind)));
            }
            if (parts.contains("engine")) {
                new TlsEngineBenchmark(client, rounds, quick ? 2000 : 4000, report).run(certificates);
            }
            if (handshakes) {
                var benchmark = new HandshakeBenchmark(directory, client, concurrencies, rounds, quick ? 2 : 1, report);
                for (var certificate : certificates) {
                    benchmark.run(certificate, jvmFlags, Set.copyOf(parts));
                }
            }
            var certificate = CertificateFiles.make(directory, ThrowAwayCertificate.Kind.EC);
            var settings = ServerSettings.builder(KeyMaterial.pem(certificate.chain(), certificate.key())).build();
            try (var context = backend.server(settings); var sink = new TlsSink(context)) {
                if (parts.contains("memory")) {
                    new TlsMemoryBenchmark(directory, client, sink, report)
                            .run(certificate, jvmFlags, held());
                }
                if (parts.contains("bulk")) {
                    new TlsBulkBenchmark(directory, client, sink, quick ? 10 : 20, report).run(certificate, jvmFlags);
                }
                if (sink.failure() != null) {
                    throw new IOException("the sink failed", sink.failure());
                }
            }
        } catch (IOException e) {
            System.err.println(e.getMessage() + " (logs in " + directory + ")");
            return 1;
        }
        Tools.remove(directory);
        return report.end(arguments.has("--check"));
    }

    /** Each side has two sockets a session, and two more descriptors for each engine of Conscrypt. */
    private int held() {
        int wanted = Math.max(1, arguments.number("--held", 1000));
        int most = (ProcFs.descriptorLimit() - 200) / 6;
        if (wanted > most) {
            report.line("- " + wanted + " held sessions need more descriptors than the limit here allows (`ulimit -n`): " + most
                    + " in their place");
        }
        return Math.min(wanted, most);
    }

    private static void requireKnown(String option, List<String> given, List<String> known) {
        for (var name : given) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException("option " + option + " " + name + ": give some of " + String.join(", ", known));
            }
        }
    }
}
