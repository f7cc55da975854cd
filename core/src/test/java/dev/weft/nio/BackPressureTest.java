package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.ScriptedServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class BackPressureTest {

    private static final int STUCK = 20;
    private static final Duration BLOCK = Duration.ofSeconds(2);

    @Test
    void serverThatReadsNothingHoldsUpItsOwnClientOnly() throws Exception {
        try (var deaf = ScriptedServer.script().fault(Moment.MESSAGE, Fault.deafness()).start();
                var rig = Rig.with(Interception.fixed(deaf.address())).loops(1).timeout("block", Duration.ofSeconds(4)).start()) {
            long before = usedBytes();
            var stuck = new ArrayList<Writer>();
            for (int i = 0; i < STUCK; i++) {
                var client = SocketChannel.open(rig.address);
                converse(client, "EHLO a", "MAIL FROM:<a@example.com>", "RCPT TO:<b@example.net>", "DATA");
                stuck.add(new Writer(client, ("x".repeat(998) + "\r\n").repeat(64)));
            }
            writeUntilAllStall(stuck);
            long growth = usedBytes() - before;
            System.out.println(STUCK + " clients of a deaf server wrote " + stuck.stream().mapToLong(w -> w.written).sum() / 1024
                    + " KB and stalled; the proxy keeps " + growth / 1024 + " KB");
            assertThat(growth).isLessThan(STUCK * 256 * 1024L);
            // On the same loop another session gets on.
            long start = System.nanoTime();
            try (var other = rig.client()) {
                other.expect(220);
                other.command("EHLO b.example", 250);
                other.command("NOOP", 250);
                other.command("QUIT", 221);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            for (var writer : stuck) {
                writer.channel.close();
            }
            rig.awaitIdle();
        }
    }

    @Test
    void serverThatReadsNothingIsGivenUpAndTheClientTold() throws Exception {
        try (var deaf = ScriptedServer.script().fault(Moment.MESSAGE, Fault.deafness()).start();
                var rig = Rig.with(Interception.fixed(deaf.address())).timeout("block", Duration.ofMillis(500)).start();
                var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.net>", 250);
            client.command("DATA", 354);
            for (int i = 0; i < 320; i++) {
                client.send(("x".repeat(998) + "\r\n").repeat(64)); // 20 MB: more than both sockets take
            }
            assertThat(client.command(".", 451)).contains("4.4.2");
        }
    }

    @Test
    void clientThatReadsNoRepliesIsNotReadEither() throws Exception {
        silentReader("NOOP\r\n");
    }

    @Test
    void clientThatReadsNoRepliesToItsBadLinesIsNotReadEither() throws Exception {
        silentReader("a\nb\r\n");
    }

    private static void silentReader(String line) throws Exception {
        int before = Rig.sockets();
        try (var server = new TerseServer();
                var rig = Rig.with(Interception.fixed(server.address())).loops(1).timeout("block", BLOCK).start()) {
            long memory = usedBytes();
            var client = SocketChannel.open();
            client.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
            client.connect(rig.address);
            var writer = new Writer(client, line.repeat(10_000));
            converse(client, "EHLO a");
            writeUntilAllStall(List.of(writer));
            long growth = usedBytes() - memory;
            System.out.println("a client that reads nothing wrote " + writer.written / 1024 + " KB of " + line.length()
                    + "-octet commands and stalled; the proxy keeps " + growth / 1024 + " KB");
            assertThat(growth).isLessThan(4 << 20);
            rig.awaitIdle(); // the proxy gives it up
            client.close();
        }
        Rig.awaitSockets(before);
    }

    /** Answers each line with 250 and remembers nothing. */
    private static final class TerseServer implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

        TerseServer() throws IOException {
            var thread = new Thread(this::serve, "terse server");
            thread.setDaemon(true);
            thread.start();
        }

        InetSocketAddress address() {
            return (InetSocketAddress) listener.getLocalSocketAddress();
        }

        private void serve() {
            try (var socket = listener.accept()) {
                var in = new BufferedInputStream(socket.getInputStream());
                var out = socket.getOutputStream();
                out.write("220 terse\r\n".getBytes(StandardCharsets.US_ASCII));
                var said = "250-terse\r\n250 PIPELINING\r\n";
                for (int b = in.read(); b >= 0; b = in.read()) {
                    if (b == '\n') {
                        out.write(said.getBytes(StandardCharsets.US_ASCII));
                        said = "250 ok\r\n";
                    }
                }
            } catch (IOException e) {
                // the proxy has given up
            }
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    /** Writes as long as the socket takes something. */
    private static final class Writer {
        final SocketChannel channel;
        final ByteBuffer bytes;
        long written;

        Writer(SocketChannel channel, String text) {
            this.channel = channel;
            this.bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
        }

        boolean write() throws IOException {
            int count = channel.write(bytes);
            if (!bytes.hasRemaining()) {
                bytes.rewind();
            }
            written += count;
            return count > 0;
        }
    }

    private static void writeUntilAllStall(List<Writer> writers) throws IOException {
        for (var writer : writers) {
            writer.channel.configureBlocking(false);
        }
        long progress = System.nanoTime();
        while (System.nanoTime() - progress < TimeUnit.MILLISECONDS.toNanos(400)) {
            for (var writer : writers) {
                if (writer.write()) {
                    progress = System.nanoTime();
                    assertThat(writer.written).as("octets taken from one client").isLessThan(100L << 20);
                }
            }
            LockSupport.parkNanos(100_000);
        }
    }

    private static void converse(SocketChannel channel, String... commands) throws IOException {
        readReply(channel);
        for (var command : commands) {
            channel.write(ByteBuffer.wrap((command + "\r\n").getBytes(StandardCharsets.US_ASCII)));
            readReply(channel);
        }
    }

    /** Good enough for replies that come alone: reads until a last line is complete. */
    private static void readReply(SocketChannel channel) throws IOException {
        var in = ByteBuffer.allocate(4096);
        String text;
        do {
            if (channel.read(in) < 0) {
                throw new AssertionError("the connection ended");
            }
            text = new String(in.array(), 0, in.position(), StandardCharsets.US_ASCII);
        } while (!text.endsWith("\r\n") || text.charAt(text.lastIndexOf('\n', text.length() - 2) + 4) == '-');
    }

    /** Live heap; what the proxy keeps for a leg is kept there. */
    private static long usedBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
