package dev.weft.examples.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The standalone proxy, run from its jar by the JDK of the tests. */
final class ProxyProcess implements AutoCloseable {
    static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

    /** Nobody, without a single capability and without a way to gain one. */
    static final List<String> UNPRIVILEGED = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
            "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs");

    /** Nobody still, with the one capability that lets a socket bind to a foreign address. */
    static final List<String> ONLY_NET_RAW = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
            "--inh-caps=-all,+net_raw", "--ambient-caps=-all,+net_raw", "--bounding-set=-all,+net_raw", "--no-new-privs");

    private final Process process;
    private final Path output;
    private final Path log;

    private ProxyProcess(Process process, Path output, Path log) {
        this.process = process;
        this.output = output;
        this.log = log;
    }

    /**
     * The one place that knows the proxy's command line. What the JVM has to open to the proxy, its jar's manifest says. Log
     * and output are written into the directory.
     */
    static ProxyProcess start(List<String> wrapper, Path jar, List<String> options, Path directory) {
        var output = directory.resolve("proxy.out");
        var log = directory.resolve("proxy.jsonl");
        var command = new ArrayList<>(wrapper);
        command.add(JAVA);
        command.addAll(List.of("-jar", jar.toString(), "--log", log.toString()));
        command.addAll(options);
        try {
            return new ProxyProcess(Shell.builder(command, output).start(), output, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean alive() {
        return process.isAlive();
    }

    /** Waits until it says that it listens. */
    void awaitListening() {
        Await.until("the proxy listens", Duration.ofSeconds(60), () -> !alive() || Shell.text(output).contains("listening on"),
                this::evidence);
        if (!alive()) {
            throw new AssertionError(evidence());
        }
    }

    /** The events of that name in the log, one JSON object a line. */
    List<String> events(String name) {
        var event = Pattern.compile("\"event\"\\s*:\\s*\"" + name + "\"").asPredicate();
        return Shell.text(log).lines().filter(event).toList();
    }

    /** Waits until the log holds an event, one JSON object a line, of that name with all of the given values in it. */
    void awaitEvent(String name, String... values) {
        Await.until("a " + name + " with " + List.of(values) + " in the log", Duration.ofSeconds(20),
                () -> events(name).stream().anyMatch(line -> Stream.of(values).allMatch(line::contains)), this::evidence);
    }

    /** What is known of the proxy, for a failure's message. */
    String evidence() {
        return "== proxy " + (alive() ? "runs" : "exited " + process.exitValue()) + "\n" + Shell.tail(output, 40)
                + "\n== proxy log\n" + Shell.tail(log, 40);
    }

    /** Asks the proxy to drain (SIGTERM), and insists after a while. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
                throw new AssertionError("the proxy ignored SIGTERM for 20 s\n" + evidence());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
