package dev.weft.examples.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.Locale;

/** Prints Markdown to standard output, fit for a README, and progress to standard error. */
public final class Report {

    private final PrintStream out;
    private int judged;
    private int missed;

    Report() {
        this(System.out);
    }

    /**
     * Prints elsewhere.
     *
     * @param out instead of standard output
     */
    public Report(PrintStream out) {
        this.out = new PrintStream(out, true, StandardCharsets.UTF_8);
    }

    void line(String text) {
        out.println(text);
    }

    void row(String... cells) {
        out.println("| " + String.join(" | ", cells) + " |");
    }

    void progress(String format, Object... arguments) {
        System.err.println(String.format(Locale.ROOT, format, arguments));
    }

    /**
     * What was measured with what.
     *
     * @param program that the user started
     * @param arguments of its command line
     * @throws IOException if the system does not tell
     */
    public void header(Class<?> program, String[] arguments) throws IOException {
        line("- Machine: " + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors()
                + " processors (" + processor() + "), load average at the start " + ProcFs.line("/proc/loadavg").split(" ")[0]);
        line("- JDK: " + System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        line(("- Command: `java -cp … " + program.getName() + " " + String.join(" ", arguments)).strip() + "`");
    }

    /** How contenders are compared, each with itself and the others. */
    void rounds(int rounds) {
        line("- Rounds: " + rounds + " after one to warm up, the contenders in turn; figures are medians of the rounds,"
                + " ratios medians of the rounds' ratios (least–greatest)");
    }

    /**
     * Says at the end whether the targets were met.
     *
     * @return the program's exit code: 1 if one was missed and it is to be checked
     */
    int end(boolean check) {
        line("");
        line(missed > 0 ? "Targets missed: " + missed + "." : judged > 0 ? "All targets met." : "Nothing measured here has a target.");
        return check && missed > 0 ? 1 : 0;
    }

    private static String processor() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown model");
        }
    }

    String atMost(double target, double figure) {
        return mark(figure <= target);
    }

    String atLeast(double target, double figure) {
        return mark(figure >= target);
    }

    private String mark(boolean met) {
        judged++;
        if (!met) {
            missed++;
        }
        return met ? "met" : "**missed**";
    }

    static String whole(double figure) {
        return String.format(Locale.ROOT, "%.0f", figure);
    }

    static String hundredths(double figure) {
        return String.format(Locale.ROOT, "%.2f", figure);
    }

    static String thousandths(double figure) {
        return String.format(Locale.ROOT, "%.3f", figure);
    }

    /** The median of the rounds' ratios, with the least and the greatest. */
    static String ratio(Collection<Double> rounds) {
        return hundredths(Statistics.median(rounds)) + " × (" + hundredths(Collections.min(rounds)) + "–"
                + hundredths(Collections.max(rounds)) + ")";
    }
}
