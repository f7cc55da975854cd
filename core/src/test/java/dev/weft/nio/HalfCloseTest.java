package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.session.Closing;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A leg whose output ends is still read. */
@SuppressWarnings("try") // the peer's streams are what is tested
class HalfCloseTest {

    private static final class Hearer implements LegOwner {
        final CompletableFuture<String> heard = new CompletableFuture<>();
        final CompletableFuture<Void> closed = new CompletableFuture<>();

        @Override
        public void connected(LegChannel leg) {}

        @Override
        public void notConnected(LegChannel leg, IOException why) {}

        @Override
        public void bytes(LegChannel leg, ByteBuffer in) {
            heard.complete(StandardCharsets.US_ASCII.decode(in).toString());
        }

        @Override
        public int room(LegChannel leg) {
            return 1000;
        }

        @Override
        public void endOfInput(LegChannel leg) {}

        @Override
        public void broken(LegChannel leg, IOException why) {
            heard.completeExceptionally(why);
        }

        @Override
        public void drained(LegChannel leg) {}

        @Override
        public void closed(LegChannel leg) {
            closed.complete(null);
        }

        @Override
        public void failed(LegChannel leg, Throwable failure) {
            heard.completeExceptionally(failure);
        }
    }

    @Test
    void whatWasWrittenArrivesBeforeTheEndAndThePeerIsStillHeard() throws Exception {
        for (int octets : new int[] {0, 5, 20 << 20}) { // the last more than the socket takes at once
            var loop = new EventLoop("loop under test");
            loop.start();
            var owner = new Hearer();
            try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                    var channel = SocketChannel.open(listener.getLocalSocketAddress());
                    var peer = listener.accept()) {
                peer.setSoTimeout(20_000);
                channel.configureBlocking(false);
                var made = new CompletableFuture<LegChannel>();
                loop.execute(() -> {
                    try {
                        var leg = new LegChannel(loop, channel, owner, loop.toServer());
                        leg.write(ByteBuffer.allocate(octets));
                        leg.endOutput();
                        made.complete(leg);
                    } catch (IOException | RuntimeException e) {
                        made.completeExceptionally(e);
                    }
                });
                var leg = made.get(10, TimeUnit.SECONDS);
                assertThat(peer.getInputStream().readAllBytes()).hasSize(octets);
                peer.getOutputStream().write("still here".getBytes(StandardCharsets.US_ASCII));
                assertThat(owner.heard.get(10, TimeUnit.SECONDS)).isEqualTo("still here");
                loop.execute(() -> leg.close(Closing.AWAIT_PEER));
                peer.close();
                owner.closed.get(10, TimeUnit.SECONDS);
            } finally {
                loop.stop();
                assertThat(loop.join(5000)).isTrue();
            }
        }
    }
}
