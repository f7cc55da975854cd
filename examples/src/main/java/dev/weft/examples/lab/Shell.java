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

/** Runs programs of the system, with a bound on their time, and finds them. Any thread may. */
public final class Shell {
    /** Programs of the administrator are not always on a user's path. */
    private static final String SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Shell() {
    }

    /**
     * What a finished program left.
     *
     * @param command with its arguments
     * @param exit its exit code
     * @param output standard output and error together
     */
    public record Result(List<String> command, int exit, String output) {

        /**
         * Whether it ended well.
         *
         * @return true if it exited 0
         */
        public boolean ok() {
            return exit == 0;
        }

        /**
         * Takes its success for granted.
         *
         * @return the output
         * @throws IllegalStateException with the output, unless it exited 0
         */
        public String orThrow() {
            if (!ok()) {
                throw new IllegalStateException(command + " exited " + exit + ": " + output);
            }
            return output;
        }
    }

    /**
     * Runs a command that must succeed, within 60 s.
     *
     * @param command with its arguments
     * @return its output
     * @throws IllegalStateException with the output, unless it exits 0 in time
     */
    public static String must(String... command) {
        return run(List.of(command), null, LIMIT).orThrow();
    }

    /**
     * Runs a command without input, within 60 s.
     *
     * @param command with its arguments
     * @return how it ended
     * @throws IllegalStateException if it does not end in time
     */
    public static Result run(List<String> command) {
        return run(command, null, LIMIT);
    }

    /**
     * Runs the command with the file as its input. Output goes through a file and not through a pipe, since a daemon that
     * the command leaves behind would hold the pipe open for ever.
     *
     * @param command with its arguments
     * @param input null for none
     * @param limit how long it may take
     * @return how it ended
     * @throws IllegalStateException if it does not end in time
     */
    public static Result run(List<String> command, Path input, Duration limit) {
        Path output = null;
        try {
            output = Files.createTempFile("weft-lab", ".out");
            output.toFile().deleteOnExit(); // where a signal ends the JVM meanwhile
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

    /**
     * A builder for a program whose standard output and error go to the file.
     *
     * @param command with its arguments
     * @param output the file
     * @return the builder, its environment cleaned of options for JVMs
     */
    public static ProcessBuilder builder(List<String> command, Path output) {
        var resolved = new ArrayList<>(command);
        find(command.get(0)).ifPresent(program -> resolved.set(0, program.toString()));
        var builder = new ProcessBuilder(resolved).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("PATH", SYSTEM_PATH);
        builder.environment().put("LC_ALL", "C");
        // Options meant for the JVM of the tests are not meant for the programs under test.
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "MAVEN_OPTS"));
        return builder;
    }

    /**
     * Where the program is, if it is installed.
     *
     * @param program its name
     * @return its path
     */
    public static Optional<Path> find(String program) {
        return Stream.of(SYSTEM_PATH.split(":")).map(dir -> Path.of(dir, program)).filter(Files::isExecutable).findFirst();
    }

    /**
     * The file as text.
     *
     * @param file in UTF-8
     * @return its text; empty if there is no such file
     */
    public static String text(Path file) {
        try {
            return Files.exists(file) ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The last lines of a file, for a failure's message.
     *
     * @param file in UTF-8
     * @param lines how many, at most
     * @return the lines; empty if there is no such file
     */
    public static String tail(Path file, int lines) {
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
