package dev.weft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.intercept.Interception;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.SessionRecord;
import dev.weft.testkit.ScriptedClient;
import dev.weft.tls.spi.KeyMaterial;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PassThroughTest {

    @Test
    void whatFollowsTheClientsStartTlsGoesToTheServerAsItIs() throws Exception {
        var records = new ArrayBlockingQueue<SessionRecord>(1);
        var recording = new RelayHandler() {
            @Override
            public void sessionClosed(RelaySession session, SessionRecord record) {
                records.add(record);
            }
        };
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var proxy = SmtpProxy.builder().listen("127.0.0.1", 0).passThroughClientTls()
                        .intercept(Interception.fixed(new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort())))
                        .handler(recording).build()) {
            var server = CompletableFuture.runAsync(() -> serve(listener));
            proxy.start();
            try (var client = ScriptedClient.connect(proxy.addresses().get(0))) {
                client.expect(220);
                assertThat(client.command("EHLO a.example", 250)).contains("STARTTLS");
                client.command("STARTTLS", 220);
                client.send("QUIT is no command here\n");
                assertThat(client.readLine()).isEqualTo("ereh dnammoc on si TIUQ");
                client.halfClose();
                assertThat(client.readLine()).isNull();
            }
            server.get(10, TimeUnit.SECONDS);
            assertThat(records.poll(10, TimeUnit.SECONDS).passedThrough()).isTrue();
        }
    }

    /** Speaks as far as STARTTLS, then sends each line back from its end. */
    private static void serve(ServerSocket listener) {
        try (var socket = listener.accept();
                var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            var out = socket.getOutputStream();
            out.write("220 mx.example.net\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(in.readLine()).startsWith("EHLO");
            out.write("250-mx.example.net\r\n250 STARTTLS\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(in.readLine()).isEqualTo("STARTTLS");
            out.write("220 go on\r\n".getBytes(StandardCharsets.US_ASCII));
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                out.write((new StringBuilder(line).reverse() + "\r\n").getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void ownCertificateAndTheServersCantBothBeShown() {
        var builder = SmtpProxy.builder().listen("127.0.0.1", 0).passThroughClientTls().clientTls(KeyMaterial.pem(new byte[0], new byte[0]))
                .intercept(Interception.fixed(new InetSocketAddress("127.0.0.1", 25)));
        assertThatThrownBy(builder::build).isInstanceOf(IllegalStateException.class).hasMessageContaining("passThroughClientTls");
    }
}
