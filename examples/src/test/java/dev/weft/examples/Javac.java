package dev.weft.examples;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** The compiler, for tests that a host's source compiles, or doesn't. */
final class Javac {

    private Javac() {}

    /** What it said, which is nothing if all is well. */
    static String run(String... arguments) {
        var said = new StringWriter();
        var writer = new PrintWriter(said);
        var javac = ToolProvider.findFirst("javac").orElseThrow(() -> new AssertionError("no javac: run the tests with a JDK"));
        int code = javac.run(writer, writer, Stream.concat(Stream.of("-proc:none"), Stream.of(arguments)).toArray(String[]::new));
        return code == 0 || !said.toString().isEmpty() ? said.toString() : "exit code " + code;
    }
}
