package dev.weft.intercept;

import static dev.weft.intercept.ProxyHeaderReader.Status.DONE;
import static dev.weft.intercept.ProxyHeaderReader.Status.MORE;
import static dev.weft.intercept.ProxyHeaderReader.Status.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyHeaderReaderTest {
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final String V4 = "c0000201" + "cb007109" + "d431" + "0019";
    private static final String V6 = "20010db8000000000000000000000001" + "20010db8000000000000000000000002" + "d431" + "0019";
    private static final String MAPPED = "00000000000000000000ffffc0000201" + "00000000000000000000ffffcb007109" + "d431"
            + "0019";
    private static final byte[] CLIENT_BYTES = bytes("EHLO client.example\r\n");

    static Stream<Arguments> headers() {
        return Stream.of(
                Arguments.of("v1 IPv4", bytes("PROXY TCP4 192.0.2.1 203.0.113.9 54321 25\r\n"), "192.0.2.1:54321",
                        "203.0.113.9:25"),
                Arguments.of("v1 IPv6", bytes("PROXY TCP6 2001:db8::1 2001:db8::2 54321 25\r\n"),
                        "[2001:db8:0:0:0:0:0:1]:54321", "[2001:db8:0:0:0:0:0:2]:25"),
                Arguments.of("v1 longest addresses", bytes("PROXY TCP6 ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n"
                        .replace("f...f", "ffff:ffff:ffff:ffff:ffff:ffff")), "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535",
                        "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535"),
                Arguments.of("v1 mapped", bytes("PROXY TCP6 ::ffff:192.0.2.1 ::ffff:203.0.113.9 0 25\r\n"), "192.0.2.1:0",
                        "203.0.113.9:25"),
                Arguments.of("v1 unknown", bytes("PROXY UNKNOWN\r\n"), null, null),
                Arguments.of("v1 unknown with more", bytes("PROXY UNKNOWN  ffff::1 what ever \u0001\r\n"), null, null),
                Arguments.of("v1 of 107 bytes", bytes("PROXY UNKNOWN " + "x".repeat(91) + "\r\n"), null, null),
                Arguments.of("v2 IPv4", v2("2111", 12, V4), "192.0.2.1:54321", "203.0.113.9:25"),
                Arguments.of("v2 IPv6", v2("2121", 36, V6), "[2001:db8:0:0:0:0:0:1]:54321", "[2001:db8:0:0:0:0:0:2]:25"),
                Arguments.of("v2 mapped", v2("2121", 36, MAPPED), "192.0.2.1:54321", "203.0.113.9:25"),
                Arguments.of("v2 with fields", v2("2111", 19, V4 + "04000461626364"), "192.0.2.1:54321", "203.0.113.9:25"),
                Arguments.of("v2 of 536 bytes", v2("2121", 520, V6 + "00".repeat(484)),
                        "[2001:db8:0:0:0:0:0:1]:54321", "[2001:db8:0:0:0:0:0:2]:25"),
                Arguments.of("v2 local", v2("2000", 0, ""), null, null),
                Arguments.of("v2 local with an odd family and fields", v2("20f7", 5, "0102030405"), null, null));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("headers")
    void readsAWholeHeaderAndLeavesTheClientsBytes(String name, byte[] header, String source, String destination) {
        var reader = new ProxyHeaderReader();
        var in = ByteBuffer.wrap(joined(header, CLIENT_BYTES));
        assertThat(reader.read(in)).isEqualTo(DONE);
        assertThat(in.position()).isEqualTo(header.length);
        assertAddresses(reader, source, destination);
        assertThat(reader.read(in)).isEqualTo(DONE);
        assertThat(in.position()).isEqualTo(header.length);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("headers")
    void readsAHeaderCutAtEveryByte(String name, byte[] header, String source, String destination) {
        for (int cut = 0; cut <= header.length; cut++) {
            var reader = new ProxyHeaderReader();
            var first = ByteBuffer.wrap(header, 0, cut);
            assertThat(reader.read(first)).isEqualTo(cut < header.length ? MORE : DONE);
            assertThat(first.hasRemaining()).isFalse();
            var rest = ByteBuffer.wrap(joined(header, CLIENT_BYTES));
            rest.position(cut);
            assertThat(reader.read(rest)).isEqualTo(DONE);
            assertThat(rest.position()).isEqualTo(header.length);
            assertAddresses(reader, source, destination);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("headers")
    void readsAHeaderByteByByte(String name, byte[] header, String source, String destination) {
        var reader = new ProxyHeaderReader();
        for (int i = 0; i < header.length; i++) {
            assertThat(reader.read(ByteBuffer.wrap(header, i, 1))).isEqualTo(i < header.length - 1 ? MORE : DONE);
        }
        assertAddresses(reader, source, destination);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "EHLO client.example\r\n",
        "proxy TCP4 192.0.2.1 203.0.113.9 1 25\r\n",
        "PROXY\r\n",
        "PROXY \r\n",
        "PROXYTCP4 ",
        "PROXY  TCP4 192.0.2.1 203.0.113.9 1 25\r\n",
        "PROXY TCP4\r\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 1\r\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 1 25 \r\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 1 25 26\r\n",
        "PROXY TCP4 192.0.2.1  203.0.113.9 1 25\r\n",
        "PROXY TCP4\t192.0.2.1 203.0.113.9 1 25\r\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 1 25\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 1 25\r\r\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 1\r25\r\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 01 25\r\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 1 65536\r\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 1 -1\r\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 1 +25\r\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 1 \u0662\r\n",
        "PROXY TCP4 192.0.2.1 203.0.113.9 1 4294967321\r\n",
        "PROXY TCP4 192.0.2.01 203.0.113.9 1 25\r\n",
        "PROXY TCP4 192.0.2.256 203.0.113.9 1 25\r\n",
        "PROXY TCP4 192.0.2 203.0.113.9 1 25\r\n",
        "PROXY TCP4 3221225985 203.0.113.9 1 25\r\n",
        "PROXY TCP4 mx.example.org 203.0.113.9 1 25\r\n",
        "PROXY TCP4 localhost localhost 1 25\r\n",
        "PROXY TCP4 ::1 ::1 1 25\r\n",
        "PROXY TCP4 ::ffff:192.0.2.1 ::ffff:203.0.113.9 1 25\r\n",
        "PROXY TCP6 192.0.2.1 203.0.113.9 1 25\r\n",
        "PROXY TCP6 ::1%lo ::1 1 25\r\n",
        "PROXY TCP6 [::1] [::1] 1 25\r\n",
        "PROXY TCP6 ::1::1 ::1 1 25\r\n",
        "PROXY UDP4 192.0.2.1 203.0.113.9 1 25\r\n",
        "PROXY UNKNOWNX\r\n",
        "PROXY UNKNOWN\n",
        "PROXY UNKNOWN \rx\r\n"
    })
    void refusesAVersion1LineThatIsNotStrict(String line) {
        assertRefusedHoweverCut(bytes(line));
    }

    @Test
    void refusesAVersion1LineOf107BytesWithoutItsEnd() {
        assertThat(refused(bytes("PROXY UNKNOWN " + "x".repeat(93)))).contains("longer than 107");
        assertThat(refused(bytes("PROXY UNKNOWN " + "x".repeat(92) + "\r\n"))).contains("longer than 107");
    }

    static Stream<Arguments> badV2() {
        return Stream.of(
                Arguments.of("version is 1", v2("1111", 12, V4)),
                Arguments.of("command 2", v2("2211", 12, V4)),
                Arguments.of("0x0 are not TCP", v2("2100", 0, "")),
                Arguments.of("0x12 are not TCP", v2("2112", 12, V4)),
                Arguments.of("0x22 are not TCP", v2("2122", 36, V6)),
                Arguments.of("0x31 are not TCP", v2("2131", 216, "00".repeat(216))),
                Arguments.of("addresses need 12", v2("2111", 11, V4)),
                Arguments.of("addresses need 36", v2("2121", 35, V6)),
                Arguments.of("more than 536", v2("2121", 521, V6)),
                Arguments.of("more than 536", v2("2000", 65535, "")),
                Arguments.of("signature", HexFormat.of().parseHex("0d0a0d0a000d0a515549540d")),
                Arguments.of("signature", bytes("\r\n\r\nEHLO")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badV2")
    void refusesAVersion2HeaderThatItCantServe(String why, byte[] header) {
        assertRefusedHoweverCut(header);
        assertThat(refused(header)).contains(why);
    }

    @Test
    void takesAnotherBoundForVersion2() {
        var header = v2("2121", 521, V6 + "00".repeat(485));
        assertThat(new ProxyHeaderReader(537).read(ByteBuffer.wrap(header))).isEqualTo(DONE);
        assertThatThrownBy(() -> new ProxyHeaderReader(51)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("51");
        assertThatThrownBy(() -> new ProxyHeaderReader(65552)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65552");
    }

    @Test
    void answersOnlyWhatIsKnown() {
        var fresh = new ProxyHeaderReader();
        assertThat(fresh.read(ByteBuffer.allocate(0))).isEqualTo(MORE);
        assertThatThrownBy(fresh::source).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(fresh::destination).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(fresh::local).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(fresh::reason).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void bearsRandomBytesAndMutationsInRandomCuts() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        var seeds = headers().map(a -> (byte[]) a.get()[1]).toList();
        for (int round = 0; round < 20_000; round++) {
            var input = new byte[600];
            random.nextBytes(input);
            var base = seeds.get(random.nextInt(seeds.size()));
            System.arraycopy(base, 0, input, 0, random.nextInt(base.length + 1));
            for (int flips = random.nextInt(3); flips > 0; flips--) {
                input[random.nextInt(base.length)] ^= (byte) (1 << random.nextInt(8));
            }
            var whole = new ProxyHeaderReader();
            var in = ByteBuffer.wrap(input);
            var status = whole.read(in);
            assertThat(status).as("seed %d, round %d", seed, round).isNotEqualTo(MORE);
            assertThat(in.position()).as("seed %d, round %d", seed, round).isLessThanOrEqualTo(ProxyHeaderReader.MAX_V2_BYTES);

            var cut = new ProxyHeaderReader();
            int at = 0;
            var cutStatus = MORE;
            while (cutStatus == MORE) {
                int length = Math.min(input.length - at, random.nextInt(40));
                var piece = ByteBuffer.wrap(input, at, length).slice();
                cutStatus = cut.read(piece);
                at += piece.position();
            }
            assertThat(cutStatus).as("seed %d, round %d", seed, round).isEqualTo(status);
            assertThat(at).as("seed %d, round %d", seed, round).isEqualTo(in.position());
            if (status == DONE) {
                assertThat(cut.destination()).as("seed %d, round %d", seed, round).isEqualTo(whole.destination());
            } else {
                assertThat(cut.reason()).as("seed %d, round %d", seed, round).isEqualTo(whole.reason()).isNotBlank();
            }
        }
    }

    private static void assertAddresses(ProxyHeaderReader reader, String source, String destination) {
        assertThat(reader.local()).isEqualTo(source == null);
        if (source == null) {
            assertThat(reader.source()).isNull();
            assertThat(reader.destination()).isNull();
        } else {
            assertThat(Addresses.text(reader.source())).isEqualTo(source);
            assertThat(Addresses.text(reader.destination())).isEqualTo(destination);
        }
    }

    private static void assertRefusedHoweverCut(byte[] header) {
        var reason = refused(header);
        for (int cut = 0; cut <= header.length; cut++) {
            var reader = new ProxyHeaderReader();
            reader.read(ByteBuffer.wrap(header, 0, cut));
            assertThat(reader.read(ByteBuffer.wrap(header, cut, header.length - cut))).isEqualTo(REFUSED);
            assertThat(reader.reason()).isEqualTo(reason);
        }
    }

    private static String refused(byte[] header) {
        var reader = new ProxyHeaderReader();
        var in = ByteBuffer.wrap(header);
        assertThat(reader.read(in)).isEqualTo(REFUSED);
        int consumed = in.position();
        assertThat(reader.read(in)).isEqualTo(REFUSED);
        assertThat(in.position()).isEqualTo(consumed);
        return reader.reason();
    }

    private static byte[] v2(String commandAndFamily, int length, String body) {
        return HexFormat.of().parseHex(SIGNATURE + commandAndFamily + String.format("%04x", length) + body);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] joined(byte[] a, byte[] b) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(a);
        out.writeBytes(b);
        return out.toByteArray();
    }
}
