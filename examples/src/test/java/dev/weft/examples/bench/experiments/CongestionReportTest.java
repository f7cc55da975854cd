package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CongestionReportTest {

    @TempDir
    private Path directory;

    @Test
    void saysWhoseLatenciesMayBeThoseOfABusyMachine() throws IOException {
        var printed = print(result(18.4, 24.6), result(17, 85.3));

        assertThat(printed).contains("CPUs busy")
                .containsPattern("Weft on connect  mx1 .* 18 +25\\R")
                .containsPattern("Weft on mail +mx2 .* 17 +85\\R")
                .contains("CAUTION: the processors were busy for 17 and 85 % of the time of Weft on mail")
                .doesNotContain("of the time of Weft on connect");
    }

    @Test
    void saysNothingOfAQuietMachine() throws IOException {
        assertThat(print(result(18, 25), result(17, 60))).doesNotContain("CAUTION");
    }

    private String print(CongestionReport.Result connect, CongestionReport.Result mail) throws IOException {
        var report = new CongestionReport(directory);
        report.add(Way.WEFT_CONNECT, connect);
        report.add(Way.WEFT_MAIL, mail);
        var out = new ByteArrayOutputStream();
        try (var console = new Console(out, directory.resolve("copy.txt"))) {
            report.write(console);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    /** Two seconds, with a message of 3 ms for each receiver in each. */
    private static CongestionReport.Result result(double busyWithout, double busyWith) {
        var timelines = new LinkedHashMap<String, Timeline>();
        for (var receiver : List.of("mx1", "mx2", "mx3")) {
            timelines.put(receiver, new Timeline(0, 2, List.of(
                    new Timeline.Passage(100_000, 103_000, 2_000_000), new Timeline.Passage(1_100_000, 1_103_000, 2_000_000))));
        }
        return new CongestionReport.Result(0, 1_000_000, 2_000_000, busyWithout, busyWith, timelines);
    }
}
