package dev.weft.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.Route;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HeldStartTlsTest {

    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 25);

    private final List<Leg> handshakes = new ArrayList<>();
    private final StrictPort port = new StrictPort(0) {
        @Override
        public void startTls(Leg leg, Route route, Optional<String> serverName) {
            handshakes.add(leg);
        }
    };
    private final SmtpSession session = new SmtpSession(SessionSettings.DEFAULT, List.of(), port,
            new Arrival("s", ADDRESS, ADDRESS, Route.to(ADDRESS), Arrival.TlsOffer.OFFERED, Optional.empty()));

    @Test
    void startTlsThatHadToWaitItsTurnBeginsTheHandshake() {
        greeted();
        session.fromClient(octets("NOOP\r\nSTARTTLS\r\n"));
        session.fromServer(1, octets("250 ok\r\n"));
        assertThat(session.ended()).isFalse();
        assertThat(handshakes).containsExactly(Leg.CLIENT);
    }

    @Test
    void textBehindAStartTlsThatHadToWaitEndsTheSession() {
        greeted();
        session.fromClient(octets("NOOP\r\nSTARTTLS\r\nN"));
        session.fromServer(1, octets("250 ok\r\n"));
        assertThat(session.ended()).isTrue();
        assertThat(handshakes).isEmpty();
    }

    private void greeted() {
        session.start();
        port.connecting = false;
        session.serverConnected(1, ADDRESS);
        session.fromServer(1, octets("220 mx\r\n"));
        session.fromClient(octets("EHLO a.example\r\n"));
        session.fromServer(1, octets("250 mx\r\n"));
    }

    private static ByteBuffer octets(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }
}
