package dev.weft.examples.bench.experiments;

import dev.weft.examples.WeftProxy;
import dev.weft.examples.lab.Namespaces;
import dev.weft.examples.lab.Shell;
import dev.weft.examples.lab.Steering;
import dev.weft.examples.lab.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The standalone proxy on the router, in a JVM of its own, with the traffic that TPROXY leads to it. */
final class WeftProcess implements AutoCloseable {

    private static final int USAGE = 2;
    private static final long START_SECONDS = 30;

    private final Process process;
    private final Path output;

    private WeftProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts it from this program's own class path.
     *
     * @param jvmFlags for its JVM
     * @param options beside those for where its traffic comes from
     * @throws NotAvailableException if it knows one of the options not
     */
    static WeftProcess start(Namespaces net, List<String> jvmFlags, List<String> options)
            throws IOException, InterruptedException, NotAvailableException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmFlags);
        // The first would leave a file behind when the process is killed; the others are in the manifest of the jar.
        command.addAll(List.of("-XX:-UsePerfData",
                "--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
                "-cp", System.getProperty("java.class.path"), WeftProxy.class.getName(),
                "--listen", "*:" + Steering.PORT, "--intercept", "tproxy"));
        command.addAll(options);
        Steering.deliverMarked(net);
        Steering.load(net, Steering.rules(""));
        var output = net.directory().resolve("weft.out");
        var weft = new WeftProcess(Shell.builder(net.on(Topology.ROUTER, command), output).start(), output);
        weft.awaitListener(net);
        return weft;
    }

    private void awaitListener(Namespaces net) throws IOException, InterruptedException, NotAvailableException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (net.must(Topology.ROUTER, "ss", "-Hltn", "sport = :" + Steering.PORT).isBlank()) {
            if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
                if (process.exitValue() == USAGE) {
                    throw new NotAvailableException(printed());
                }
                throw new IOException("Weft exited " + process.exitValue() + " at once: " + printed());
            }
            if (System.nanoTime() > end) {
                close();
                throw new IOException("Weft does not listen after " + START_SECONDS + " s: " + printed());
            }
        }
    }

    long pid() {
        return process.pid();
    }

    boolean alive() {
        return process.isAlive();
    }

    /** What it has printed, on one line. */
    String printed() {
        return Shell.tail(output, 20).strip().replace("\n", " / ");
    }

    /** What it has printed beside where it listens. */
    List<String> complaints() {
        return Shell.tail(output, 20).lines().filter(line -> !line.contains("listening on")).toList();
    }

    @Override
    public void close() {
        process.destroyForcibly(); // its sessions are of no interest any more, and those in a tarpit would hold it up
    }
}
