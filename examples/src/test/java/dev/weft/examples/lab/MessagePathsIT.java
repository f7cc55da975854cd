package dev.weft.examples.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.relay.MessageChange;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageReader;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Reply;
import dev.weft.testkit.ScriptedClient;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a real Postfix has in its queue after messages went each path: all octets of those that pass, nothing of those that are
 * rejected.
 */
@Timeout(300)
class MessagePathsIT {

    private static final int MESSAGES = Integer.getInteger("weft.paths.messages", 1000);
    /** So many are read out of the queue by one process. */
    private static final int BATCH = 100;

    @TempDir
    static Path directory;

    private final List<RelayHandler> paths = List.of(
            handler("stream", MessagePath::stream), handler("hold the dot", MessagePathsIT::dot), handler("hold", MessagePathsIT::hold));

    @BeforeAll
    static void requirePrograms() {
        new Prerequisites().root().program("postfix", "postfix").program("postcat", "postfix").orSkip();
    }

    private static boolean spam(String text) {
        return text.contains("X-Test: spam");
    }

    private static MessagePath dot() {
        var seen = new StringBuilder();
        return MessagePath.holdTheDot(new MessageReader() {
            @Override
            public void read(ByteBuffer piece) {
                seen.append(StandardCharsets.ISO_8859_1.decode(piece));
            }

            @Override
            public Verdict<Void> end() {
                return Verdict.later(CompletableFuture.supplyAsync(() -> spam(seen.toString())
                        ? Verdict.reject(Reply.of(550, "5.7.1", "spam"))
                        : Verdict.proceed()));
            }
        });
    }

    private static MessagePath hold() {
        return MessagePath.hold(message -> message.headers().first("X-Test").isPresent()
                ? Verdict.reject(Reply.of(550, "5.7.1", "spam"))
                : Verdict.proceed());
    }

    private interface Choice {
        MessagePath choose();
    }

    private static RelayHandler handler(String name, Choice choice) {
        return handler(name, choice, MessageUse.look().withChunking());
    }

