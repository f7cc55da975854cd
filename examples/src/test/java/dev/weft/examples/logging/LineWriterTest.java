package dev.weft.examples.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LineWriterTest {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final List<IOException> failures = new ArrayList<>();

    private LineWriter writer(OutputStream out) {
        return new LineWriter("test", out, lost -> lost + " lost\n", failures::add);
    }

    @Test
    void linesComeInOrderAndCloseWaitsForThem() {
        var writer = writer(written);
        for (int i = 0; i < 1000; i++) {
            int number = i;
            writer.offer(() -> number + "\n", 10);
        }
        writer.close(LIMIT);
        assertThat(lines()).hasSize(1000).startsWith("0", "1").endsWith("998", "999");
    }

    @Test
    void aStuckStreamBlocksNobodyAndTheLostLinesAreReported() throws Exception {
        var stuck = new CountDownLatch(1);
        var reached = new CountDownLatch(1);
        var writer = writer(new OutputStream() {
            @Override
            public void write(int octet) {
                written.write(octet);
            }

            @Override
            public void write(byte[] octets, int from, int count) throws IOException {
                reached.countDown();
                try {
                    stuck.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                written.write(octets, from, count);
            }
        });
        writer.offer(() -> "first\n", 10);
        reached.await();
        for (int i = 0; i < 20_000; i++) {
            writer.offer(() -> "more\n", 10);
        }
        long lost = writer.dropped();
        assertThat(lost).isBetween(3_000L, 4_000L);
        stuck.countDown();
        writer.close(LIMIT);
        assertThat(lines()).hasSize((int) (1 + 1 + 20_000 - lost)).startsWith("first", lost + " lost");
    }

    @Test
    void whatWaitsIsBoundedInOctetsToo() throws Exception {
        var stuck = new CountDownLatch(1);
        var writer = writer(written);
        writer.offer(() -> {
            try {
                stuck.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return "first\n";
        }, 10);
        for (int i = 0; i < 40; i++) {
            writer.offer(() -> "big\n", 1 << 20);
        }
        assertThat(writer.dropped()).isBetween(8L, 9L);
        stuck.countDown();
        writer.close(LIMIT);
    }

    @Test
    void aStreamThatFailsIsToldOnceAndTriedAgain() {
        var broken = new boolean[] {true};
        var writer = writer(new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                if (broken[0]) {
                    throw new IOException("no space");
                }
                written.write(octet);
            }
        });
        for (int i = 0; i < 2; i++) {
            writer.offer(() -> "gone\n", 10);
            writer.flush(LIMIT);
        }
        assertThat(failures).hasSize(1).first().satisfies(e -> assertThat(e).hasMessage("no space"));
        broken[0] = false;
        writer.offer(() -> "back\n", 10);
        writer.close(LIMIT);
        // The empty line ends what a failed write may have left half-done.
        assertThat(lines()).containsExactly("", "2 lost", "back");
    }

    @Test
    void aLineThatCannotBeMadeIsCountedAndTheNextOnesGoOn() {
        var writer = writer(written);
        writer.offer(() -> {
            throw new IllegalStateException("no line");
        }, 10);
        writer.flush(LIMIT);
        writer.offer(() -> "next\n", 10);
        writer.close(LIMIT);
        assertThat(lines()).containsExactly("1 lost", "next");
    }

    @Test
    void afterTheEndLinesAreDropped() {
        var writer = writer(written);
        writer.close(LIMIT);
        writer.offer(() -> "late\n", 10);
        assertThat(writer.dropped()).isEqualTo(1);
        assertThat(lines()).isEmpty();
    }

    private List<String> lines() {
        return written.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
