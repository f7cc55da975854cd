package dev.weft.examples.bench.experiments;

import dev.weft.examples.bench.ProcFs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/** Measures what a process and its children use, from when it is made to when it is asked. */
final class UsageMeter implements AutoCloseable {

    private static final long PERIOD_MILLIS = 500;

    /**
     * What they used.
     *
     * @param cpuSeconds of CPU
     * @param peakKib the most memory at any sample: shared pages are divided among those who share them
     * @param diskBytes that they had the kernel write to storage
     */
    record Usage(double cpuSeconds, long peakKib, long diskBytes) {}

    private final long pid;
    private final boolean family;
    private final double cpuAtStart;
    private final long diskAtStart;
    private final Thread sampler;
    private volatile long peakKib;

    private UsageMeter(long pid, boolean family) {
        this.pid = pid;
        this.family = family;
        cpuAtStart = cpuSeconds();
        diskAtStart = diskBytes();
        peakKib = memoryKib();
        sampler = new Thread(this::sample, "usage");
        sampler.setDaemon(true);
        sampler.start();
    }

    /** Of one process with many threads. */
    static UsageMeter ofProcess(long pid) {
        return new UsageMeter(pid, false);
    }

    /** Of a process and its children, with a thread each. */
    static UsageMeter ofFamily(long pid) {
        return new UsageMeter(pid, true);
    }

    /** Where there is no process to measure. */
    static UsageMeter ofNothing() {
        return new UsageMeter(0, false);
    }

    Usage usage() {
        peakKib = Math.max(peakKib, memoryKib());
        return new Usage(cpuSeconds() - cpuAtStart, peakKib, diskBytes() - diskAtStart);
    }

    private void sample() {
        try {
            while (true) {
                Thread.sleep(PERIOD_MILLIS);
                peakKib = Math.max(peakKib, memoryKib());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private double cpuSeconds() {
        if (pid == 0) {
            return 0;
        }
        return family ? ProcFs.familyCpuSeconds(pid) : ProcFs.cpuSeconds(pid);
    }

    private long memoryKib() {
        return processes().map(each -> read(each, "smaps_rollup", "Pss:")).sum();
    }

    /** Those of ended children are in their parent's figure. */
    private long diskBytes() {
        return processes().map(each -> read(each, "io", "write_bytes:")).sum();
    }

    private LongStream processes() {
        if (pid == 0) {
            return LongStream.empty();
        }
        var children = ProcessHandle.of(pid).stream().flatMap(ProcessHandle::children).mapToLong(ProcessHandle::pid);
        return LongStream.concat(LongStream.of(pid), children);
    }

    private static long read(long pid, String file, String name) {
        try {
            return figure(Files.readAllLines(Path.of("/proc/" + pid, file)), name);
        } catch (IOException e) {
            return 0; // ended just now
        }
    }

    /** The number behind a name at the start of a line, or 0. */
    static long figure(List<String> lines, String name) {
        return lines.stream().filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(0);
    }

    @Override
    public void close() {
        sampler.interrupt();
    }
}
