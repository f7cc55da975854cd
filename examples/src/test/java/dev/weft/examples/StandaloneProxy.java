package dev.weft.examples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The standalone proxy in a JVM of its own, on the class path of the tests. */
final class StandaloneProxy implements AutoCloseable {

    private static final Pattern READY = Pattern.compile("weft-proxy: listening on (\\S+):(\\d+),? .*");
    private static final long LIMIT_SECONDS = 30;

    private final Process process;
    private final Path output;
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final CompletableFuture<InetSocketAddress> ready = new CompletableFuture<>();
    private final Thread reader = new Thread(this::readErrors, "errors");

    private StandaloneProxy(Path directory, String... options) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path")));
        command.add("dev.weft.examples.WeftProxy");
        command.addAll(List.of(options));
        output = Files.createTempFile(directory, "out", "");
        process = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(output.toFile())
                .start();
        reader.start();
    }

    static StandaloneProxy start(Path directory, String... options) throws IOException {
        return new StandaloneProxy(directory, options);
    }

    /** Where it listens, once it says so. */
    InetSocketAddress address() {
        try {
            return ready.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("the proxy did not get ready: " + errors, e);
        }
    }

    /** Sends SIGTERM, returns at once. Not by {@link Process#destroy}, which closes the streams that are to be read on. */
    void terminate() {
        process.toHandle().destroy();
    }

    void awaitError(String part) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (errors.stream().noneMatch(line -> line.contains(part))) {
            if (System.nanoTime() > end) {
                throw new AssertionError("no \"" + part + "\" in " + errors);
            }
            reader.join(5);
        }
    }

    int exitCode() throws InterruptedException {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the proxy does not end: " + errors);
        }
        reader.join();
        return process.exitValue();
    }

    List<String> errors() {
        return errors;
    }

    List<String> output() throws IOException {
        return Files.readAllLines(output);
    }

    List<Map<String, Object>> events() throws IOException {
        return output().stream().map(Json::object).toList();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private void readErrors() {
        try (var lines = new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = lines.readLine()) != null) {
                errors.add(line);
                var match = READY.matcher(line);
                if (match.matches()) {
                    ready.complete(new InetSocketAddress(match.group(1), Integer.parseInt(match.group(2))));
                }
            }
        } catch (IOException e) {
            errors.add(e.toString());
        }
        ready.completeExceptionally(new IOException("ended"));
    }
}
