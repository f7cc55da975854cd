package dev.weft.examples.bench;

import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The programs that drive a benchmark, found on the PATH or where Debian keeps servers. */
public final class Tools {

    private Tools() {}

    /**
     * The path of a program.
     *
     * @param program its name
     * @param debianPackage what to install if it is not there
     * @return its path
     * @throws MissingToolException if it is not installed, with what to do
     */
    public static String find(String program, String debianPackage) {
        var directories = new ArrayList<>(List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)));
        directories.addAll(List.of("/usr/sbin", "/usr/local/sbin"));
        return directories.stream()
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElseThrow(() -> new MissingToolException(
                        program + " is not installed: on Debian it is in the package " + debianPackage));
    }

    /**
     * Checks that there is a {@code /proc} to read.
     *
     * @throws MissingToolException if this is no Linux
     */
    public static void requireLinux() {
        if (!System.getProperty("os.name").equals("Linux")) {
            throw new MissingToolException("processes are measured under /proc, which only Linux has");
        }
    }

    /** What a program prints when asked for its version: the first line, less remarks. */
    static String version(String program, String option) throws IOException {
        var process = new ProcessBuilder(program, option).redirectErrorStream(true).start();
        try (var reader = process.inputReader()) {
            var first = reader.readLine();
            reader.transferTo(Writer.nullWriter());
            return first == null ? "unknown version" : first.replaceAll(" - .*", "");
        }
    }

    /** Removes a directory of logs and configurations, as far as possible. */
    static void remove(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            for (var file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            System.err.println("can't remove " + directory + ": " + e.getMessage());
        }
    }

    /** Something that the benchmark needs is not there. */
    public static final class MissingToolException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /**
         * Says what.
         *
         * @param message what is missing, and the mend
         */
        public MissingToolException(String message) {
            super(message);
        }
    }
}
