package dev.weft.examples.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProcFsTest {

    private static final String HEADING = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid";

    @Test
    void cpuTimeIsUserPlusSystemTime() {
        var stat = "4711 (java) S 1 4711 4711 0 -1 4194304 100 200 0 0 1234 766 55 66 20 0 30 0 12345 1 2";
        assertThat(ProcFs.cpuSeconds(stat)).isEqualTo(20.0);
    }

    @Test
    void processNameMayHoldBlanksAndParentheses() {
        var stat = "4711 (a) S (b 9 9) R 1 4711 4711 0 -1 4194304 100 200 0 0 150 50 55 66 20 0 30 0 12345 1 2";
        assertThat(ProcFs.cpuSeconds(stat)).isEqualTo(2.0);
    }

    @Test
    void residentMemoryIsReadInKib() {
        var status = List.of("Name:\tjava", "VmPeak:\t  999999 kB", "VmRSS:\t   75312 kB", "RssAnon:\t   50000 kB");
        assertThat(ProcFs.residentKib(status)).isEqualTo(75_312);
    }

    @Test
    void processWithoutMemoryHasEnded() {
        assertThatIllegalArgumentException().isThrownBy(() -> ProcFs.residentKib(List.of("Name:\tjava", "State:\tZ (zombie)")));
    }

    @Test
    void softLimitOfDescriptorsCounts() {
        assertThat(ProcFs.descriptorLimit(List.of(
                "Limit                     Soft Limit           Hard Limit           Units     ",
                "Max open files            1024                 20000                files     "))).isEqualTo(1024);
        assertThat(ProcFs.descriptorLimit(List.of(
                "Max open files            unlimited            unlimited            files     "))).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void onlyTimeWaitTowardsThePortIsCounted() {
        var table = List.of(
                HEADING,
                // From 33000 to 2525 in TIME_WAIT: the one that counts.
                "   0: 0100007F:80E8 0100007F:09DD 06 00000000:00000000 03:00000A00 00000000     0",
                // The same port at the other side.
                "   1: 0100007F:09DD 0100007F:80E9 06 00000000:00000000 03:00000A00 00000000     0",
                // Established.
                "   2: 0100007F:80EA 0100007F:09DD 01 00000000:00000000 00:00000000 00000000     0");
        assertThat(ProcFs.timeWaitTowards(2525, table)).isEqualTo(1);
    }

    @Test
    void tableOfIpv6IsReadAlike() {
        var table = List.of(
                HEADING,
                "   0: 0000000000000000FFFF00000100007F:80E8 0000000000000000FFFF00000100007F:09DD 06 00000000:00000000",
                "   1: 0000000000000000FFFF00000100007F:80E9 0000000000000000FFFF00000100007F:09DE 06 00000000:00000000");
        assertThat(ProcFs.timeWaitTowards(2525, table)).isEqualTo(1);
    }
}
