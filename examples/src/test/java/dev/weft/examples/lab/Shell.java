package dev.weft.examples.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs programs of the system, with a bound on their time, and finds them. */
final class Shell {
    /** Programs of the administrator are not always on a user's path. */
    private static final String SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Shell() {
    }

    /** What a finished program left: its exit code, and standard output and error together. */
    record Result(List<String> command, int exit, String output) {
        boolean ok() {
            return exit == 0;
        }

        String orThrow() {
            if (!ok()) {
                throw new IllegalStateException(command + " exited " + exit + ": " + output);
            }
            return output;
        }
    }

    /** Runs the command and throws, with its output, unless it exits 0. */
    static String must(String... command) {
        return run(List.of(command), null, LIMIT).orThrow();
    }

    static Result run(List<String> command) {
        return run(command, null, LIMIT);
    }

    /**
     * Runs the command with the file as its input. Output goes through a file and not through a pipe, since a daemon that
     * the command leaves behind would hold the pipe open for ever.
     */
    static Result run(List<String> command, Path input, Duration limit) {
        Path output = null;
        try {
            output = Files.createTempFile("weft-lab", ".out");
            var process = builder(command, output)
                    .redirectInput(input == null ? ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile())
                            : ProcessBuilder.Redirect.from(input.toFile()))
                    .start();
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException(command + " still runs after " + limit + ": " + text(output));
            }
            return new Result(command, process.exitValue(), text(output));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + command, e);
        } finally {
            delete(output);
        }
    }

    /** A builder for a program whose standard output and error go to the file. */
    static ProcessBuilder builder(List<String> command, Path output) {
        var resolved = new ArrayList<>(command);
        find(command.get(0)).ifPresent(program -> resolved.set(0, program.toString()));
        var builder = new ProcessBuilder(resolved).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("PATH", SYSTEM_PATH);
        builder.environment().put("LC_ALL", "C");
        // Options meant for the JVM of the tests are not meant for the programs under test.
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "MAVEN_OPTS"));
        return builder;
    }

    /** Where the program is, if it is installed. */
    static Optional<Path> find(String program) {
        return Stream.of(SYSTEM_PATH.split(":")).map(dir -> Path.of(dir, program)).filter(Files::isExecutable).findFirst();
    }

    /** The file as text; empty if there is no such file. */
    static String text(Path file) {
        try {
            return Files.exists(file) ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The last lines of a file, for a failure's message. */
    static String tail(Path file, int lines) {
        var all = text(file).lines().toList();
        return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
    }

    private static void delete(Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
