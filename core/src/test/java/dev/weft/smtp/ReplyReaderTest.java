package dev.weft.smtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyReaderTest {

    /** The replies' octets; a failure ends the reading. */
    private static List<String> read(ReplyReader reader, List<ByteBuffer> buffers) {
        var events = new ArrayList<String>();
        for (var in : buffers) {
            while (true) {
                var status = reader.read(in);
                if (status == ReplyReader.Status.MORE) {
                    assertThat(in.hasRemaining()).isFalse();
                    break;
                }
                if (status != ReplyReader.Status.REPLY) {
                    events.add(status + " " + Cuts.text(reader.offending()));
                    return events;
                }
                assertThat(reader.idle()).isTrue();
                events.add(Cuts.text(reader.reply().bytes()));
            }
        }
        return events;
    }

    private static void assertEvents(String octets, String... expected) {
        Cuts.each(Cuts.octets(octets), buffers -> assertThat(read(new ReplyReader(512, 4096), buffers))
                .containsExactly(expected));
    }

    @Test
    void findsTheEndOfAMultiLineReplyHoweverItIsCut() {
        assertEvents("250-mx.example.net\r\n250-SIZE 1000\r\n250 HELP\r\n",
                "250-mx.example.net\r\n250-SIZE 1000\r\n250 HELP\r\n");
    }

    @Test
    void givesGluedRepliesOneByOne() {
        assertEvents("250 ok\r\n250-a\r\n250 b\r\n354\r\n550 5.1.1 no\r\n", "250 ok\r\n", "250-a\r\n250 b\r\n", "354\r\n",
                "550 5.1.1 no\r\n");
        var in = ByteBuffer.wrap(Cuts.octets("250 a\r\n250 b\r\n"));
        new ReplyReader(512, 512).read(in);
        assertThat(in.position()).isEqualTo(7);
    }

    @Test
    void takesBareCodesTabsAndBareLineFeedsAsTheyAre() {
        assertEvents("250\r\n", "250\r\n");
        assertEvents("334\r\n221\r\n", "334\r\n", "221\r\n");
        assertEvents("250-\r\n250\r\n", "250-\r\n250\r\n");
        assertEvents("250\tok\r\n", "250\tok\r\n");
        assertEvents("250 ok\n250\n", "250 ok\n", "250\n");
        assertEvents("250-a\n250 b\r\n", "250-a\n250 b\r\n");
        assertEvents("250 \r\n", "250 \r\n");
    }

    @Test
    void takesEmptyTextLinesInARateLimitReply() {
        var reply = "421-4.7.26 a\r\n421-4.7.26\r\n421-\r\n421-4.7.26 b\r\n421 4.7.26 c\r\n";
        assertEvents(reply, reply);
    }

    @Test
    void takesMixedCodesAsOneReply() {
        assertEvents("220-mx\r\n521 5.7.1 blocked\r\n", "220-mx\r\n521 5.7.1 blocked\r\n");
        assertEvents("100 x\r\n", "100 x\r\n");
    }

    @Test
    void keepsNulAndEightBitOctets() {
        assertEvents("250 a\0\u00ff\rb\r\n", "250 a\0\u00ff\rb\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hello\r\n", "\r\n", "\n", "25\r\n", "2500 x\r\n", "250x\r\n", "650 x\r\n", "050 x\r\n",
            "2a0 x\r\n", "250\rx\r\n",
            "-250 x\r\n", " 250 x\r\n"})
    void reportsALineWithoutACodeAtItsEnd(String line) {
        assertEvents(line + "250 ok\r\n", "MALFORMED " + line);
        assertEvents("250 ok\r\n" + line, "250 ok\r\n", "MALFORMED " + line);
        assertEvents("250-ok\r\n" + line, "MALFORMED " + line);
    }

    @Test
    void staysMalformedUntilReset() {
        var reader = new ReplyReader(512, 512);
        var in = ByteBuffer.wrap(Cuts.octets("junk\r\n250 ok\r\n"));

        assertThat(reader.read(in)).isEqualTo(ReplyReader.Status.MALFORMED);
        assertThat(in.position()).isEqualTo(6);
        assertThat(reader.read(in)).isEqualTo(ReplyReader.Status.MALFORMED);
        assertThat(in.position()).isEqualTo(6);
        assertThat(reader.idle()).isFalse();
        reader.reset();
        assertThat(reader.idle()).isTrue();
        assertThat(reader.read(in)).isEqualTo(ReplyReader.Status.REPLY);
    }

    @Test
    void limitsALineAndAReply() {
        var line = "250 " + "x".repeat(506) + "\r\n";
        Cuts.each(Cuts.octets(line), buffers -> assertThat(read(new ReplyReader(512, 512), buffers)).containsExactly(line));
        Cuts.each(Cuts.octets(line), buffers -> assertThat(read(new ReplyReader(511, 512), buffers))
                .containsExactly("TOO_LONG " + line));
        Cuts.each(Cuts.octets("250-a\r\n".repeat(9)), buffers ->
                assertThat(read(new ReplyReader(512, 50), buffers)).containsExactly("TOO_LONG " + "250-a\r\n".repeat(7) + "25"));
    }

    @Test
    void keepsAKilobyteOfWhatOffends() {
        var reader = new ReplyReader(100_000, 100_000);
        var in = ByteBuffer.wrap(Cuts.octets("x".repeat(5000) + "\r\n"));

        assertThat(reader.read(in)).isEqualTo(ReplyReader.Status.MALFORMED);
        assertThat(Cuts.text(reader.offending())).isEqualTo("x".repeat(1024));
    }

    @Test
    void holdsNothingWhenIdle() throws ReflectiveOperationException {
        var reader = new ReplyReader(512, 4096);
        var field = ReplyReader.class.getDeclaredField("held");
        field.setAccessible(true);

        reader.read(ByteBuffer.wrap(Cuts.octets("250-a")));
        assertThat(reader.idle()).isFalse();
        reader.read(ByteBuffer.wrap(Cuts.octets("\r\n250 b\r\n")));
        reader.reply();

        assertThat(reader.idle()).isTrue();
        assertThat((byte[]) field.get(reader)).isEmpty();
    }

    @Test
    void handsAReplyOverOnce() {
        var reader = new ReplyReader(512, 512);
        assertThatThrownBy(reader::reply).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(reader::offending).isInstanceOf(IllegalStateException.class);
        reader.read(ByteBuffer.wrap(Cuts.octets("250 ok\r\n")));
        reader.reply();
        assertThatThrownBy(reader::reply).isInstanceOf(IllegalStateException.class).hasMessageContaining("once");
        assertThatThrownBy(() -> new ReplyReader(0, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
