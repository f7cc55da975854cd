package dev.weft.examples.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.SmtpProxy;
import dev.weft.examples.RspamdScan;
import dev.weft.intercept.Interception;
import dev.weft.relay.FailureMode;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real Rspamd, with nothing configured but what every message is tested for, behind the example that asks it. */
@Timeout(300)
class RspamdIT {

    /** The test message that every spam filter knows; in two parts, so that none takes this file for spam. */
    private static final String GTUBE = "Subject: x\r\n\r\nXJS*C4JDBQADN1.NSBN3*2IDNEN*" + "GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X\r\n";
    private static final String CLEAN = "From: <a@example.com>\r\nSubject: x\r\n\r\nclean\r\n";

    @TempDir
    private static Path directory;
    private static Process rspamd;
    private static int port;

    @BeforeAll
    static void startRspamd() throws Exception {
        new Prerequisites().program("rspamd", "rspamd").orSkip();
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        var config = Files.writeString(directory.resolve("rspamd.conf"), """
                options {
                    filters = "";
                    pidfile = "%1$s/rspamd.pid";
                    control_socket = "%1$s/control.sock mode=0600";
                    dns { nameserver = ["127.0.0.1:9"]; timeout = 0.2s; retransmits = 1; }
                }
                logging { type = "console"; level = "warning"; }
                worker "normal" { bind_socket = "127.0.0.1:%2$d"; count = 1; }
                metric "default" { actions { reject = 15; add_header = 6; greylist = 4; } }
                """.formatted(directory, port));
        rspamd = new ProcessBuilder("rspamd", "-f", "-i", "-c", config.toString(), "--var=DBDIR=" + directory, "--var=RUNDIR=" + directory,
                "--var=LOGDIR=" + directory).redirectErrorStream(true).redirectOutput(directory.resolve("rspamd.log").toFile()).start();
        awaitListener();
    }

    @AfterAll
    static void stopRspamd() throws InterruptedException {
        if (rspamd != null) {
            stop();
        }
    }

    private static void stop() throws InterruptedException {
        rspamd.destroy();
        if (!rspamd.waitFor(30, TimeUnit.SECONDS)) {
            rspamd.destroyForcibly().waitFor();
        }
    }

    /** It takes a while to load, on a slow machine longer. */
    private static void awaitListener() throws IOException, InterruptedException {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);;) {
            try (var probe = new Socket()) {
                probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return;
            } catch (IOException e) {
                if (System.nanoTime() - end > 0 || !rspamd.isAlive()) {
                    throw new AssertionError("Rspamd does not listen:\n" + Files.readString(directory.resolve("rspamd.log")), e);
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    private static SmtpProxy proxy(ScriptedServer server, FailureMode mode) throws IOException {
        var proxy = SmtpProxy.builder().listen("127.0.0.1", 0).loops(1).intercept(Interception.fixed(server.address()))
                .handler(new RspamdScan(URI.create("http://127.0.0.1:" + port), mode)).build();
        proxy.start();
        return proxy;
    }

    private static String send(SmtpProxy proxy, String message, int code) throws IOException {
        try (var client = ScriptedClient.connect(proxy.addresses().get(0))) {
            client.expect(220);
            client.command("EHLO a.example.com", 250);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.net>", 250);
            client.command("DATA", 354);
            client.send(message + ".\r\n");
            return client.expect(code);
        }
    }

    @Test
    void spamIsRefusedCleanMailIsMarkedAndAStoppedRspamdIsTakenAsTheFailureModeSays() throws Exception {
        try (var server = ScriptedServer.start(); var strict = proxy(server, FailureMode.TEMPFAIL); var open = proxy(server, FailureMode.OPEN)) {
            assertThat(send(strict, GTUBE, 554)).contains("5.7.1");
            send(strict, CLEAN, 250);
            assertThat(server.awaitMessages(1)).hasSize(1);
            assertThat(server.messages().get(0).text()).startsWith("X-Spam: No\r\nX-Spam-Score: ").endsWith(CLEAN);
            stop();
            assertThat(send(strict, CLEAN, 451)).contains("4.3.0");
            send(open, CLEAN, 250);
            assertThat(server.awaitMessages(2).get(1).text()).isEqualTo(CLEAN);
            assertThat(server.messages()).hasSize(2);
        }
    }
}
