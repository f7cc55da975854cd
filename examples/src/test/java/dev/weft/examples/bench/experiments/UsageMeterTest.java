package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.examples.bench.ProcFs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class UsageMeterTest {

    @Test
    void figuresOfProcAreFoundByName() {
        assertThat(UsageMeter.figure(List.of("Rss:   1856 kB", "Pss:    285 kB", "Pss_Dirty: 116 kB"), "Pss:")).isEqualTo(285);
        assertThat(UsageMeter.figure(List.of("read_bytes: 1", "write_bytes: 4096", "cancelled_write_bytes: 7"), "write_bytes:"))
                .isEqualTo(4096);
        assertThat(UsageMeter.figure(List.of(), "Pss:")).isZero();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void onlyWhatIsUsedMeanwhileCounts() {
        long pid = ProcessHandle.current().pid();
        double before = ProcFs.cpuSeconds(pid);
        try (var meter = UsageMeter.ofProcess(pid)) {
            while (ProcFs.cpuSeconds(pid) < before + 0.1) {
                Thread.onSpinWait();
            }
            var usage = meter.usage();
            assertThat(usage.cpuSeconds()).isPositive().isLessThanOrEqualTo(ProcFs.cpuSeconds(pid) - before);
            assertThat(usage.peakKib()).as("a JVM").isGreaterThan(10_000);
            assertThat(usage.diskBytes()).isNotNegative();
        }
    }

    @Test
    void nothingUsesNothing() {
        try (var meter = UsageMeter.ofNothing()) {
            assertThat(meter.usage()).isEqualTo(new UsageMeter.Usage(0, 0, 0));
        }
    }
}
