package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.relay.HeldMessage;
import dev.weft.relay.MessageChange;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageReader;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Header;
import dev.weft.smtp.Reply;
import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.ReceivedMessage;
import dev.weft.testkit.ScriptedServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeldMessagesTest {

    @TempDir
    Path directory;

    private static RelayHandler choosing(Supplier<MessagePath> path) {
        return new RelayHandler() {
            @Override
            public MessageUse messageUse(RelaySession session) {
                return MessageUse.replace();
            }

            @Override
            public MessagePath message(Transaction transaction) {
                return path.get();
            }
        };
    }

    private static RelayHandler holding(Function<HeldMessage, Verdict<MessageChange>> judge) {
        return choosing(() -> MessagePath.hold(judge::apply));
    }

    private static final RelayHandler HOLD = holding(message -> Verdict.proceed());

    private static RelayHandler readingAlong(ByteArrayOutputStream seen) {
        return choosing(() -> MessagePath.holdTheDot(new MessageReader() {
            @Override
            public void read(ByteBuffer piece) {
                var octets = new byte[piece.remaining()];
                piece.get(octets);
                seen.writeBytes(octets);
            }

            @Override
            public Verdict<Void> end() {
                return Verdict.later(CompletableFuture.supplyAsync(Verdict::proceed));
            }
        }));
    }

    private MessageSpool spool(int memoryEach) {
        return new MessageSpool(new MessageSpool.Limits(directory, memoryEach, 1 << 20, Long.MAX_VALUE));
    }

    /** Lines of any octets, stuffed; no bare CR and LF near dots, since those are refused. */
    private static byte[] randomMessage(Random random) {
        var out = new ByteArrayOutputStream();
        int lines = random.nextInt(random.nextInt(10) == 0 ? 3000 : 60);
        for (int i = 0; i < lines; i++) {
            int length = random.nextInt(random.nextInt(20) == 0 ? 5000 : 100);
            if (random.nextInt(3) == 0) {
                out.writeBytes("..".repeat(random.nextInt(3)).getBytes(StandardCharsets.US_ASCII));
            }
            for (int j = 0; j < length; j++) {
                int octet = random.nextInt(256);
                out.write(octet == '\n' || octet == '\r' || octet == '.' ? 'x' : octet);
            }
            if (random.nextInt(10) == 0) {
                out.writeBytes("a\nb\rc".getBytes(StandardCharsets.US_ASCII));
            }
            out.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        return out.toByteArray();
    }

    private void identical(int rounds, MessageSpool spool, ByteArrayOutputStream seen, RelayHandler handler) throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).handlers(handler).spool(spool).start();
                var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            for (int round = 0; round < rounds; round++) {
                var message = randomMessage(random);
                client.command("MAIL FROM:<> BODY=8BITMIME", 250);
                client.command("RCPT TO:<b@example.net>", 250);
                client.command("DATA", 354);
                client.drip(random.nextInt(10) == 0 ? 1 + random.nextInt(5000) : 0);
                client.send(message).send(".\r\n");
                client.drip(0).expect(250);
                var received = server.awaitMessages(round + 1).get(round);
                assertThat(received.raw()).as("round %d, seed %d", round, seed).isEqualTo(message);
                if (seen != null) {
                    assertThat(seen.toString(StandardCharsets.ISO_8859_1)).as("round %d, seed %d", round, seed)
                            .isEqualTo(received.text());
                    seen.reset();
                }
            }
            client.command("QUIT", 221);
            client.socket().close();
            rig.awaitIdle();
        }
        nothingLeft(spool);
    }

    private void nothingLeft(MessageSpool spool) {
        Rig.await("nothing kept", () -> spool.memory.get() == 0 && spool.storage.get() == 0 && spool.openFiles.get() == 0);
        try (var files = Files.list(directory)) {
            assertThat(files).isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void heldMessagesArriveOctetForOctetFromMemoryAndFromFiles() throws Exception {
        identical(400, spool(1 << 20), null, HOLD);
        identical(400, spool(1000), null, HOLD);
        identical(200, spool(0), null, HOLD);
    }

    @Test
    void messagesWhoseDotIsHeldArriveOctetForOctetAndAreReadSo() throws Exception {
        var seen = new ByteArrayOutputStream();
        identical(1000, spool(0), seen, readingAlong(seen));
    }

    @Test
    void messagesThatStreamArriveOctetForOctet() throws Exception {
        identical(1000, spool(0), null, choosing(MessagePath::stream));
    }

    @Test
    void largeMessageIsRelayedFromItsFileAndReadByItsJudge() throws Exception {
        var message = ("y".repeat(77) + "\r\n").repeat(20 * 1024 * 1024 / 79);
        var spool = spool(100_000);
        var readers = Executors.newSingleThreadExecutor();
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).spool(spool).handlers(holding(held -> Verdict.later(
                        CompletableFuture.supplyAsync(() -> {
                            try (var in = held.open()) {
                                return Verdict.rewrite(MessageChange.none().prepend(Header.of("X-Read", "" + in.readAllBytes().length)));
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        }, readers)))).start();
                var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            for (int i = 1; i <= 2; i++) {
                client.sendMessage("<a@example.com>", List.of("<b@example.net>"), message);
                assertThat(server.awaitMessages(i).get(i - 1).text().equals("X-Read: " + message.length() + "\r\n" + message)).isTrue();
            }
            client.command("QUIT", 221);
        } finally {
            readers.shutdown();
        }
        nothingLeft(spool);
    }

    @Test
    void stalledDiskStopsItsSessionAndNoOther() throws Exception {
        var stall = new CountDownLatch(1);
        var spool = new MessageSpool(new MessageSpool.Limits(directory, 1000, 1 << 20, Long.MAX_VALUE), where -> {
            try {
                stall.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return FileChannel.open(where.resolve("x"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE);
        });
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).loops(1).spool(spool).handlers(HOLD).start();
                var stalled = rig.client();
                var other = rig.client()) {
            stalled.expect(220);
            stalled.command("EHLO a.example", 250);
            stalled.command("MAIL FROM:<a@example.com>", 250);
            stalled.command("RCPT TO:<b@example.net>", 250);
            stalled.command("DATA", 354);
            stalled.send("z".repeat(30_000) + "\r\n.\r\n");
            other.expect(220);
            other.command("EHLO a.example", 250);
            for (int i = 1; i <= 20; i++) {
                other.sendMessage("<a@example.com>", List.of("<b@example.net>"), "small " + i + "\r\n");
            }
            assertThat(server.awaitMessages(20)).extracting(ReceivedMessage::text).allMatch(text -> text.startsWith("small"));
            stall.countDown();
            stalled.expect(250);
            assertThat(server.awaitMessages(21).get(20).text()).hasSize(30_002);
            stalled.command("QUIT", 221);
            other.command("QUIT", 221);
        }
        nothingLeft(spool);
    }

    @Test
    void fullDiskIsA452AndNothingIsLost() throws Exception {
        var full = Path.of("/dev/full");
        Assumptions.assumeTrue(Files.exists(full), "needs /dev/full, which Linux has");
        var spool = new MessageSpool(new MessageSpool.Limits(directory, 1000, 1 << 20, Long.MAX_VALUE),
                where -> FileChannel.open(full, StandardOpenOption.READ, StandardOpenOption.WRITE));
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).spool(spool).handlers(HOLD).start();
                var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            for (int size : new int[] {2000, 5_000_000}) {
                client.command("MAIL FROM:<a@example.com>", 250);
                client.command("RCPT TO:<b@example.net>", 250);
                client.command("DATA", 354);
                client.send("z".repeat(size) + "\r\n.\r\n");
                assertThat(client.expect(452)).contains("4.3.1");
            }
            client.sendMessage("<a@example.com>", List.of("<b@example.net>"), "small\r\n");
            assertThat(server.awaitMessages(1)).hasSize(1);
            client.command("QUIT", 221);
        }
        nothingLeft(spool);
    }

    @Test
    void roomForAllMessagesIsBounded() throws Exception {
        var spool = new MessageSpool(new MessageSpool.Limits(directory, 1000, 1 << 20, 50_000));
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).spool(spool).handlers(HOLD).start();
                var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.net>", 250);
            client.command("DATA", 354);
            client.send("z".repeat(60_000) + "\r\n.\r\n");
            client.expect(452);
            client.sendMessage("<a@example.com>", List.of("<b@example.net>"), "z".repeat(40_000) + "\r\n");
            client.command("QUIT", 221);
            assertThat(server.awaitMessages(1)).hasSize(1);
        }
        nothingLeft(spool);
    }

    @Test
    void clientThatVanishesLeavesNoFileAndNoMessage() throws Exception {
        for (int kept : new int[] {0, 1 << 20}) {
            var spool = spool(kept);
            try (var server = ScriptedServer.start();
                    var rig = Rig.with(Interception.fixed(server.address())).spool(spool)
                            .handlers(holding(message -> Verdict.later(new CompletableFuture<>()))).start()) {
                for (var end : new String[] {"", ".\r\n", ".\r\nMAIL FROM:<c@example.com>\r\n"}) {
                    try (var client = rig.client()) {
                        client.expect(220);
                        client.command("EHLO a.example", 250);
                        client.command("MAIL FROM:<a@example.com>", 250);
                        client.command("RCPT TO:<b@example.net>", 250);
                        client.command("DATA", 354);
                        client.send(("z".repeat(98) + "\r\n").repeat(5000)).send(end);
                        Rig.await("it is kept", () -> spool.storage.get() >= 500_000);
                    }
                    rig.awaitIdle(); // long before the verdict's deadline
                    nothingLeft(spool);
                }
                assertThat(server.messages()).isEmpty();
            }
        }
    }

    @Test
    void serverThatDropsTheConnectionWhileTheMessageIsHeldGetsItOverAFreshOne() throws Exception {
        try (var server = ScriptedServer.script().faultOnce(Moment.RCPT, Fault.cut().afterAnswer()).start();
                // Later, so that the loop has seen what came before the message when the verdict comes.
                var rig = Rig.to(server.address(), holding(message -> Verdict.later(CompletableFuture.supplyAsync(Verdict::proceed))));
                var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.sendLines("RCPT TO:<b@example.net>", "DATA"); // so that the message is held before the connection is lost
            client.expect(250);
            client.expect(354);
            server.awaitAllClosed();
            client.send("x\r\n.\r\n");
            client.expect(250);
            client.command("QUIT", 221);
            assertThat(server.awaitMessages(1)).extracting(ReceivedMessage::text).containsExactly("x\r\n");
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void rejectedMessagesNeverReachTheServer() throws Exception {
        var handler = holding(message -> message.headers().first("X-Spam").isPresent()
                ? Verdict.reject(Reply.of(550, "5.7.1", "spam"))
                : Verdict.proceed());
        try (var server = ScriptedServer.start();
                var rig = Rig.to(server.address(), handler);
                var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.net>", 250);
            client.command("DATA", 354);
            client.send("X-Spam: yes\r\n\r\nx\r\n.\r\n");
            client.expect(550);
            client.sendMessage("<a@example.com>", List.of("<b@example.net>"), "good\r\n");
            client.command("QUIT", 221);
            assertThat(server.awaitMessages(1)).extracting(ReceivedMessage::text).containsExactly("good\r\n");
        }
    }
}
