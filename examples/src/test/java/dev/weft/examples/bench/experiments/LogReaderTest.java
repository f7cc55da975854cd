package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogReaderTest {

    @TempDir
    Path directory;

    @Test
    void aFileThatIsNotThereYetHasNoLines() throws IOException {
        var file = directory.resolve("mail.log");
        var reader = new LogReader(file);
        assertThat(reader.lines()).isEmpty();
        Files.writeString(file, "one\n");
        assertThat(reader.lines()).containsExactly("one");
        assertThat(reader.lines()).isEmpty();
    }

    @Test
    void linesThatComeOctetByOctetAreReadOnceAndWhole() throws IOException {
        var file = Files.createFile(directory.resolve("mail.log"));
        var reader = new LogReader(file);
        var text = "first\n\nthe third: größe 10 µs\nunfinished";
        var read = new ArrayList<String>();
        for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
            Files.write(file, new byte[] {octet}, StandardOpenOption.APPEND);
            var lines = reader.lines();
            assertThat(lines.isEmpty()).isEqualTo(octet != '\n');
            read.addAll(lines);
        }
        assertThat(read).containsExactly("first", "", "the third: größe 10 µs");
    }

    @Test
    void aLogLargerThanTheBufferIsReadInOneCall() throws IOException {
        var line = "x".repeat(1000);
        var file = Files.writeString(directory.resolve("mail.log"), (line + "\n").repeat(200));
        assertThat(new LogReader(file).lines()).hasSize(200).containsOnly(line);
    }

    @Test
    void deliveriesAreCountedByRecipient() throws IOException {
        var log = directory.resolve("mail.log");
        var line = "Nov 30 19:35:02 s1 postfix/smtp[1]: %s: to=<%s>, relay=none, delay=0, status=%s (%s)\n";
        Files.writeString(log, line.formatted("3Pt2mN2VXxzB", "a@mx1.test", "deferred", "421 4.7.0 too many connections")
                + line.formatted("3Pt2mN2VXxzC", "b@mx1.test", "deferred", "delivery temporarily suspended: too many connections")
                + line.formatted("3Pt2mN2VXyzB", "a@mx1.test", "sent", "250 2.0.0 Ok")
                + line.formatted("3Pt2mN2VXzzD", "c@mx1.test", "sent", "250 2.0.0 Ok"));
        var deliveries = new Deliveries(List.of(log, directory.resolve("absent"))).read();
        Files.writeString(log, line.formatted("3Pt2mN2VXxzE", "c@mx1.test", "sent", "250 2.0.0 Ok"), StandardOpenOption.APPEND);
        deliveries.read().read();

        var all = List.of("a@mx1.test", "b@mx1.test", "c@mx1.test");
        assertThat(deliveries.delivered(all)).isEqualTo(2);
        assertThat(deliveries.doubled(all)).isEqualTo(1);
        assertThat(deliveries.suspended()).isEqualTo(1);
        assertThat(deliveries.refusedForConnections()).isEqualTo(1);
        assertThat(deliveries.queuedMicros("a@mx1.test")).as("of the first file").hasValue(1_300_631_508_353_025L);
        assertThat(deliveries.queuedMicros("d@mx1.test")).isEmpty();
    }
}
