package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.relay.FailureMode;
import dev.weft.relay.RelayHandler;
import dev.weft.session.SmtpSession;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MessageHandlersTest {

    @TempDir
    Path directory;

    private ScriptedServer server;
    private SmtpProxy proxy;

    @BeforeEach
    void startServer() throws IOException {
        server = ScriptedServer.start();
    }

    @AfterEach
    void stop() {
        proxy.close();
        server.close();
    }

    private ScriptedClient client(RelayHandler handler) throws IOException {
        proxy = SmtpProxy.builder().listen("127.0.0.1", 0).loops(1).intercept(Interception.fixed(server.address()))
                .heldMessages(directory).handler(handler).build();
        proxy.start();
        var client = ScriptedClient.connect(proxy.addresses().get(0), InetAddress.getByName("127.0.0.1"), Duration.ofSeconds(30));
        client.expect(220);
        client.command("EHLO a.example.com", 250);
        return client;
    }

    private static String send(ScriptedClient client, String message, int code) throws IOException {
        client.command("MAIL FROM:<a@example.com>", 250);
        client.command("RCPT TO:<b@example.net>", 250);
        client.command("DATA", 354);
        client.send(message + ".\r\n");
        return client.expect(code);
    }

    private String received(int number) {
        return server.awaitMessages(number).get(number - 1).text();
    }

    @Test
    void headersComeBeforeTheMessage() throws IOException {
        try (var client = client(new AddHeaders("panel7"))) {
            send(client, "Subject: x\r\n\r\nbody\r\n", 250);
            assertThat(received(1)).matches("(?s)Received: from a.example.com \\(\\[127.0.0.1]\\)\r\n\tby weft with ESMTP id \\S+-1;\r\n"
                    + "\t[^\r]+\r\nFeedback-ID: panel7\r\nSubject: x\r\n\r\nbody\r\n");
        }
    }

    @Test
    void attachmentsAreRefusedByTheirNames() throws IOException {
        var mail = "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Disposition: attachment;\r\n %s\r\n\r\nx\r\n--b--\r\n";
        try (var client = client(new SizeAndNameGuard(1000, "exe", "js"))) {
            assertThat(send(client, mail.formatted("filename=\"Invoice.EXE\""), 552)).contains("attachment");
            send(client, mail.formatted("filename*=utf-8''a.js"), 552);
            send(client, mail.formatted("filename=\"exe.txt\"") + "name=x.exe\r\n", 250);
            assertThat(send(client, "x\r\n".repeat(500), 552)).contains("5.3.4");
            client.command("MAIL FROM:<a@example.com> SIZE=1001", 552);
            send(client, "clean\r\n", 250);
            assertThat(received(2)).isEqualTo("clean\r\n");
        }
    }

    @Test
    void copyIsWholeBeforeTheMessageGoesOnAndForNobodyElse() throws IOException {
        var archive = Files.createDirectory(directory.resolve("archive"));
        try (var client = client(new ArchiveCopy(archive))) {
            send(client, "Subject: x\r\n\r\n..dots\r\n", 250);
            assertThat(received(1)).isEqualTo("Subject: x\r\n\r\n.dots\r\n");
            try (var files = Files.list(archive)) {
                var copies = files.toList();
                assertThat(copies).hasSize(1);
                assertThat(copies.get(0).getFileName().toString()).endsWith("-1.eml");
                assertThat(Files.readString(copies.get(0))).isEqualTo("Subject: x\r\n\r\n.dots\r\n");
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copies.get(0)))).isEqualTo("rw-------");
                Files.delete(copies.get(0));
            }
            Files.delete(archive);
            send(client, "not copied\r\n", 451);
            assertThat(server.messages()).hasSize(1);
        }
    }

    @Test
    void holdRelaysUnchanged() throws IOException {
        try (var client = client(new HoldMessages())) {
            send(client, "..x\r\n\r\n", 250);
            assertThat(received(1)).isEqualTo(".x\r\n\r\n");
        }
    }

    @Test
    void rspamdActionsBecomeVerdicts() throws Exception {
        try (var rspamd = new Rspamd(); var client = client(new RspamdScan(rspamd.address(), FailureMode.TEMPFAIL))) {
            var clean = "X-Spam: forged\r\nSubject: x\r\n\r\n..body\r\n";
            rspamd.answers.add("{\"symbols\":{\"A\":{\"score\":9,\"action\":\"reject\"}},\"score\":0.5,\"action\":\"no action\"}");
            send(client, clean, 250);
            assertThat(received(1)).isEqualTo("X-Spam: No\r\nX-Spam-Score: 0.5\r\nSubject: x\r\n\r\n.body\r\n");
            assertThat(rspamd.bodies.take()).isEqualTo(clean.replace("..", "."));
            assertThat(rspamd.heads.take()).contains("IP: 127.0.0.1\r\n", "Helo: a.example.com\r\n", "From: a@example.com\r\n",
                    "Rcpt: b@example.net\r\n");
            rspamd.answers.add("{\"action\":\"add header\",\"score\":7.25}");
            send(client, clean, 250);
            assertThat(received(2)).startsWith("X-Spam: Yes\r\nX-Spam-Score: 7.25\r\nSubject: x\r\n");
            rspamd.answers.add("{\"action\":\"rewrite subject\",\"score\":8,\"subject\":\"*** x\"}");
            send(client, clean, 250);
            assertThat(received(3)).contains("Subject: *** x\r\n");
            rspamd.answers.add("{\"action\":\"greylist\",\"score\":4}");
            send(client, clean, 451);
            rspamd.answers.add("{\"action\":\"soft reject\",\"score\":4}");
            send(client, clean, 451);
            rspamd.answers.add("{\"action\":\"reject\",\"score\":40}");
            assertThat(send(client, clean, 554)).contains("5.7.1");
            rspamd.answers.add("{\"error\":\"x\"}");
            assertThat(send(client, clean, 451)).contains("4.3.0");
            assertThat(server.messages()).hasSize(3);
        }
    }

    @Test
    void rspamdThatDoesNotAnswerIsTakenAsTheFailureModeSays() throws Exception {
        URI nobody;
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = URI.create("http://127.0.0.1:" + closed.getLocalPort());
        }
        var told = new CopyOnWriteArrayList<String>();
        var log = Logger.getLogger(SmtpSession.class.getName());
        log.setFilter(entry -> {
            told.add(String.valueOf(entry.getThrown()));
            return false;
        });
        try (var client = client(new RspamdScan(nobody, FailureMode.TEMPFAIL))) {
            send(client, "x\r\n", 451);
        } finally {
            log.setFilter(null);
        }
        assertThat(told).singleElement().asString().contains(nobody.toString());
        proxy.close();
        try (var client = client(new RspamdScan(nobody, FailureMode.OPEN))) {
            send(client, "x\r\n", 250);
            assertThat(received(1)).isEqualTo("x\r\n");
        }
    }

    /** Answers one request a connection with what it was told to. */
    private static final class Rspamd implements AutoCloseable {
        final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        final BlockingQueue<String> heads = new LinkedBlockingQueue<>();
        final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
        private final ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());

        Rspamd() throws IOException {
            var thread = new Thread(this::serve, "rspamd stand-in");
            thread.setDaemon(true);
            thread.start();
        }

        URI address() {
            return URI.create("http://127.0.0.1:" + listener.getLocalPort());
        }

        private void serve() {
            while (!listener.isClosed()) {
                try (Socket socket = listener.accept()) {
                    var in = socket.getInputStream();
                    var head = head(in);
                    var length = Integer.parseInt(head.toLowerCase(Locale.ROOT).replaceAll("(?s).*content-length: (\\d+).*", "$1"));
                    heads.add(head);
                    bodies.add(new String(in.readNBytes(length), StandardCharsets.ISO_8859_1));
                    var answer = answers.take();
                    socket.getOutputStream().write(("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + answer.length() + "\r\n\r\n" + answer)
                            .getBytes(StandardCharsets.ISO_8859_1));
                } catch (IOException | InterruptedException e) {
                    // closed, or a client that went away
                }
            }
        }

        private static String head(InputStream in) throws IOException {
            var head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int octet = in.read();
                if (octet < 0) {
                    throw new IOException("ended in the head");
                }
                head.append((char) octet);
            }
            return head.toString();
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }
}
