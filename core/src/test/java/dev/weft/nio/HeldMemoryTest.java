package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.testkit.ScriptedClient;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many large messages held at one time by a proxy in a JVM with little memory: the budget for all sends them to files early. With
 * {@code -Dheld.sessions=200 -Dheld.megabytes=20 -Dheld.heap=128m} it is the case that the library promises.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class HeldMemoryTest {

    private static final int SESSIONS = Integer.getInteger("held.sessions", 40);
    private static final int MEGABYTES = Integer.getInteger("held.megabytes", 4);
    private static final String HEAP = System.getProperty("held.heap", "32m");

    @TempDir
    Path directory;

    @Test
    void manyLargeMessagesFitIntoALittleMemory() throws Exception {
        var line = "x".repeat(78) + "\r\n";
        var megabyte = line.repeat((1 << 20) / line.length()).getBytes(StandardCharsets.US_ASCII); // nearly
        try (var sink = new Sink()) {
            var child = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx" + HEAP,
                    "-XX:MaxDirectMemorySize=16m", "-XX:+ExitOnOutOfMemoryError", "-cp", System.getProperty("java.class.path"),
                    Proxy.class.getName(), Integer.toString(sink.port()), directory.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            var senders = Executors.newFixedThreadPool(SESSIONS);
            try (var out = new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.US_ASCII))) {
                var proxy = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(out.readLine()));
                var sending = new ArrayList<Callable<String>>();
                for (int i = 0; i < SESSIONS; i++) {
                    sending.add(() -> send(proxy, megabyte));
                }
                for (var sent : senders.invokeAll(sending)) {
                    assertThat(sent.get()).startsWith("250");
                }
                assertThat(child.isAlive()).as("the proxy lives").isTrue();
                assertThat(sink.octets.get()).isEqualTo((long) SESSIONS * MEGABYTES * megabyte.length);
            } finally {
                senders.shutdownNow();
                child.destroy();
                child.waitFor();
            }
        }
    }

    private static String send(InetSocketAddress proxy, byte[] megabyte) throws IOException {
        try (var client = ScriptedClient.connect(proxy, InetAddress.getLoopbackAddress(), Duration.ofMinutes(5))) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.net>", 250);
            client.command("DATA", 354);
            for (int i = 0; i < MEGABYTES; i++) {
                client.send(megabyte);
            }
            client.send(".\r\n");
            return client.expect(250);
        }
    }

    /** The proxy in the small JVM; holds every message. */
    static final class Proxy {
        public static void main(String[] arguments) throws Exception {
            var server = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
            var defaults = MessageSpool.Limits.DEFAULT;
            var spool = new MessageSpool(new MessageSpool.Limits(
                    Path.of(arguments[1]), defaults.memoryEach(), defaults.memoryForAll(), defaults.storageForAll()));
            var rig = Rig.with(Interception.fixed(server)).spool(spool).handlers(new RelayHandler() {
                @Override
                public MessageUse messageUse(RelaySession session) {
                    return MessageUse.look();
                }

                @Override
                public MessagePath message(Transaction transaction) {
                    return MessagePath.hold(message -> Verdict.proceed());
                }
            }).start();
            System.out.println(rig.address.getPort());
            System.in.read(); // until the test ends
        }
    }

    /** Counts what it is sent, without keeping it. */
    private static final class Sink implements AutoCloseable {
        final AtomicLong octets = new AtomicLong();
        private final ServerSocket listener = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());

        Sink() throws IOException {
            daemon(() -> {
                while (true) {
                    var socket = listener.accept();
                    daemon(() -> serve(socket));
                }
            });
        }

        private interface Work {
            void run() throws IOException;
        }

        private static void daemon(Work work) {
            var thread = new Thread(() -> {
                try {
                    work.run();
                } catch (IOException e) {
                    // closed
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        int port() {
            return listener.getLocalPort();
        }

        private void serve(Socket socket) throws IOException {
            try (socket; var in = new BufferedInputStream(socket.getInputStream(), 64 * 1024)) {
                say(socket, "220 sink");
                for (var command = line(in); command != null; command = line(in)) {
                    if (!command.startsWith("DATA")) {
                        say(socket, "250 ok");
                        continue;
                    }
                    say(socket, "354 go on");
                    for (var text = line(in); text != null && !text.equals("."); text = line(in)) {
                        octets.addAndGet(text.length() + 2);
                    }
                    say(socket, "250 counted");
                }
            }
        }

        private static void say(Socket socket, String reply) throws IOException {
            socket.getOutputStream().write((reply + "\r\n").getBytes(StandardCharsets.US_ASCII));
        }

        private static String line(InputStream in) throws IOException {
            var line = new StringBuilder(80);
            for (int c = in.read(); c >= 0; c = in.read()) {
                if (c == '\n') {
                    return line.substring(0, line.length() - 1);
                }
                line.append((char) c);
            }
            return null;
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }
}
