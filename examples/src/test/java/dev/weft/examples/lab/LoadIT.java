package dev.weft.examples.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many messages at once through the standalone proxy on loopback, each with a recipient of its own, so that the sink's files
 * show which were lost and which came twice. {@code -Dweft.load.messages=50000} runs the long form.
 */
@Timeout(900)
class LoadIT {
    private static final int MESSAGES = Integer.getInteger("weft.load.messages", 5_000);
    private static final int SESSIONS = 100;
    /** smtp-source numbers the recipients from 1. */
    private static final Pattern RECIPIENT = Pattern.compile("^X-Rcpt-Args: <(\\d+)load@test\\.example>", Pattern.MULTILINE);

    @TempDir
    private Path directory;
    private Process sink;
    private ProxyProcess proxy;
    private int port;

    @BeforeAll
    static void requirePrograms() {
        new Prerequisites().program("smtp-source", "postfix").program("smtp-sink", "postfix").orSkip();
    }

    @BeforeEach
    void startSinkAndProxy() throws IOException {
        int sinkPort = freePort();
        port = freePort();
        sink = Shell.builder(sinkCommand(sinkPort), directory.resolve("sink.out")).start();
        awaitListener(sinkPort);
        proxy = ProxyProcess.start(List.of(), Prerequisites.proxyJar(),
                List.of("--listen", "127.0.0.1:" + port, "--to", "127.0.0.1:" + sinkPort), directory);
        awaitListener(port);
    }

    /** Writes a file for each message. Started by root, it wants to become somebody else. */
    private List<String> sinkCommand(int sinkPort) throws IOException {
        var mail = Files.createDirectory(directory.resolve("mail"));
        var command = new ArrayList<>(List.of("smtp-sink", "-m", "1000", "-d", mail + "/"));
        if ("root".equals(System.getProperty("user.name"))) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Shell.must("chown", "nobody", mail.toString());
            command.addAll(List.of("-u", "nobody"));
        }
        command.addAll(List.of("127.0.0.1:" + sinkPort, "1000"));
        return command;
    }

    @AfterEach
    void stopSinkAndProxy() throws InterruptedException {
        if (proxy != null) {
            proxy.close();
        }
        if (sink != null) {
            sink.destroy();
            assertThat(sink.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aHundredSessionsOfOneMessageEachLoseAndDoubleNothing() {
        assertEachArrivesOnce();
    }

    @Test
    void aHundredSessionsOfManyMessagesLoseAndDoubleNothing() {
        assertEachArrivesOnce("-d");
    }

    private void assertEachArrivesOnce(String... options) {
        var command = new ArrayList<>(List.of("smtp-source", "-N", "-s", String.valueOf(SESSIONS), "-l", "2048",
                "-m", String.valueOf(MESSAGES), "-f", "source@test.example", "-t", "load@test.example"));
        command.addAll(List.of(options));
        command.add("127.0.0.1:" + port);
        long start = System.nanoTime();
        var result = Shell.run(command, null, Duration.ofMinutes(10));
        double seconds = (System.nanoTime() - start) / 1e9;
        assertThat(result.exit()).as(() -> result.output() + proxy.evidence()).isZero();
        assertThat(result.output()).as(proxy::evidence).isEmpty();
        var copies = copiesByRecipient();
        assertThat(copies).hasSize(MESSAGES);
        assertThat(copies.values()).as("copies of a message").containsOnly(1);
        System.out.printf("LoadIT: %d messages, %d sessions %s: %.0f messages/s%n", MESSAGES, SESSIONS,
                String.join(" ", options), MESSAGES / seconds);
    }

    private Map<String, Integer> copiesByRecipient() {
        var copies = new HashMap<String, Integer>();
        try (var files = Files.list(directory.resolve("mail"))) {
            files.forEach(file -> {
                var recipient = RECIPIENT.matcher(Shell.text(file));
                assertThat(recipient.find()).as("a recipient in " + file).isTrue();
                copies.merge(recipient.group(1), 1, Integer::sum);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return copies;
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitListener(int port) {
        Await.until("a listener on port " + port, Duration.ofSeconds(30), () -> {
            try (var socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                return true;
            } catch (IOException e) {
                return false;
            }
        }, () -> Shell.text(directory.resolve("sink.out")) + (proxy == null ? "" : proxy.evidence()));
    }
}
