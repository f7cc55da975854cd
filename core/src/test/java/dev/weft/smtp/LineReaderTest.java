package dev.weft.smtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LineReaderTest {

    private static List<String> read(LineReader reader, List<ByteBuffer> buffers) {
        var events = new ArrayList<String>();
        for (var in : buffers) {
            while (true) {
                var status = reader.read(in);
                if (status == LineReader.Status.MORE) {
                    assertThat(in.hasRemaining()).isFalse();
                    break;
                }
                events.add(status == LineReader.Status.LINE ? Cuts.text(reader.line()) : status.name());
                assertThat(reader.idle()).isTrue();
            }
        }
        return events;
    }

    private static void assertEvents(int limit, String octets, String... expected) {
        Cuts.each(Cuts.octets(octets), buffers -> {
            var reader = new LineReader(limit);
            assertThat(read(reader, buffers)).containsExactly(expected);
        });
    }

    @Test
    void splitsPipelinedCommandsHoweverTheyAreCut() {
        assertEvents(512, "MAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.net>\r\nRCPT TO:<c@example.net>\r\nDATA\r\n",
                "MAIL FROM:<a@example.com>\r\n", "RCPT TO:<b@example.net>\r\n", "RCPT TO:<c@example.net>\r\n", "DATA\r\n");
    }

    @Test
    void leavesWhatFollowsTheLineInTheBuffer() {
        var in = ByteBuffer.wrap(Cuts.octets("DATA\r\nbody"));
        var reader = new LineReader(512);

        assertThat(reader.read(in)).isEqualTo(LineReader.Status.LINE);
        assertThat(in.position()).isEqualTo(6);
        assertThat(reader.command().verb()).isEqualTo(Verb.DATA);
    }

    @Test
    void reportsABareLineEndOnceAtTheCrlfAndIsInStepAgain() {
        assertEvents(512, "NOOP\nQUIT\r\nNOOP\r\n", "BARE_LINE_END", "NOOP\r\n");
        assertEvents(512, "NOOP\rQUIT\r\nNOOP\r\n", "BARE_LINE_END", "NOOP\r\n");
        assertEvents(512, "NOOP\r\r\nNOOP\r\n", "BARE_LINE_END", "NOOP\r\n");
        assertEvents(512, "\n\r\n\r\n", "BARE_LINE_END", "\r\n");
        assertEvents(512, "a\n\r\nb\n\rc\r\n", "BARE_LINE_END", "BARE_LINE_END");
    }

    @Test
    void takesANulAndEightBitOctetsAsOrdinary() {
        assertEvents(512, "MAIL FROM:<a\0b@example.com>\r\nNOOP \u00ff\u0080\r\n", "MAIL FROM:<a\0b@example.com>\r\n",
                "NOOP \u00ff\u0080\r\n");
    }

    @Test
    void countsTheCrlfInTheLimit() {
        assertEvents(6, "NOOP\r\nNOOP \r\nRSET\r\n", "NOOP\r\n", "TOO_LONG", "RSET\r\n");
        assertEvents(6, "NOOP\nNOOP\r\nRSET\r\n", "TOO_LONG", "RSET\r\n");
        assertEvents(6, "NO\nP\r\nRSET\r\n", "BARE_LINE_END", "RSET\r\n");
    }

    @Test
    void answersASeventyKilobyteCommandOnceAndUnderstandsTheNoopBehindIt() {
        var reader = new LineReader(2048);
        var octets = Cuts.octets("X".repeat(70_000) + "\r\nNOOP\r\n");
        var buffers = new ArrayList<ByteBuffer>();
        for (int from = 0; from < octets.length; from += 1000) {
            buffers.add(Cuts.buffer(octets, from, Math.min(from + 1000, octets.length), from / 1000));
        }

        assertThat(read(reader, buffers)).containsExactly("TOO_LONG", "NOOP\r\n");
    }

    @Test
    void holdsNothingWhenIdleAndNeverMoreThanTheLimit() throws ReflectiveOperationException {
        var reader = new LineReader(2048);
        for (int i = 0; i < 3000; i++) {
            reader.read(ByteBuffer.wrap(Cuts.octets("X")));
            assertThat(held(reader)).isLessThanOrEqualTo(2048);
        }
        assertThat(held(reader)).isZero();
        reader.read(ByteBuffer.wrap(Cuts.octets("\r\nNO")));
        reader.read(ByteBuffer.wrap(Cuts.octets("OP\r\n")));
        reader.line();
        reader.read(ByteBuffer.wrap(Cuts.octets("P\r\n")));
        assertThat(held(reader)).isZero();
    }

    private static int held(LineReader reader) throws ReflectiveOperationException {
        var field = LineReader.class.getDeclaredField("held");
        field.setAccessible(true);
        return ((byte[]) field.get(reader)).length;
    }

    @Test
    void tellsOfABareLineFeedBeforeTheLineEnds() {
        var reader = new LineReader(512);
        assertThat(reader.idle()).isTrue();
        reader.read(ByteBuffer.wrap(Cuts.octets("EHLO a\n")));

        assertThat(reader.sawBareLineFeed()).isTrue();
        assertThat(reader.idle()).isFalse();
        reader.read(ByteBuffer.wrap(Cuts.octets("\r\n")));
        assertThat(reader.sawBareLineFeed()).isFalse();
    }

    @Test
    void takesALongerLineWhereTheLimitWasRaised() {
        var reader = new LineReader(512);
        reader.limit(12_288);
        var token = "A".repeat(12_286) + "\r\n";

        assertThat(read(reader, List.of(ByteBuffer.wrap(Cuts.octets(token))))).containsExactly(token);
        reader.limit(512);
        assertThat(reader.limit()).isEqualTo(512);
        assertThat(read(reader, List.of(ByteBuffer.wrap(Cuts.octets(token))))).containsExactly("TOO_LONG");
    }

    @Test
    void refusesALimitInMidLineAndANonsensicalOne() {
        var reader = new LineReader(512);
        reader.read(ByteBuffer.wrap(Cuts.octets("NO")));

        assertThatThrownBy(() -> reader.limit(100)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new LineReader(1)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1");
        reader.reset();
        reader.limit(100);
        assertThat(reader.idle()).isTrue();
    }

    @Test
    void handsALineOverOnce() {
        var reader = new LineReader(512);
        Stream.<Runnable>of(reader::line, reader::command).forEach(call ->
                assertThatThrownBy(call::run).isInstanceOf(IllegalStateException.class).hasMessageContaining("once"));
        reader.read(ByteBuffer.wrap(Cuts.octets("NOOP\r\n")));
        reader.line();
        assertThatThrownBy(reader::line).isInstanceOf(IllegalStateException.class);
    }
}
