package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Verdict;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many sessions at one time. */
class CrowdTest {

    private static final int MANY = 2000;

    @Test
    void manySessionsOpenedAtOnceAreAllServedOnAllLoopsAndAnIdleOneKeepsNoBuffer() throws Exception {
        var handler = new RelayHandler() {
            final Map<String, AtomicInteger> threads = new ConcurrentHashMap<>();

            @Override
            public Verdict<Route> connect(RelaySession session, Route proposed) {
                threads.computeIfAbsent(Thread.currentThread().getName(), name -> new AtomicInteger()).incrementAndGet();
                return Verdict.proceed();
            }
        };
        int before = Rig.sockets();
        try (var server = new Mirror(); var rig = Rig.to(server.address(), handler)) {
            // Warm, so that what is loaded once is not counted.
            open(rig, 50).forEach(CrowdTest::close);
            rig.awaitIdle();
            long empty = usedBytes();
            long start = System.nanoTime();
            var clients = open(rig, MANY);
            long took = (System.nanoTime() - start) / 1_000_000;
            System.out.println(MANY + " sessions greeted and said EHLO in " + took + " ms; " + handler.threads);
            assertThat(rig.sessions()).isEqualTo(MANY);
            assertThat(handler.threads).hasSize(2);
            assertThat(handler.threads.values()).allSatisfy(count -> assertThat(count.get()).isGreaterThan(MANY / 20));
            long each = (usedBytes() - empty) / MANY;
            System.out.println("an idle session, its client and its server keep " + each + " bytes of live heap");
            assertThat(each).isLessThanOrEqualTo(8 * 1024);
            clients.forEach(CrowdTest::close);
            rig.awaitIdle();
        }
        Rig.awaitSockets(before);
    }

    private static List<SocketChannel> open(Rig rig, int count) throws IOException {
        var clients = new ArrayList<SocketChannel>();
        for (int i = 0; i < count; i++) {
            clients.add(SocketChannel.open(rig.address));
        }
        var in = ByteBuffer.allocate(1000);
        for (var client : clients) {
            readReply(client, in);
            client.write(ByteBuffer.wrap("EHLO a\r\n".getBytes(StandardCharsets.US_ASCII)));
        }
        for (var client : clients) {
            readReply(client, in);
        }
        return clients;
    }

    private static void readReply(SocketChannel client, ByteBuffer in) throws IOException {
        in.clear();
        do {
            assertThat(client.read(in)).isPositive();
        } while (in.get(in.position() - 1) != '\n');
        assertThat(in.get(0)).isEqualTo((byte) '2');
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static long usedBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** A server on one thread that says 220, and 250 to whatever comes. */
    private static final class Mirror implements AutoCloseable {
        private final Selector selector = Selector.open();
        private final ServerSocketChannel listener = ServerSocketChannel.open();
        private final Thread thread = new Thread(this::serve, "mirror");

        Mirror() throws IOException {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            thread.setDaemon(true);
            thread.start();
        }

        InetSocketAddress address() throws IOException {
            return (InetSocketAddress) listener.getLocalAddress();
        }

        private void serve() {
            var in = ByteBuffer.allocate(1000);
            try {
                while (!Thread.interrupted()) {
                    selector.select(key -> ready(key, in));
                }
                for (var key : selector.keys()) {
                    key.channel().close();
                }
                selector.close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        private void ready(SelectionKey key, ByteBuffer in) {
            try {
                if (key.isAcceptable()) {
                    for (var channel = listener.accept(); channel != null; channel = listener.accept()) {
                        channel.configureBlocking(false);
                        channel.register(selector, SelectionKey.OP_READ);
                        channel.write(ByteBuffer.wrap("220 mirror\r\n".getBytes(StandardCharsets.US_ASCII)));
                    }
                    return;
                }
                var channel = (SocketChannel) key.channel();
                if (channel.read(in.clear()) < 0) {
                    channel.close();
                } else {
                    channel.write(ByteBuffer.wrap("250 mirror\r\n".getBytes(StandardCharsets.US_ASCII)));
                }
            } catch (IOException e) {
                CrowdTest.close((SocketChannel) key.channel());
            }
        }

        @Override
        public void close() {
            thread.interrupt();
        }
    }
}
