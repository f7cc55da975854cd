package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines as Linux 5 and 6 on x86-64 write them. */
class SocketTableTest {

    private static final String HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when ret"
            + "rnsmt   uid  timeout inode";
    private static final String V4 = "   2: 0100007F:9227 0201007F:0019 01 00000000:00000000 00:00000000 000"
            + "00000  1001        0 17267471 1 00000000a9141801 20 4 30 10 -1";
    private static final String MAPPED = "   1: 0000000000000000FFFF00000100007F:9179 0000000000000000FFFF000009"
            + "00007F:914B 01 00000000:00000000 00:00000000 00000000    33        0 1"
            + "7255005 1 000000007bb6e204 20 4 30 10 -1";
    private static final String V6 = "  17: B80D0120000000000000000001000000:C350 B80D0120341200000000000021"
            + "436587:0019 08 00000000:00000000 00:00000000 00000000 4294967294      "
            + "  0 99 1 0000000000000000 20 4 0 10 -1";
    private static final String TIME_WAIT = "   3: 0100007F:A34F 0900007F:914B 06 00000000:00000000 03:00000000 000"
            + "00000     0        0 0 3 00000000bd709c4b";

    private final SocketTable table = new SocketTable(Path.of("unused"), ByteOrder.LITTLE_ENDIAN);

    private static SocketTable.Entry entry(String local, int localPort, String remote, int remotePort, long uid) {
        return new SocketTable.Entry(new InetSocketAddress(TestSession.ip(local), localPort),
                new InetSocketAddress(TestSession.ip(remote), remotePort), uid);
    }

    @Test
    void readsBothFamilies() {
        assertThat(table.parse(V4)).contains(entry("127.0.0.1", 0x9227, "127.0.1.2", 25, 1001));
        assertThat(table.parse(MAPPED)).contains(entry("127.0.0.1", 0x9179, "127.0.0.9", 0x914b, 33));
        assertThat(table.parse(V6)).contains(entry("2001:db8::1", 50_000, "2001:db8:0:1234::8765:4321", 25, 4_294_967_294L));
        var big = new SocketTable(Path.of("unused"), ByteOrder.BIG_ENDIAN);
        assertThat(big.parse(V4.replace("0100007F", "7F000001").replace("0201007F", "7F000102"))).isEqualTo(table.parse(V4));
    }

    @Test
    void aSocketWithoutOwnerIsNotRoots() {
        assertThat(table.parse(TIME_WAIT)).isEmpty();
        assertThat(table.parse(HEAD)).isEmpty();
        assertThat(table.parse("")).isEmpty();
    }

    @Test
    void aLineCutAnywhereSaysNothingOrTheSame() {
        for (var line : List.of(V4, MAPPED, V6)) {
            int inode = line.indexOf(" 0 ", 80) + 3; // the last field that is read
            for (int cut = 0; cut < line.length(); cut++) {
                var parsed = table.parse(line.substring(0, cut));
                assertThat(parsed).as(line.substring(0, cut)).isIn(Optional.empty(), table.parse(line));
                assertThat(parsed.isPresent()).as(line.substring(0, cut)).isEqualTo(cut > inode);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "2: 0100007F:9227 0201007F:0019 01 0:0 00:0 0 -1 0 17 1",
        "2: 0100007F:9227 0201007F:0019 01 0:0 00:0 0 4294967296 0 17 1",
        "2: 0100007F:9227 0201007F:0019 01 0:0 00:0 0 x 0 17 1",
        "2: 0100007F:9227 0201007F:0019 01 0:0 00:0 0 10 0 x 1",
        "2: 0100007G:9227 0201007F:0019 01 0:0 00:0 0 10 0 17 1",
        "2: 0100007F:922 0201007F:0019 01 0:0 00:0 0 10 0 17 1",
        "2: 0100007F:92277 0201007F:0019 01 0:0 00:0 0 10 0 17 1",
        "2: 0100007F9227 0201007F:0019 01 0:0 00:0 0 10 0 17 1",
        "2: 0100007F0100007F:9227 0201007F:0019 01 0:0 00:0 0 10 0 17 1",
        "2: :9227 0201007F:0019 01 0:0 00:0 0 10 0 17 1",
        "2 0100007F:9227 0201007F:0019 01 0:0 00:0 0 10 0 17 1"})
    void malformedLinesSayNothing(String line) {
        assertThat(table.parse("2: 0100007F:9227 0201007F:0019 01 0:0 00:0 0 10 0 17 1")).isPresent();
        assertThat(table.parse(line)).isEmpty();
    }

    @Test
    void readsAFileOfGoodAndBadLines(@TempDir Path directory) throws IOException {
        var files = new SocketTable(directory, ByteOrder.LITTLE_ENDIAN);
        var seen = new ArrayList<Long>();
        assertThat(files.read(port -> true, entry -> seen.add(entry.uid()))).as("no table").isFalse();
        Files.write(directory.resolve("tcp"), List.of(HEAD, TIME_WAIT, V4, V4.substring(0, 60),
                "\u0000\u00ff", "x".repeat(5000)));
        assertThat(files.read(port -> true, entry -> seen.add(entry.uid()))).as("no IPv6").isTrue();
        Files.write(directory.resolve("tcp6"), List.of(HEAD, MAPPED, V6));
        files.read(port -> true, entry -> seen.add(entry.uid()));
        assertThat(seen).containsExactly(1001L, 1001L, 33L, 4_294_967_294L);
        seen.clear();
        files.read(port -> port == 0x9179, entry -> seen.add(entry.uid()));
        assertThat(seen).containsExactly(33L);
    }

    @Test
    void theLocalPortIsFoundWithoutReadingTheLine() {
        assertThat(SocketTable.localPort(V4)).isEqualTo(0x9227);
        assertThat(SocketTable.localPort(MAPPED)).isEqualTo(0x9179);
        assertThat(SocketTable.localPort(HEAD)).isEqualTo(-1);
        for (int cut = 0; cut < V4.length(); cut++) {
            assertThat(SocketTable.localPort(V4.substring(0, cut))).isEqualTo(cut < V4.indexOf("9227") + 4 ? -1 : 0x9227);
        }
    }
}
