package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.session.SessionSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FixedServerTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    /** Client and server legs are on one host here, where the kernel gives one port to connections to different places. */
    @Test
    void clientWithTheSamePortAsAServerLegIsNoLoop() throws IOException {
        try (var server = new ServerSocket(0, 50, LOOPBACK); var client = new Socket()) {
            var target = (InetSocketAddress) server.getLocalSocketAddress();
            var listener = ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0));
            var proxy = (InetSocketAddress) listener.getLocalAddress();
            var engine = new Engine(new Engine.Config(SessionSettings.DEFAULT, List.of(), Interception.fixed(target), 1, 10, 10, Tls.NONE));
            client.bind(new InetSocketAddress(LOOPBACK, 0));
            engine.guard().leaving((InetSocketAddress) client.getLocalSocketAddress(), target);
            engine.start(List.of(listener), Set.of());
            try {
                client.connect(proxy);
                server.setSoTimeout(5_000);
                try (var leg = server.accept()) {
                    leg.getOutputStream().write("220 server.test\r\n".getBytes(StandardCharsets.US_ASCII));
                    var in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
                    assertThat(in.readLine()).isEqualTo("220 server.test");
                }
            } finally {
                engine.stop(Duration.ZERO);
            }
        }
    }
}
