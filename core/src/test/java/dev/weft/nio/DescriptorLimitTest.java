package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DescriptorLimitTest {

    private static final int DESCRIPTORS = 80;

    @Test
    void proxyThatRanOutOfDescriptorsGoesOnAcceptingOnceSessionsEndAndDoesNotSpinMeanwhile() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no /bin/sh to set the limit of descriptors with");
        int nobody;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = free.getLocalPort();
        }
        try (var server = ScriptedServer.start()) {
            var child = start(server.address().getPort(), nobody);
            try {
                var out = new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
                var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(out.readLine()));
                try (var client = ScriptedClient.connect(address)) {
                    client.expect(421);
                }
                session(address);
                exhaust(child, address);
                session(address);
            } finally {
                child.getOutputStream().close();
                child.waitFor();
            }
            assertThat(child.exitValue()).isZero();
        }
    }

    private static void exhaust(Process child, InetSocketAddress address) throws IOException {
        var clients = new ArrayList<Socket>();
        try {
            for (int i = 0; i < DESCRIPTORS; i++) {
                clients.add(new Socket(address.getAddress(), address.getPort()));
            }
            // Those that were accepted have an answer, the others wait in the backlog.
            Rig.await("all descriptors in use", () -> descriptors(child) >= DESCRIPTORS - 1);
            long cpu = cpuMillis(child);
            long start = System.nanoTime();
            Rig.await("a second's time", () -> System.nanoTime() - start > 1_000_000_000L);
            cpu = cpuMillis(child) - cpu;
            System.out.println("without descriptors the proxy used " + cpu + " ms of CPU in a second");
            assertThat(cpu).isLessThan(400);
        } finally {
            for (var client : clients) {
                client.close();
            }
        }
    }

    /** A proxy that is still short closes without a greeting or says 421; the time limit is the test's. */
    private static void session(InetSocketAddress address) {
        Rig.await("a session that is served", () -> {
            try (var client = ScriptedClient.connect(address, null, Duration.ofSeconds(10))) {
                if (!client.readReply().startsWith("220")) {
                    return false;
                }
                client.command("EHLO a.example", 250);
                client.command("QUIT", 221);
                return true;
            } catch (IOException | AssertionError e) {
                return false;
            }
        });
    }

    private static Process start(int serverPort, int nobodysPort) throws IOException {
        var needed = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Files.isDirectory(Path.of(entry)) || entry.contains("slf4j-api") || entry.contains("weft-tls-spi") || entry.contains("assertj"))
                .collect(Collectors.joining(File.pathSeparator));
        return new ProcessBuilder("/bin/sh", "-c", "ulimit -n " + DESCRIPTORS + "; exec \"$@\"", "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m", "-cp", needed,
                ShortOfDescriptors.class.getName(), Integer.toString(serverPort), Integer.toString(nobodysPort))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static long descriptors(Process child) {
        try (var all = Files.list(Path.of("/proc", Long.toString(child.pid()), "fd"))) {
            return all.count();
        } catch (IOException e) {
            return DESCRIPTORS; // no /proc: the second that follows is time enough
        }
    }

    private static long cpuMillis(Process child) {
        return child.toHandle().info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
    }
}
