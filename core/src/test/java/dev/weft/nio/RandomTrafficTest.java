package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.TransactionRecord.Outcome;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Many clients talk through two loops to a server that echoes each command in its reply, with random cuts, pauses and breaks on
 * all sides: no reply may answer another command, and no message may differ from what one client sent.
 */
class RandomTrafficTest {

    private static final int CLIENTS = 24;

    private final long seed = Long.getLong("weft.traffic.seed", System.nanoTime());
    private final Duration time = Duration.ofMillis(Long.getLong("weft.traffic.millis", 2500));
    /** What the server accepted: by content, how often. */
    private final Map<String, Integer> accepted = new ConcurrentHashMap<>();
    private final Map<String, Integer> recorded = new ConcurrentHashMap<>();
    private final Set<String> sent = ConcurrentHashMap.newKeySet();
    private final AtomicInteger confirmed = new AtomicInteger();
    private final AtomicInteger broken = new AtomicInteger();

    @Test
    void eachReplyAnswersItsCommandAndEachMessageIsOneThatWasSent() throws Exception {
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var rig = Rig.to((InetSocketAddress) listener.getLocalSocketAddress());
                var client = new Socket(rig.address.getAddress(), rig.address.getPort());
                var server = listener.accept()) {
            server.getOutputStream().write(1); // whatever sockets the runtime keeps for itself are there now
            client.getOutputStream().write(1);
        }
        int before = Rig.sockets();
        var pool = Executors.newCachedThreadPool();
        var late = Executors.newScheduledThreadPool(1);
        try (var listener = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
                var rig = Rig.to((InetSocketAddress) listener.getLocalSocketAddress(), new Handler(late))) {
            pool.execute(() -> serve(listener, pool));
            var clients = new ArrayList<Future<?>>();
            long end = System.nanoTime() + time.toNanos();
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                clients.add(pool.submit(() -> {
                    var random = new Random(seed + number);
                    for (int round = 0; System.nanoTime() < end; round++) {
                        session(rig.address, random, number + "." + round);
                    }
                    return null;
                }));
            }
            for (var client : clients) {
                client.get(time.toSeconds() + 60, TimeUnit.SECONDS);
            }
            Rig.await("no session", Duration.ofSeconds(40), () -> rig.sessions() == 0);
            assertThat(sent).as("sent, seed %d", seed).containsAll(accepted.keySet());
            assertThat(accepted.values()).as("accepted more than once, seed %d", seed).allMatch(count -> count == 1);
            assertThat(recorded.values()).as("recorded more than once, seed %d", seed).allMatch(count -> count == 1);
            assertThat(accepted.keySet()).as("accepted, seed %d", seed).containsAll(recorded.keySet());
            System.out.printf("random traffic: %d messages confirmed, %d accepted, %d sessions broken; seed %d%n",
                    confirmed.get(), accepted.size(), broken.get(), seed);
            assertThat(confirmed.get()).isPositive();
        } finally {
            pool.shutdownNow();
            late.shutdownNow();
        }
        Rig.awaitSockets(before);
    }

    // The client

    private void session(InetSocketAddress proxy, Random random, String id) throws IOException {
        try (var socket = new Socket()) {
            socket.connect(proxy);
            socket.setSoTimeout(20_000);
            socket.setTcpNoDelay(true);
            var in = new BufferedInputStream(socket.getInputStream());
            var out = socket.getOutputStream();
            if (!expect(in, "220 hello", id)) {
                return;
            }
            write(out, random, "EHLO " + id + "\r\n");
            if (!expect(in, "250 EHLO " + id, id)) {
                return;
            }
            int messages = random.nextInt(4);
            for (int i = 0; i < messages; i++) {
                if (!transaction(socket, in, out, random, id + "." + i)) {
                    return;
                }
            }
            if (random.nextInt(4) > 0) {
                write(out, random, "QUIT\r\n");
                expect(in, "221 ", id);
            } else if (random.nextBoolean()) {
                socket.setSoLinger(true, 0);
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("session " + id + " hung, seed " + seed, e);
        } catch (IOException e) {
            broken.incrementAndGet();
        }
    }

    private boolean transaction(Socket socket, InputStream in, OutputStream out, Random random, String id) throws IOException {
        var group = new StringBuilder("MAIL FROM:<" + id + "@a.example>\r\n");
        var expected = new ArrayList<String>(List.of("250 MAIL FROM:<" + id + "@a.example>"));
        int recipients = 1 + random.nextInt(5);
        for (int i = 0; i < recipients; i++) {
            var kind = i == 0 || random.nextInt(3) > 0 ? ".yes" : random.nextBoolean() ? ".no" : ".local";
            var rcpt = "RCPT TO:<" + id + "." + i + kind + ">";
            group.append(rcpt).append("\r\n");
            expected.add(rcpt.contains(".no>") ? "550 " + rcpt : rcpt.contains(".local>") ? "554 5.7.1 here" : "250 " + rcpt);
            if (random.nextInt(6) == 0) {
                group.append("XYZZY ").append(id).append("\r\n");
                expected.add("502 XYZZY " + id);
            }
            if (random.nextInt(6) == 0) {
                group.append("NO\nOP\r\n");
                expected.add("500 5.5.2");
            }
        }
        var text = message(random, id);
        var message = text.getBytes(StandardCharsets.ISO_8859_1);
        sent.add(text);
        var chunked = random.nextInt(3) == 0;
        if (!chunked) {
            group.append("DATA\r\n");
            expected.add("354 DATA");
        }
        write(out, random, group.toString());
        if (chunked) {
            int cut = random.nextInt(message.length);
            write(out, random, "BDAT " + cut + "\r\n" + text.substring(0, cut)
                    + "BDAT " + (message.length - cut) + " LAST\r\n" + text.substring(cut));
            expected.add("250 BDAT " + cut);
        }
        for (var reply : expected) {
            if (!expect(in, reply, id)) {
                return false;
            }
        }
        if (!chunked) {
            int fate = random.nextInt(30);
            if (fate == 0) {
                out.write(message, 0, message.length / 2);
                socket.setSoLinger(true, 0);
                return false;
            }
            if (fate == 1) {
                write(out, random, text + "\n.\r\nMAIL FROM:<evil>\r\n.\r\n");
                return expect(in, "550 5.5.2", id);
            }
            write(out, random, text + ".\r\n");
        }
        var ok = expect(in, "250 took " + text.hashCode(), id);
        if (ok) {
            confirmed.incrementAndGet();
            assertThat(accepted).as("confirmed, seed %d", seed).containsKey(text);
        }
        return ok;
    }

    private static String message(Random random, String id) {
        var text = new StringBuilder("Id: " + id + "\r\n");
        int lines = random.nextInt(random.nextInt(10) == 0 ? 4000 : 30);
        for (int i = 0; i < lines; i++) {
            text.append(random.nextInt(5) == 0 ? ".." : "")
                    .append("MAIL FROM:<x>".repeat(random.nextInt(8)))
                    .append(random.nextInt(9) == 0 ? "\ra\nb" : "")
                    .append("\r\n");
        }
        return text.toString();
    }

    /** False if the session is over, as a break of the server's makes it; anything that is no answer to this command fails. */
    private boolean expect(InputStream in, String start, String id) throws IOException {
        var reply = line(in);
        if (reply == null || reply.startsWith("421 ") || reply.startsWith("451 ")) {
            broken.incrementAndGet();
            return false;
        }
        for (var more = reply; more.charAt(3) == '-'; ) {
            more = line(in);
        }
        assertThat(reply.replaceFirst("^250-", "250 ")).as("session %s, seed %d", id, seed).startsWith(start);
        return true;
    }

    private static void write(OutputStream out, Random random, String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        int style = random.nextInt(6);
        for (int from = 0; from < bytes.length; ) {
            int count = style > 1 || bytes.length > 20_000 ? bytes.length : 1 + random.nextInt(style == 0 ? 3 : 200);
            int to = Math.min(bytes.length, from + count);
            out.write(bytes, from, to - from);
            from = to;
            if (random.nextInt(50) == 0) {
                pause(random.nextInt(3));
            }
        }
    }

    private static void pause(int millis) {
        LockSupport.parkNanos(millis * 1_000_000L);
    }

    private static String line(InputStream in) throws IOException {
        var out = new ByteArrayOutputStream();
        for (int b = in.read(), last = 0; b >= 0; last = b, b = in.read()) {
            out.write(b);
            if (b == '\n' && last == '\r') {
                return out.toString(StandardCharsets.ISO_8859_1).substring(0, out.size() - 2);
            }
        }
        return null;
    }

    // The server

    private void serve(ServerSocket listener, Executor pool) {
        var seeds = new Random(seed ^ 0x5eedL);
        try {
            while (true) {
                var socket = listener.accept();
                long own = seeds.nextLong();
                pool.execute(() -> {
                    try (socket) {
                        new Server(socket, new Random(own)).run();
                    } catch (IOException e) {
                        // the proxy went
                    }
                });
            }
        } catch (IOException e) {
            // the test is over
        }
    }

    private final class Server {
        private final Socket socket;
        private final Random random;
        private final InputStream in;
        private final boolean faulty;
        private final StringBuilder replies = new StringBuilder();
        private final ByteArrayOutputStream chunks = new ByteArrayOutputStream();

        Server(Socket socket, Random random) throws IOException {
            this.socket = socket;
            this.random = random;
            this.in = new BufferedInputStream(socket.getInputStream());
            this.faulty = random.nextInt(5) == 0;
            socket.setTcpNoDelay(true);
        }

        void run() throws IOException {
            say("220 hello");
            for (var line = line(in); line != null; line = line(in)) {
                if (faulty && random.nextInt(15) == 0) {
                    if (random.nextBoolean()) {
                        socket.setSoLinger(true, 0);
                    }
                    return;
                }
                if (line.startsWith("EHLO")) {
                    say("250-" + line + "\r\n" + (random.nextBoolean() ? "250-PIPELINING\r\n" : "") + "250 CHUNKING");
                } else if (line.equals("DATA")) {
                    say("354 DATA");
                    flush();
                    var message = message();
                    if (message == null) {
                        return;
                    }
                    took(message);
                } else if (line.startsWith("BDAT")) {
                    int size = Integer.parseInt(line.split(" ")[1]);
                    var octets = in.readNBytes(size);
                    if (octets.length < size) {
                        return;
                    }
                    chunks.writeBytes(octets);
                    if (line.endsWith(" LAST")) {
                        took(chunks.toString(StandardCharsets.ISO_8859_1));
                        chunks.reset();
                    } else {
                        say("250 " + line);
                    }
                } else if (line.equals("QUIT")) {
                    say("221 QUIT");
                    flush();
                    return;
                } else {
                    say((line.contains(".no>") ? "550 " : line.startsWith("XYZZY") ? "502 " : "250 ") + line);
                }
            }
        }

        private void took(String message) throws IOException {
            if (faulty && random.nextInt(4) == 0) {
                throw new IOException("closes in place of its reply");
            }
            accepted.merge(message, 1, Integer::sum);
            say("250 took " + message.hashCode());
        }

        private String message() throws IOException {
            var out = new StringBuilder();
            for (var line = line(in); line != null; line = line(in)) {
                if (line.equals(".")) {
                    return out.toString();
                }
                out.append(line).append("\r\n");
            }
            return null;
        }

        private void say(String reply) throws IOException {
            replies.append(reply).append("\r\n");
            if (in.available() == 0 || random.nextInt(3) == 0) {
                flush();
            }
        }

        private void flush() throws IOException {
            write(socket.getOutputStream(), random, replies.toString());
            replies.setLength(0);
        }
    }

    // The host

    private final class Handler implements RelayHandler {
        private final ScheduledExecutorService late;

        Handler(ScheduledExecutorService late) {
            this.late = late;
        }

        @Override
        public Verdict<Command> rcpt(Transaction transaction, Command rcpt) {
            Verdict<Command> verdict = rcpt.text().contains(".local>")
                    ? Verdict.reject(Reply.of(554, "5.7.1", "here"))
                    : Verdict.proceed();
            int fate = Math.floorMod(rcpt.hashCode(), 8);
            if (fate > 1) {
                return verdict;
            }
            var stage = new CompletableFuture<Verdict<Command>>();
            late.schedule(() -> stage.complete(verdict), fate * 2L, TimeUnit.MILLISECONDS);
            return Verdict.later(stage);
        }

        @Override
        public void transactionEnded(RelaySession session, TransactionRecord record) {
            if (record.outcome() == Outcome.ACCEPTED) {
                var path = record.mail().path().toString();
                var id = "Id: " + path.substring(1, path.indexOf('@')) + "\r\n";
                accepted.keySet().stream().filter(text -> text.startsWith(id))
                        .forEach(text -> recorded.merge(text, 1, Integer::sum));
            }
        }
    }
}
