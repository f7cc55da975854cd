package dev.weft.tls.conscrypt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import dev.weft.tls.testkit.TestCertificate;
import dev.weft.tls.testkit.TlsPair;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Each Conscrypt engine holds two descriptors of a pipe until it is freed, so they show whether it was. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "descriptors are counted in /proc")
class ConscryptResourcesTest {
    private static final int CONNECTIONS = 200;

    private TlsServerContext server;
    private TlsClientContext client;

    @BeforeEach
    void makeContexts() throws TlsException {
        var backend = new ConscryptTlsBackend();
        var certificate = TestCertificate.of(TestCertificate.Kind.EC, "mx.example").names("mx.example").build();
        server = backend.server(ServerSettings.builder(certificate.material()).build());
        client = backend.client(ClientSettings.builder().build());
    }

    @AfterEach
    void closeContexts() {
        server.close();
        client.close();
    }

    private TlsPair connect() throws TlsException {
        return new TlsPair(client.engine(Optional.of("mx.example"), Optional.of("mx.example")), server.engine());
    }

    /** Without a garbage collection, which would hide what was forgotten. */
    private void assertNothingLeftBy(Consumer<TlsPair> connection) throws TlsException {
        try (var warmUp = connect()) {
            connection.accept(warmUp);
        }
        int before = descriptors();
        var one = connect();
        assertThat(descriptors()).as("descriptors of one pair").isEqualTo(before + 4);
        one.close();
        for (int i = 0; i < CONNECTIONS; i++) {
            try (var pair = connect()) {
                connection.accept(pair);
            }
        }
        assertThat(descriptors()).as("descriptors after " + CONNECTIONS + " pairs").isEqualTo(before);
    }

    private static int descriptors() {
        var names = new File("/proc/self/fd").list();
        assertThat(names).isNotNull();
        int pipes = 0;
        for (var name : names) {
            try {
                var target = Files.readSymbolicLink(new File("/proc/self/fd", name).toPath());
                pipes += target.toString().startsWith("pipe:") ? 1 : 0;
            } catch (IOException e) {
                continue; // the listing's own
            }
        }
        return pipes;
    }

    @Test
    void nothingIsLeftWhenBothSidesCloseInGoodOrder() throws TlsException {
        assertNothingLeftBy(pair -> {
            pair.handshake().chat();
            pair.end();
        });
    }

    @Test
    void nothingIsLeftWhenEnginesAreFreedInTheMidst() throws TlsException {
        assertNothingLeftBy(pair -> pair.handshake().chat());
    }

    @Test
    void nothingIsLeftWhenTheHandshakeIsCut() throws TlsException {
        assertNothingLeftBy(pair -> {
            pair.client().say("never");
            pair.settle(() -> 0);
        });
    }

    @Test
    void nothingIsLeftWhenTheHandshakeNeverBegan() throws TlsException {
        assertNothingLeftBy(pair -> { });
    }

    @Test
    void nothingIsLeftAfterPlainText() throws TlsException {
        assertNothingLeftBy(pair -> {
            pair.toServer().put("EHLO client.example\r\n".getBytes(StandardCharsets.US_ASCII));
            pair.settle();
        });
    }

    @Test
    void nothingIsLeftAfterASpoiltHandshake() throws TlsException {
        assertNothingLeftBy(pair -> {
            pair.toClient().put(new byte[] {22, 3, 3, 0, 4, 2, 0, 0, 0});
            pair.settle();
            assertThat(pair.client().engine().failure()).isPresent();
        });
    }

    @Test
    void wantOfDescriptorsIsACheckedFailureAndPasses() throws Exception {
        var java = System.getProperty("java.home") + "/bin/java";
        var process = new ProcessBuilder("sh", "-c", "ulimit -n 200; exec \"$0\" \"$@\"", java,
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), Exhaustion.class.getName())
                .redirectErrorStream(true).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("the process ends").isTrue();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output).contains("too many open files", "ulimit -n", "works again").doesNotContain("Exception in thread");
    }

    /** Run in a JVM with few descriptors. */
    static final class Exhaustion {
        private Exhaustion() {}

        public static void main(String[] args) throws Exception {
            var test = new ConscryptResourcesTest();
            test.makeContexts();
            test.connect().handshake().end(); // all classes are loaded now: that takes descriptors too
            var pairs = new ArrayList<TlsPair>();
            try {
                for (int i = 0; i < 200; i++) {
                    pairs.add(test.connect());
                }
            } catch (TlsException e) {
                System.out.println(e.getMessage());
            }
            pairs.forEach(TlsPair::close);
            test.connect().handshake().end();
            System.out.println("works again");
        }
    }
}
