package dev.weft.examples.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@link Proxy}, {@link TlsProxy}, {@link MessageProxy} or {@link BoundProxy} in a JVM of its own. */
final class WeftChild implements AutoCloseable {

    private final Child child;
    private final BufferedReader answers;
    private final PrintStream orders;
    private final int port;

    private WeftChild(Child child) throws IOException {
        this.child = child;
        this.answers = child.process().inputReader(StandardCharsets.US_ASCII);
        this.orders = new PrintStream(child.process().getOutputStream(), true, StandardCharsets.US_ASCII);
        this.port = (int) answer("port ");
    }

    /**
     * Starts it on the JVM and the class path that this process runs on.
     *
     * @param arguments as {@link Proxy#main} takes them
     */
    static WeftChild start(Path directory, List<String> jvmFlags, Object... arguments) throws IOException {
        return start(directory, jvmFlags, Proxy.class, arguments);
    }

    /** Starts {@link TlsProxy}, on the same terms. */
    static WeftChild startTls(Path directory, List<String> jvmFlags, Object... arguments) throws IOException {
        return start(directory, jvmFlags, TlsProxy.class, arguments);
    }

    /** Starts {@link MessageProxy}, on the same terms. */
    static WeftChild startMessages(Path directory, List<String> jvmFlags, Object... arguments) throws IOException {
        return start(directory, jvmFlags, MessageProxy.class, arguments);
    }

    /** Starts {@link BoundProxy}, on the same terms. */
    static WeftChild startBound(Path directory, List<String> jvmFlags, Object... arguments) throws IOException {
        return start(directory, jvmFlags, BoundProxy.class, arguments);
    }

    private static WeftChild start(Path directory, List<String> jvmFlags, Class<?> program, Object... arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmFlags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        for (var argument : arguments) {
            command.add(argument.toString());
        }
        return new WeftChild(Child.piped("weft", directory, command));
    }

    int port() {
        return port;
    }

    double cpuSeconds() {
        return ProcFs.cpuSeconds(child.pid());
    }

    double cpuSecondsWithoutCompilers() {
        return ProcFs.cpuSecondsWithoutCompilers(child.pid());
    }

    long pid() {
        return child.pid();
    }

    /** What it has printed to its standard error. */
    String log() throws IOException {
        return child.log();
    }

    /** Its live heap in KiB, after a collection. */
    long liveHeapKib() throws IOException {
        orders.println("gc");
        return answer("heap ") / 1024;
    }

    private long answer(String prefix) throws IOException {
        var line = answers.readLine();
        if (line == null || !line.startsWith(prefix)) {
            child.close();
            throw new IOException("the proxy's JVM answered " + line + ", not \"" + prefix + "…\"; it printed: " + child.log());
        }
        return Long.parseLong(line.substring(prefix.length()));
    }

    @Override
    public void close() {
        child.close();
    }
}
