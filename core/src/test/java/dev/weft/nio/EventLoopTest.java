package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.session.Closing;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // peers that close are what is tested
class EventLoopTest {

    private EventLoop loop;

    @BeforeEach
    void start() throws IOException {
        loop = new EventLoop("loop under test");
        loop.start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        loop.stop();
        assertThat(loop.join(5000)).as("the loop ends").isTrue();
    }

    private <T> T onLoop(Callable<T> call) throws Exception {
        var result = new CompletableFuture<T>();
        loop.execute(() -> {
            try {
                result.complete(call.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return result.get(10, TimeUnit.SECONDS);
    }

    @Test
    void noWakeUpIsLostHoweverTasksCome() throws Exception {
        var threads = new Thread[4];
        var failures = new AtomicInteger();
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                try {
                    for (int task = 0; task < 5000; task++) {
                        onLoop(() -> null);
                    }
                } catch (Exception e) {
                    failures.incrementAndGet();
                }
            });
            threads[i].start();
        }
        for (var thread : threads) {
            thread.join();
        }
        assertThat(failures).hasValue(0);
    }

    @Test
    void whatThrowsOnALoopEndsNeitherTheLoopNorWhatIsBehindIt() throws Exception {
        var fired = new CountDownLatch(2);
        onLoop(() -> {
            for (int i = 0; i < 2; i++) {
                loop.arm(new Timer() {
                    @Override
                    void fire() {
                        fired.countDown();
                        throw new IllegalStateException("meant to");
                    }
                }, loop.now() + 1);
            }
            loop.defer(() -> {
                throw new StackOverflowError("meant to");
            });
            Thread.currentThread().interrupt();
            return null;
        });
        loop.execute(() -> {
            throw new IllegalStateException("meant to");
        });
        assertThat(fired.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(onLoop(() -> "alive")).isEqualTo("alive");
    }

    @Test
    void bytesThatAFailedEventCollectedReachNobodyElse() throws Exception {
        loop.execute(() -> {
            loop.toClient().put((byte) 'x');
            loop.toServer().put((byte) 'x');
            throw new IllegalStateException("meant to");
        });
        assertThat(onLoop(() -> loop.toClient().position() + loop.toServer().position())).isZero();
    }

    /** Remembers what it is told. */
    private static class Hearer implements LegOwner {
        final CompletableFuture<String> broken = new CompletableFuture<>();
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        volatile int room = 1000;

        @Override
        public void connected(LegChannel leg) {}

        @Override
        public void notConnected(LegChannel leg, IOException why) {}

        @Override
        public void bytes(LegChannel leg, ByteBuffer in) {}

        @Override
        public int room(LegChannel leg) {
            return room;
        }

        @Override
        public void endOfInput(LegChannel leg) {}

        @Override
        public void broken(LegChannel leg, IOException why) {
            broken.complete(String.valueOf(why.getMessage()));
        }

        @Override
        public void drained(LegChannel leg) {}

        @Override
        public void closed(LegChannel leg) {
            closed.complete(null);
        }

        @Override
        public void failed(LegChannel leg, Throwable failure) {
            broken.complete("failed: " + failure.getMessage());
        }
    }

    private LegChannel leg(Hearer owner, SocketChannel channel) throws Exception {
        channel.configureBlocking(false);
        return onLoop(() -> new LegChannel(loop, channel, owner, loop.toClient()));
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void legWhoseOutputBreaksIsGivenUpEvenIfNothingMayBeReadFromIt() throws Exception {
        var owner = new Hearer();
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var channel = SocketChannel.open(listener.getLocalSocketAddress());
                var peer = listener.accept()) {
            var leg = leg(owner, channel);
            owner.room = 0;
            onLoop(() -> {
                leg.pauseReading();
                return null;
            });
            peer.getOutputStream().write('x');
            peer.setSoLinger(true, 0);
            peer.close();
            Rig.await("the break is told", () -> {
                try {
                    onLoop(() -> {
                        leg.write(bytes("into the void"));
                        leg.flush();
                        return null;
                    });
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
                return owner.broken.isDone();
            });
            onLoop(() -> {
                leg.closeNow();
                leg.closeNow();
                return null;
            });
            assertThat(owner.closed).isDone();
        }
    }

    @Test
    void lingeringLegSendsWhatWasWrittenAndNothingWrittenLater() throws Exception {
        var owner = new Hearer();
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var channel = SocketChannel.open(listener.getLocalSocketAddress());
                var peer = listener.accept()) {
            var leg = leg(owner, channel);
            onLoop(() -> {
                leg.write(bytes("last words"));
                leg.close(Closing.LINGER);
                leg.write(bytes("afterthought"));
                leg.flush();
                leg.close(Closing.ABORT); // too late: the first one holds
                return null;
            });
            assertThat(new String(peer.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)).isEqualTo("last words");
            assertThat(owner.closed).isNotDone();
            peer.close();
            owner.closed.get(5, TimeUnit.SECONDS);
        }
    }

    @Test
    void legThatAwaitsItsPeerClosesAsThePeerDoesOrSoonAfter() throws Exception {
        for (var peerCloses : new boolean[] {true, false}) {
            var owner = new Hearer();
            try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                    var channel = SocketChannel.open(listener.getLocalSocketAddress());
                    var peer = listener.accept()) {
                var leg = leg(owner, channel);
                long start = System.nanoTime();
                onLoop(() -> {
                    leg.close(Closing.AWAIT_PEER);
                    return null;
                });
                if (peerCloses) {
                    peer.shutdownOutput();
                }
                owner.closed.get(5, TimeUnit.SECONDS);
                var took = Duration.ofNanos(System.nanoTime() - start);
                assertThat(took).isBetween(Duration.ofMillis(peerCloses ? 0 : 1000), Duration.ofMillis(peerCloses ? 900 : 2500));
            }
        }
    }

    @Test
    void lingerEndsWithThePeersPatienceOrAfter16MiB() throws Exception {
        var owner = new Hearer();
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var channel = SocketChannel.open(listener.getLocalSocketAddress());
                var peer = listener.accept()) {
            var leg = leg(owner, channel);
            onLoop(() -> {
                leg.close(Closing.LINGER);
                return null;
            });
            long written = flood(peer);
            owner.closed.get(5, TimeUnit.SECONDS);
            assertThat(written).isBetween(16L << 20, 48L << 20);
        }
    }

    private static long flood(Socket peer) throws IOException {
        var chunk = new byte[64 * 1024];
        long written = 0;
        try {
            while (written < 1L << 30) {
                peer.getOutputStream().write(chunk);
                written += chunk.length;
            }
        } catch (IOException e) {
            return written; // reset, as it should be
        }
        return written;
    }

    @Test
    void channelsThatAreStillOpenCloseWithTheirLoop() throws Exception {
        var owner = new Hearer();
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var channel = SocketChannel.open(listener.getLocalSocketAddress());
                var peer = listener.accept()) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            leg(owner, channel);
            loop.stop();
            assertThat(loop.join(5000)).isTrue();
            assertThat(owner.broken).isCompletedWithValue("failed: the event loop ended");
            assertThat(owner.closed).isDone();
            assertThat(peer.getInputStream().read()).isNegative();
        }
    }
}
