package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weft.testkit.ReceivedMessage;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory for held messages that really is full: a small file system of its own, mounted where only one JVM sees it. */
class FullDirectoryTest {

    private static final int MEGABYTE = 1 << 20;

    @TempDir
    Path directory;

    @Test
    void whatDoesNotFitIsA452AndWhatFitsArrives() throws Exception {
        try (var server = ScriptedServer.start()) {
            var child = proxyWithALittleRoom(server.address().getPort());
            try (var out = new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.US_ASCII))) {
                var port = out.readLine();
                assumeTrue(port != null, "no file system can be mounted here");
                try (var client = ScriptedClient.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port)))) {
                    client.expect(220);
                    client.command("EHLO a.example", 250);
                    var expected = new ArrayList<String>();
                    for (int megabytes : new int[] {20, 3, 0, 6, 3, 5}) {
                        var message = "a line of " + megabytes + "\r\n" + ("z".repeat(98) + "\r\n").repeat(megabytes * MEGABYTE / 100);
                        client.command("MAIL FROM:<a@example.com>", 250);
                        client.command("RCPT TO:<b@example.net>", 250);
                        client.command("DATA", 354);
                        client.send(message + ".\r\n");
                        if (megabytes < 4) {
                            client.expect(250);
                            expected.add(message);
                        } else {
                            assertThat(client.expect(452)).startsWith("452 4.3.1 ");
                        }
                    }
                    client.command("QUIT", 221);
                    var arrived = server.awaitMessages(expected.size()).stream().map(ReceivedMessage::text).toList();
                    assertThat(arrived.equals(expected)).as("all that was accepted arrived, and nothing else").isTrue();
                }
            } finally {
                child.destroy();
                child.waitFor();
            }
        }
    }

    private Process proxyWithALittleRoom(int server) throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting a file system needs root");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/unshare")), "unshare (util-linux) is not installed");
        var mount = "mount -t tmpfs -o size=4m tmpfs \"$0\" && exec \"$@\"";
        return new ProcessBuilder(List.of("unshare", "--mount", "--propagation", "private", "sh", "-c", mount, directory.toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", System.getProperty("java.class.path"),
                HeldMemoryTest.Proxy.class.getName(), Integer.toString(server), directory.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }
}
