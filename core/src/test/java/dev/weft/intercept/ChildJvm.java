package dev.weft.intercept;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs {@link ChildMain} in a JVM of its own, with other flags, privileges or descriptors than the tests'. */
final class ChildJvm {
    static final String ADD_OPENS = "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED";
    static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";
    private static final long PATIENCE_SECONDS = 60;

    private ChildJvm() {
    }

    static List<String> onClassPath(List<String> flags, String... arguments) {
        var command = new ArrayList<>(List.of(java()));
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ChildMain.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** The test's classes are patched into the module, so that what is asked answers as a named module would. */
    static List<String> onModulePath(List<String> flags, String... arguments) {
        var entries = List.of(System.getProperty("java.class.path").split(File.pathSeparator));
        var testClasses = entries.stream().filter(e -> Files.exists(Path.of(e, "dev/weft/intercept/ChildMain.class")))
                .findFirst().orElseThrow();
        var modules = entries.stream().filter(e -> !e.equals(testClasses))
                .filter(e -> e.contains("slf4j-api") || e.contains("tls-spi")
                || Files.exists(Path.of(e, "dev/weft/intercept/LoopGuard.class"))).toList();
        var command = new ArrayList<>(List.of(java()));
        command.addAll(flags);
        command.addAll(List.of("-p", String.join(File.pathSeparator, modules), "--patch-module", "dev.weft.core=" + testClasses,
                "-m", "dev.weft.core/" + ChildMain.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** What the child printed on both outputs; it must end by itself, with 0. */
    static String run(List<String> command) throws IOException, InterruptedException {
        var output = Files.createTempFile("weft-child", ".txt");
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
            process.getOutputStream().close();
            boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            var text = Files.readString(output, StandardCharsets.UTF_8);
            if (!ended || process.exitValue() != 0) {
                throw new AssertionError(command + (ended ? " ended with " + process.exitValue() : " did not end") + ":\n"
                        + text);
            }
            return text;
        } finally {
            Files.delete(output);
        }
    }

    static boolean finds(String... programs) {
        var path = List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator));
        return Arrays.stream(programs).allMatch(p -> path.stream().anyMatch(dir -> Files.isExecutable(Path.of(dir, p))));
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
