package dev.weft.examples.bench.experiments;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Prints results to standard output and a file, progress to standard error, and remembers whether targets were missed. */
final class Console implements AutoCloseable {

    private final PrintStream out;
    private boolean missed;

    Console(OutputStream standard, Path file) throws IOException {
        var copy = Files.newOutputStream(file);
        out = new PrintStream(new FilterOutputStream(standard) {
            @Override
            public void write(int octet) throws IOException {
                out.write(octet);
                copy.write(octet);
            }

            @Override
            public void write(byte[] octets, int from, int length) throws IOException {
                out.write(octets, from, length);
                copy.write(octets, from, length);
            }

            @Override
            public void flush() throws IOException {
                out.flush();
                copy.flush();
            }

            @Override
            public void close() throws IOException {
                flush();
                copy.close(); // standard output stays open
            }
        }, true, StandardCharsets.UTF_8);
    }

    PrintStream stream() {
        return out;
    }

    void line(String text) {
        out.println(text);
    }

    void table(TextTable table) {
        out.println();
        table.lines().forEach(out::println);
        out.println();
    }

    static void progress(String text) {
        System.err.println(text);
    }

    /** A figure and whether it is within the target; what is unknown misses it. What is direct is what others are compared to. */
    String atMost(Way way, double target, double figure) {
        if (way == Way.DIRECT) {
            return decimals(figure);
        }
        boolean met = figure <= target;
        missed |= !met && way == Way.WEFT_MAIL;
        return decimals(figure) + (met ? " met" : " MISSED");
    }

    /** A count that should be zero. */
    String none(Way way, long count) {
        missed |= count != 0 && way == Way.WEFT_MAIL;
        return count == 0 ? "0" : count + " MISSED";
    }

    /** Whether Weft on mail, for which the targets are, missed one. */
    boolean missed() {
        return missed;
    }

    /** With as many digits as are of use; a dash for what is unknown. */
    static String decimals(double figure) {
        if (Double.isNaN(figure)) {
            return "–";
        }
        return String.format(Locale.ROOT, Math.abs(figure) < 100 ? "%.2f" : "%.0f", figure);
    }

    @Override
    public void close() {
        out.close();
    }
}
