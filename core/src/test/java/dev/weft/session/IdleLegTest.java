package dev.weft.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IdleLegTest {

    private final List<String> orders = new ArrayList<>();
    private final IdleLeg leg = new IdleLeg(SessionSettings.DEFAULT, new IdleLeg.Port() {
        @Override
        public void write(byte[] bytes) {
            orders.add("write " + new String(bytes, StandardCharsets.US_ASCII).strip());
        }

        @Override
        public void close(Closing how, String why) {
            orders.add(how + ": " + why);
        }
    });

    private void says(String text) {
        var in = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
        leg.bytes(in);
        assertThat(in.hasRemaining()).isFalse();
    }

    @Test
    void itIsTakenAndNothingIsSaid() {
        assertThat(leg.take()).isTrue();
        leg.retire("late");
        leg.closed("late");
        assertThat(orders).isEmpty();
    }

    @Test
    void itIsRetiredWithQuitOnce() {
        leg.retire("nobody wanted it");
        leg.retire("again");
        says("221 bye\r\n");
        leg.closed("closed by the server");
        assertThat(orders).containsExactly("write QUIT", "AWAIT_PEER: nobody wanted it");
        assertThat(leg.take()).isFalse();
    }

    @Test
    void aServerThatSpeaksUnaskedIsToldNothingMore() {
        says("421 4.4.2 timeout\r\n");
        leg.retire("nobody wanted it");
        assertThat(orders).containsExactly("AWAIT_PEER: the server spoke while it was idle: 421 4.4.2 timeout");
        assertThat(leg.take()).isFalse();
    }

    @Test
    void oneOctetIsEnough() {
        says("4");
        says("21 4.4.2 timeout\r\n");
        assertThat(orders).containsExactly("AWAIT_PEER: the server spoke while it was idle");
    }

    @Test
    void aServerThatClosesIsFoundOut() {
        leg.closed("closed by the server");
        assertThat(orders).containsExactly("AWAIT_PEER: closed by the server");
        assertThat(leg.take()).isFalse();
    }
}
