package dev.weft.tls.conscrypt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.tls.jdk.JdkTlsBackend;
import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsResult;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.testkit.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A restart is a new process; the server lives on, and with it the keys of its tickets. */
class SessionsAfterRestartTest {

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void firstConnectionOfANewProcessIsResumed(String serverBackend, @TempDir Path parent) throws Exception {
        var certificate = TestCertificate.of(TestCertificate.Kind.EC, "mx.example").names("mx.example").build();
        TlsBackend backend = serverBackend.equals("jdk") ? new JdkTlsBackend() : new ConscryptTlsBackend();
        try (var context = backend.server(ServerSettings.builder(certificate.material()).build());
                var listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            var directory = parent.resolve("sessions");
            for (var expected : new String[] {"resumed false", "resumed true", "resumed true"}) {
                var served = CompletableFuture.runAsync(() -> {
                    try (var connection = listener.accept()) {
                        talk(connection, context.engine(), "250 ok\r\n");
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                assertThat(client(((InetSocketAddress) listener.getLocalAddress()).getPort(), directory)).contains(expected);
                served.get(30, TimeUnit.SECONDS);
            }
        }
    }

    private static String client(int port, Path directory) throws Exception {
        var java = System.getProperty("java.home") + "/bin/java";
        var process = new ProcessBuilder(java, "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                Client.class.getName(), Integer.toString(port), directory.toString())
                .redirectErrorStream(true).start();
        try {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("the client ends").isTrue();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Says one line, hears one, and ends in good order; on blocking sockets. */
    private static void talk(SocketChannel socket, TlsEngine engine, String line) throws IOException {
        var in = ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES);
        var out = ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES);
        var heard = ByteBuffer.allocate(TlsEngine.BUFFER_BYTES);
        var toSay = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
        try {
            while (!engine.inboundClosed() && engine.failure().isEmpty()) {
                var wrapped = engine.wrap(toSay, out);
                socket.write(out.flip());
                out.clear();
                if (heard.position() > 0 && !toSay.hasRemaining()) {
                    engine.closeOutbound();
                    engine.wrap(toSay, out);
                    socket.write(out.flip());
                    out.clear();
                }
                int before = heard.position();
                boolean done = engine.handshakeDone();
                var unwrapped = engine.unwrap(in.flip(), heard);
                in.compact();
                boolean changed = heard.position() > before || engine.handshakeDone() != done;
                if (wrapped == TlsResult.TASK || unwrapped == TlsResult.TASK) {
                    engine.task().ifPresent(Runnable::run);
                } else if (unwrapped == TlsResult.MORE_INPUT && !changed && socket.read(in) < 0) {
                    return;
                }
            }
            assertThat(engine.failure()).isEmpty();
        } finally {
            engine.free();
        }
    }

    /** The process that is restarted. */
    static final class Client {
        private Client() {}

        public static void main(String[] args) throws Exception {
            var server = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
            var settings = ClientSettings.builder().versions(TlsVersion.TLS_1_2).sessionDirectory(Path.of(args[1]));
            try (var context = new ConscryptTlsBackend().client(settings.build());
                    var socket = SocketChannel.open(server)) {
                var engine = context.engine(Optional.of("mx.example"), Optional.of("may mx.example"));
                talk(socket, engine, "EHLO client.example\r\n");
                System.out.println("resumed " + engine.facts().orElseThrow().resumed());
            }
        }
    }
}