    private static RelayHandler handler(String name, Choice choice, MessageUse use) {
        return new RelayHandler() {
            @Override
            public MessageUse messageUse(RelaySession session) {
                return use;
            }

            @Override
            public MessagePath message(Transaction transaction) {
                return choice.choose();
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }

    @Test
    void messagesArriveOctetForOctetAndRejectedOnesNotAtAll() throws Exception {
        var home = directory.resolve("mx");
        try (var postfix = LoopbackPostfix.receiver(home, "defer_transports = discard\nlocal_header_rewrite_clients =\n")) {
            for (var path : paths) {
                try (var proxy = SmtpProxy.builder().listen("127.0.0.1", 0).intercept(Interception.fixed(
                        new InetSocketAddress("127.0.0.1", postfix.port()))).handler(path).build()) {
                    proxy.start();
                    identical(proxy, home, path.toString(), MESSAGES, MessagePathsIT::unstuffed);
                    if (!path.toString().equals("stream")) {
                        rejected(proxy, home, path.toString());
                    }
                }
            }
        }
    }

    @Test
    void bodyOfAHandlersOwnArrivesOctetForOctet() throws Exception {
        var home = directory.resolve("mx2");
        var body = new AtomicReference<byte[]>();
        var handler = handler("replaced", () -> MessagePath.hold(message -> {
            var own = body.get();
            return Verdict.rewrite(MessageChange.none().body(() -> new ByteArrayInputStream(own)));
        }), MessageUse.replace());
        try (var postfix = LoopbackPostfix.receiver(home, "defer_transports = discard\nlocal_header_rewrite_clients =\n");
                var proxy = SmtpProxy.builder().listen("127.0.0.1", 0).intercept(Interception.fixed(
                        new InetSocketAddress("127.0.0.1", postfix.port()))).handler(handler).build()) {
            proxy.start();
            identical(proxy, home, "replaced", MESSAGES, message -> {
                // The same message, not as the client sent it but as the host has it: without dots of transparency and its last CRLF.
                var text = unstuffedCrlf(message).replaceFirst("\r\n$", "");
                var replaced = text.substring(text.indexOf("\r\n\r\n") + 4) + (message.length % 2 == 0 ? "." : "y");
                body.set(replaced.getBytes(StandardCharsets.ISO_8859_1));
                return "Subject: random\n\n" + replaced.replace("\r\n", "\n") + "\n";
            });
        }
    }

    private static ScriptedClient greeted(SmtpProxy proxy) throws IOException {
        var client = ScriptedClient.connect(proxy.addresses().get(0));
        client.expect(220);
        client.command("EHLO client.example", 250);
        return client;
    }

    private static void envelope(ScriptedClient client) throws IOException {
        client.command("MAIL FROM:<a@client.example> BODY=8BITMIME", 250);
        client.command("RCPT TO:<b@other.example>", 250);
    }

    /** Sends random messages; what is expected of each is known before it is sent. */
    private static void identical(SmtpProxy proxy, Path home, String path, int messages, Function<byte[], String> expected)
            throws IOException {
        long seed = System.nanoTime();
        var random = new Random(seed);
        try (var client = greeted(proxy)) {
            for (int sent = 0; sent < messages; sent += BATCH) {
                var ids = new ArrayList<String>();
                var texts = new ArrayList<String>();
                for (int i = 0; i < Math.min(BATCH, messages - sent); i++) {
                    var message = randomMessage(random);
                    texts.add(expected.apply(message));
                    envelope(client);
                    client.command("DATA", 354);
                    client.send(message).send(".\r\n");
                    ids.add(client.expect(250).replaceAll("(?s).*queued as (\\w+).*", "$1"));
                }
                assertThat(queued(home, ids)).as("%s, messages from %d on, seed %d", path, sent, seed).isEqualTo(texts);
            }
            client.command("QUIT", 221);
        }
    }

    private static String unstuffed(byte[] message) {
        return unstuffedCrlf(message).replace("\r\n", "\n");
    }

    private static String unstuffedCrlf(byte[] message) {
        return new String(message, StandardCharsets.ISO_8859_1).replaceAll("(?<=^|\r\n)\\.", "");
    }

    private static void rejected(SmtpProxy proxy, Path home, String path) throws IOException {
        int before = queue(home).size();
        try (var client = greeted(proxy)) {
            for (int i = 0; i < 3; i++) {
                envelope(client);
                client.command("DATA", 354);
                // MAIL right behind the dot: it waits for the verdict, and for a fresh leg.
                client.send("X-Test: spam\r\n\r\nbody\r\n.\r\nMAIL FROM:<a@client.example>\r\n");
                client.expect(550);
                client.expect(250);
                client.command("RSET", 250);
            }
            if (path.equals("hold the dot")) {
                envelope(client);
                client.send("BDAT 14 LAST\r\nX-Test: spam\r\n");
                client.expect(550);
            }
            envelope(client);
            client.command("DATA", 354);
            client.send("Subject: good\r\n\r\nbody\r\n.\r\n");
            client.expect(250);
            client.command("QUIT", 221);
        }
        // Postfix is through with the legs that were cut when the good message is there and none of its processes holds another.
        var files = new AtomicReference<Set<String>>(Set.of());
        Await.until(path + ": only the good message is queued", Duration.ofSeconds(20), () -> {
            files.set(queue(home));
            return files.get().size() == before + 1;
        }, () -> files.get().toString());
    }

    /**
     * The queue's files by name: Postfix moves them on while they are listed, so that one may be seen in two places, or the list
     * be cut short and begun again.
     */
    private static Set<String> queue(Path home) {
        UncheckedIOException moved = null;
        for (int attempt = 0; attempt < 100; attempt++) {
            var files = new TreeSet<String>();
            try {
                for (var name : List.of("maildrop", "incoming", "active", "deferred", "hold")) {
                    try (var all = Files.walk(home.resolve("queue").resolve(name))) {
                        all.filter(Files::isRegularFile).forEach(file -> files.add(file.getFileName().toString()));
                    }
                }
                return files;
            } catch (UncheckedIOException e) {
                moved = e;
            } catch (IOException e) {
                moved = new UncheckedIOException(e);
            }
        }
        throw moved;
    }

    /** Headers and bodies as they are queued, without the Received field that Postfix put before each. */
    private static List<String> queued(Path home, List<String> ids) throws IOException {
        var out = Files.createTempFile(directory, "messages", "");
        var command = new ArrayList<>(List.of("postcat", "-c", home.resolve("etc").toString(), "-h", "-b", "-q"));
        command.addAll(ids);
        var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
        try {
            assertThat(process.waitFor()).isZero();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        var all = Files.readString(out, StandardCharsets.ISO_8859_1);
        Files.delete(out);
        return Arrays.stream(all.split("(?<=^|\n)(?=Received: from client\\.example )"))
                .map(text -> text.replaceFirst("(?s)^Received: [^\n]*\n([ \t][^\n]*\n)*", "")).toList();
    }

    private static byte[] randomMessage(Random random) {
        var out = new ByteArrayOutputStream();
        out.writeBytes("Subject: random\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        int lines = random.nextInt(random.nextInt(10) == 0 ? 2000 : 60);
        for (int i = 0; i < lines; i++) {
            int length = random.nextInt(random.nextInt(20) == 0 ? 5000 : 100);
            out.writeBytes("..".repeat(random.nextInt(3)).getBytes(StandardCharsets.US_ASCII));
            for (int j = 0; j < length; j++) {
                int octet = 1 + random.nextInt(255);
                out.write(octet == '\n' || octet == '\r' || octet == '.' ? 'x' : octet);
            }
            out.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        return out.toByteArray();
    }
}
