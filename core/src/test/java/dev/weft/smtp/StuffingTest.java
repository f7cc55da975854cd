package dev.weft.smtp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StuffingTest {

    private static byte[] octets(String text) {
        return text.replace("\\r", "\r").replace("\\n", "\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] unstuff(byte[] wire, Random cuts) {
        var out = new ByteArrayOutputStream();
        var unstuffing = new Unstuffing();
        for (int at = 0; at < wire.length;) {
            int length = cuts == null ? wire.length : Math.min(wire.length - at, 1 + cuts.nextInt(1 + cuts.nextInt(60)));
            var in = ByteBuffer.allocateDirect(length + 3).position(2);
            in.put(wire, at, length).flip().position(2);
            unstuffing.read(in, piece -> {
                assertThat(piece.isReadOnly()).isTrue();
                while (piece.hasRemaining()) {
                    out.write(piece.get());
                }
            });
            assertThat(in.remaining()).as("not moved").isEqualTo(length);
            at += length;
        }
        return out.toByteArray();
    }

    private static byte[] stuff(byte[] content, Random cuts) {
        var out = new ByteArrayOutputStream();
        var stuffing = new Stuffing();
        for (int at = 0; at < content.length;) {
            int length = cuts == null ? content.length : Math.min(content.length - at, 1 + cuts.nextInt(1 + cuts.nextInt(60)));
            var wire = stuffing.write(ByteBuffer.wrap(content, at, length).asReadOnlyBuffer());
            while (wire.hasRemaining()) {
                out.write(wire.get());
            }
            at += length;
        }
        out.writeBytes(stuffing.end());
        return out.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({
        "'',                         .\\r\\n",
        "\\r\\n,                     \\r\\n.\\r\\n",
        ".\\r\\n,                    ..\\r\\n.\\r\\n",
        "..a\\r\\n.\\r\\n,           ...a\\r\\n..\\r\\n.\\r\\n",
        "a.b\\r\\nc.\\r\\n,          a.b\\r\\nc.\\r\\n.\\r\\n",
        "a\\n.b\\r.c\\r\\n,          a\\n.b\\r.c\\r\\n.\\r\\n",
        "\\r\\n\\r\\n.\\r\\n\\r\\n,  \\r\\n\\r\\n..\\r\\n\\r\\n.\\r\\n",
    })
    void contentAndWireBelongToEachOther(String content, String wire) {
        assertThat(stuff(octets(content), null)).isEqualTo(octets(wire));
        assertThat(unstuff(octets(wire), null)).isEqualTo(octets(content));
    }

    @ParameterizedTest
    @CsvSource({"abc, abc\\r\\n.\\r\\n", "abc\\n, abc\\n\\r\\n.\\r\\n", "abc\\r, abc\\r\\r\\n.\\r\\n", "a\\r\\n., a\\r\\n..\\r\\n.\\r\\n"})
    void contentWithoutALastLineEndGetsOne(String content, String wire) {
        assertThat(stuff(octets(content), null)).isEqualTo(octets(wire));
    }

    @Test
    void dotThatWasNotDoubledGoesToo() {
        assertThat(unstuff(octets(".x\\r\\n.\\r\\n"), null)).isEqualTo(octets("x\\r\\n"));
    }

    @Test
    void crBehindALoneDotBelongsToTheMessageWhereNoLfFollows() {
        for (int i = 0; i < 20; i++) {
            assertThat(unstuff(octets("a\\r\\n.\\rb\\r\\n.\\r\\n"), i == 0 ? null : new Random(i))).isEqualTo(octets("a\\r\\n\\rb\\r\\n"));
        }
    }

    @Test
    void randomContentComesBackHoweverItIsCut() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            var content = new byte[random.nextInt(200)];
            for (int j = 0; j < content.length; j++) {
                content[j] = (byte) "..\r\n\r\nab\u0000\u00ff".charAt(random.nextInt(10));
            }
            var whole = new ByteArrayOutputStream();
            whole.writeBytes(content);
            whole.writeBytes(octets("\\r\\n"));
            var wire = stuff(whole.toByteArray(), random);
            assertThat(wire).as("seed %d, round %d", seed, i).isEqualTo(stuff(whole.toByteArray(), null));
            assertThat(unstuff(wire, random)).as("seed %d, round %d", seed, i).isEqualTo(whole.toByteArray());
            var scanner = new EndOfData(BareLineEnds.PASS);
            assertThat(scanner.scan(ByteBuffer.wrap(wire))).as("seed %d, round %d", seed, i).isEqualTo(EndOfData.Status.END);
            assertThat(scanner.passed()).as("seed %d, round %d", seed, i).isEqualTo(wire.length);
        }
    }

    /** As the RFC says it, octet by octet. */
    private static byte[] plainlyStuffed(byte[] content) {
        var out = new ByteArrayOutputStream();
        for (int i = 0; i < content.length; i++) {
            if (content[i] == '.' && (i == 0 || i > 1 && content[i - 1] == '\n' && content[i - 2] == '\r')) {
                out.write('.');
            }
            out.write(content[i]);
        }
        var ended = content.length == 0 || content.length > 1 && content[content.length - 1] == '\n' && content[content.length - 2] == '\r';
        out.writeBytes(octets(ended ? ".\\r\\n" : "\\r\\n.\\r\\n"));
        return out.toByteArray();
    }

    @Test
    void longContentIsStuffedAsOctetByOctetHoweverItIsCut() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int i = 0; i < 3000; i++) {
            var content = new byte[random.nextInt(300)];
            var alphabet = i % 2 == 0 ? ".\r\n" : "....\r\n\r\n\r\nabcdefghijklmnopqrstuvwxyz";
            for (int j = 0; j < content.length; j++) {
                content[j] = (byte) alphabet.charAt(random.nextInt(alphabet.length()));
            }
            assertThat(stuff(content, i % 3 == 0 ? null : random)).as("seed %d, round %d", seed, i).isEqualTo(plainlyStuffed(content));
        }
    }
}
