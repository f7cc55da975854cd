package dev.weft.examples.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** What Linux tells of a process under {@code /proc}. */
public final class ProcFs {

    /** The unit of the times in {@code stat}: 1/100 s on every platform that a JDK 17 runs on. */
    private static final double TICKS_PER_SECOND = 100;

    private static final String TIME_WAIT = "06";

    private ProcFs() {}

    /**
     * The CPU time that all threads of a process, ended ones too, have used so far.
     *
     * @param pid the process
     * @return seconds
     * @throws UncheckedIOException if it has ended
     */
    public static double cpuSeconds(long pid) {
        return cpuSeconds(read("/proc/" + pid + "/stat").get(0));
    }

    /** The same, out of the one line of {@code stat}. The name in parentheses may hold anything, parentheses and blanks too. */
    static double cpuSeconds(String stat) {
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    /**
     * The CPU time of a process with one thread, of its living children, which have one each, and of all its ended ones, in
     * seconds. To the nanosecond for the living, since in hundreds of processes a clock of 10 ms would lose too much.
     *
     * @param pid the process
     * @return seconds
     * @throws UncheckedIOException if it has ended
     */
    public static double familyCpuSeconds(long pid) {
        var fields = read("/proc/" + pid + "/stat").get(0).replaceFirst(".*\\) ", "").split(" ");
        double ended = (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) / TICKS_PER_SECOND;
        long nanos = runNanos(pid);
        var children = ProcessHandle.of(pid).stream().flatMap(ProcessHandle::children).mapToLong(ProcessHandle::pid).toArray();
        for (long child : children) {
            nanos += runNanos(child);
        }
        return ended + nanos / 1e9;
    }

    private static long runNanos(long pid) {
        try {
            return runNanos(Path.of("/proc/" + pid));
        } catch (IOException e) {
            return 0; // ended just now, and counted by its parent
        }
    }

    private static long runNanos(Path task) throws IOException {
        return Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0]);
    }

    /**
     * The CPU time of a JVM's living threads without those that compile, which have done their work in a process that runs for
     * long.
     */
    static double cpuSecondsWithoutCompilers(long pid) {
        long nanos = 0;
        try (var tasks = Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
            for (var task : tasks) {
                nanos += compiles(task) ? 0 : runNanos(task);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("can't read the threads of process " + pid + ": it has ended", e);
        }
        return nanos / 1e9;
    }

    /** Those that compile come and go; other threads of a proxy stay. */
    private static boolean compiles(Path task) {
        try {
            return Files.readString(task.resolve("comm")).contains("CompilerThre");
        } catch (IOException e) {
            return true;
        }
    }

    /** How many descriptors a process has open. */
    static int descriptors(long pid) {
        return Objects.requireNonNull(Path.of("/proc/" + pid + "/fd").toFile().list(), "the process has ended").length;
    }

    /** The resident memory of a process in KiB. */
    static long residentKib(long pid) {
        return residentKib(read("/proc/" + pid + "/status"));
    }

    static long residentKib(List<String> status) {
        for (var line : status) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IllegalArgumentException("no VmRSS in the status: the process has ended");
    }

    /** How many descriptors this process, and so its children, may open. The JVM has raised the soft limit to the hard one. */
    static int descriptorLimit() {
        return descriptorLimit(read("/proc/self/limits"));
    }

    static int descriptorLimit(List<String> limits) {
        for (var line : limits) {
            if (line.startsWith("Max open files")) {
                var soft = line.split("\\s{2,}")[1];
                return soft.equals("unlimited") ? Integer.MAX_VALUE : (int) Math.min(Integer.MAX_VALUE, Long.parseLong(soft));
            }
        }
        throw new IllegalArgumentException("no line \"Max open files\" in the limits");
    }

    /**
     * How many connections to a port wait in TIME_WAIT at the side that had connected, where they hold its ports. Sockets of Java
     * are in the table of IPv6, even if they speak IPv4.
     */
    static long timeWaitTowards(int port) {
        return timeWaitTowards(port, read("/proc/net/tcp")) + timeWaitTowards(port, read("/proc/net/tcp6"));
    }

    static long timeWaitTowards(int port, List<String> table) {
        var suffix = String.format(":%04X", port);
        return table.stream().skip(1)
                .map(line -> line.strip().split("\\s+"))
                .filter(fields -> fields[2].endsWith(suffix) && fields[3].equals(TIME_WAIT))
                .count();
    }

    /** The first line of a file without the blanks around it, or "unknown". */
    static String line(String file) {
        // One read of a full buffer: a file below /proc/sys can't be read in parts.
        try {
            return Files.readAllLines(Path.of(file)).stream().findFirst().map(String::strip).orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static List<String> read(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException e) {
            throw new UncheckedIOException("can't read " + file + ": the process has ended, or this is no Linux", e);
        }
    }
}
