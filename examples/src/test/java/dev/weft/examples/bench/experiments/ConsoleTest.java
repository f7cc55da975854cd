package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsoleTest {

    @TempDir
    Path directory;

    @Test
    void theFileHasWhatWasPrinted() throws IOException {
        var standard = new ByteArrayOutputStream();
        var file = directory.resolve("experiments.txt");
        try (var console = new Console(standard, file)) {
            console.line("größe –");
            var table = new TextTable("a");
            table.row("1");
            console.table(table);
        }
        assertThat(Files.readString(file)).isEqualTo(standard.toString(StandardCharsets.UTF_8))
                .isEqualTo("größe –\n\na\n-\n1\n\n".replace("\n", System.lineSeparator()));
    }

    @Test
    void onlyWeftOnMailHasToMeetTheTargets() throws IOException {
        try (var console = new Console(new ByteArrayOutputStream(), directory.resolve("out"))) {
            assertThat(console.atMost(Way.DIRECT, 1.1, 5)).isEqualTo("5.00");
            assertThat(console.atMost(Way.POSTFIX, 1.1, 5)).isEqualTo("5.00 MISSED");
            assertThat(console.none(Way.WEFT_CONNECT, 3)).isEqualTo("3 MISSED");
            assertThat(console.atMost(Way.WEFT_MAIL, 1.1, 1.1)).isEqualTo("1.10 met");
            assertThat(console.none(Way.WEFT_MAIL, 0)).isEqualTo("0");
            assertThat(console.missed()).isFalse();
            assertThat(console.atMost(Way.WEFT_MAIL, 1.1, 1.11)).isEqualTo("1.11 MISSED");
            assertThat(console.missed()).isTrue();
        }
    }

    @Test
    void whatIsUnknownMissesTheTarget() throws IOException {
        try (var console = new Console(new ByteArrayOutputStream(), directory.resolve("out"))) {
            assertThat(console.atMost(Way.WEFT_MAIL, 1.1, Double.NaN)).isEqualTo("– MISSED");
            assertThat(console.missed()).isTrue();
        }
    }
}
