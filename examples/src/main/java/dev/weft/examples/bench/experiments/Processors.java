package dev.weft.examples.bench.experiments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What the machine's processors have done since it was started, for whomever: where others have work for them, a latency tells of
 * the wait for a processor, and that may be at one contender's trial and gone at the next one's.
 *
 * @param busy their time in use, or taken by the host of a virtual machine, in ticks
 * @param all their time, in ticks
 */
record Processors(long busy, long all) {

    /** The fields of the line: user, nice, system, idle, iowait, irq, softirq, steal. Those behind are parts of the first two. */
    private static final int FIELDS = 8;
    private static final int IDLE = 3;
    private static final int WAITING_FOR_DISKS = 4;

    static Processors now() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/stat"))) {
            return of(lines.findFirst().orElse(""));
        }
    }

    /** Reads the first line of {@code /proc/stat}, which is about all processors together. */
    static Processors of(String line) {
        var words = line.strip().split("\\s+");
        if (!words[0].equals("cpu") || words.length <= FIELDS) {
            throw new IllegalArgumentException("no line about all processors: " + line);
        }
        var ticks = Arrays.stream(words, 1, FIELDS + 1).mapToLong(Long::parseLong).toArray();
        long all = Arrays.stream(ticks).sum();
        return new Processors(all - ticks[IDLE] - ticks[WAITING_FOR_DISKS], all);
    }

    /** How much of their time was in use since then, in percent; NaN if there was no tick. */
    double busyPercentSince(Processors then) {
        return all == then.all ? Double.NaN : 100.0 * (busy - then.busy) / (all - then.all);
    }
}
