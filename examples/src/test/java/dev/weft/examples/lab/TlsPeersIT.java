package dev.weft.examples.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.SmtpProxy;
import dev.weft.SmtpProxyBuilder;
import dev.weft.intercept.Interception;
import dev.weft.relay.Stage;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.TlsPolicy;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import dev.weft.tls.spi.CertificateJudge;
import dev.weft.tls.testkit.TestCertificate;
import dev.weft.tls.testkit.TestCertificate.Kind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS with the programs that mail is sent and received with: Postfix on either side, swaks, and OpenSSL's client. */
class TlsPeersIT {

    private static final TestCertificate CA = TestCertificate.of(Kind.RSA, "Test CA").authority().build();
    private static final TestCertificate MX = TestCertificate.of(Kind.RSA, "mx.example").names("mx.example").issuer(CA).build();

    @TempDir
    static Path directory;

    private final BlockingQueue<SessionRecord> records = new LinkedBlockingQueue<>();

    @BeforeAll
    static void keys() throws Exception {
        Files.writeString(directory.resolve("chain.pem"),
                new String(MX.keyPem(), StandardCharsets.US_ASCII) + new String(MX.chainPem(), StandardCharsets.US_ASCII));
        Files.write(directory.resolve("ca.pem"), CA.chainPem());
    }

    private SmtpProxy proxy(InetSocketAddress server, String backend, SmtpProxyBuilder builder) throws Exception {
        var proxy = builder.listen("127.0.0.1", 0).intercept(Interception.fixed(server)).tlsBackend(backend).handler(new RelayHandler() {
            @Override
            public void sessionClosed(RelaySession session, SessionRecord record) {
                records.add(record);
            }
        }).build();
        proxy.start();
        return proxy;
    }

    private SessionRecord deliver(SmtpProxy proxy) throws Exception {
        try (var client = ScriptedClient.connect(proxy.addresses().get(0))) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            client.sendMessage("<a@client.example>", List.of("<b@mx.example>"), "Subject: x\r\n\r\nhello\r\n");
            client.command("QUIT", 221);
        }
        return records.poll(20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"may", "encrypt"})
    void postfixTakesMailInTlsAndTakesSessionsUpAgain(String level) throws Exception {
        new Prerequisites().root().program("postfix", "postfix").orSkip();
        try (var postfix = LoopbackPostfix.receiver(directory.resolve("mx-" + level), "smtpd_tls_security_level = " + level
                + "\nsmtpd_tls_chain_files = " + directory.resolve("chain.pem") + "\nsmtpd_tls_loglevel = 1\n")) {
            var server = new InetSocketAddress("127.0.0.1", postfix.port());
            int established = 0;
            for (var backend : List.of("jdk", "conscrypt")) {
                for (var policy : List.of(TlsPolicy.may(), TlsPolicy.encrypt(), TlsPolicy.verify("mx.example"))) {
                    try (var proxy = proxy(server, backend,
                            SmtpProxy.builder().serverTls(policy).trust(CertificateJudge.trusting(directory.resolve("ca.pem"))))) {
                        var first = deliver(proxy).serverTls().orElseThrow();
                        assertThat(first.facts().resumed()).isFalse();
                        assertThat(first.peer().trusted()).isTrue();
                        var second = deliver(proxy).serverTls().orElseThrow();
                        assertThat(second.facts().resumed()).as("resumed with " + backend).isTrue();
                        assertThat(second.peer().trusted()).isTrue();
                        established += 2;
                        postfix.awaitLog("TLS connection established from .*" + first.facts().version().standardName(), established);
                    }
                }
                try (var proxy = proxy(server, backend, SmtpProxy.builder().serverTls(TlsPolicy.none()));
                        var client = ScriptedClient.connect(proxy.addresses().get(0))) {
                    client.expect(220);
                    client.command("EHLO client.example", 250);
                    client.command("MAIL FROM:<a@client.example>", level.equals("may") ? 250 : 530);
                    client.command("QUIT", 221);
                }
                records.poll(20, TimeUnit.SECONDS);
                try (var proxy = proxy(server, backend, SmtpProxy.builder().serverTls(TlsPolicy.verify("other.example"))
                        .trust(CertificateJudge.trusting(directory.resolve("ca.pem"))));
                        var client = ScriptedClient.connect(proxy.addresses().get(0))) {
                    client.expect(220);
                    client.command("EHLO client.example", 250);
                    assertThat(client.command("MAIL FROM:<a@client.example>", 451)).contains("4.7.5");
                    client.command("QUIT", 221);
                }
                records.poll(20, TimeUnit.SECONDS);
                established++;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void postfixSendsInTlsAndTakesSessionsUpAgain(String backend) throws Exception {
        new Prerequisites().root().program("postfix", "postfix").orSkip();
        var message = Files.writeString(directory.resolve("message"), "Subject: x\n\nhello\n");
        try (var server = ScriptedServer.start();
                var proxy = proxy(server.address(), backend, SmtpProxy.builder().serverTls(TlsPolicy.none()).clientTls(MX.material()));
                var postfix = LoopbackPostfix.sender(directory.resolve("sender-" + backend), proxy.addresses().get(0).getPort(), """
                        smtp_tls_security_level = verify
                        smtp_tls_verify_cert_match = mx.example
                        smtp_tls_CAfile = %s
                        smtp_tls_loglevel = 2
                        smtp_tls_session_cache_database = btree:HOME/data/smtp_scache
                        """.formatted(directory.resolve("ca.pem")))) {
            for (int i = 1; i <= 2; i++) {
                postfix.submit(message, "a@client.example", "b@mx.example");
                server.awaitMessages(i);
                postfix.awaitLog("status=sent", i);
            }
            postfix.awaitLog("Verified TLS connection established to", 2);
            postfix.awaitLog("[Rr]eusing old session", 1);
            assertThat(records.poll(20, TimeUnit.SECONDS).clientTls().orElseThrow().facts().resumed()).isFalse();
            assertThat(records.poll(20, TimeUnit.SECONDS).clientTls().orElseThrow().facts().resumed()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void swaksSendsInTls(String backend) throws Exception {
        new Prerequisites().program("swaks", "swaks").program("perl", "perl-base").perlModule("Net::SSLeay", "libnet-ssleay-perl").orSkip();
        try (var server = ScriptedServer.start();
                var proxy = proxy(server.address(), backend, SmtpProxy.builder().serverTls(TlsPolicy.none()).clientTls(MX.material())
                        .requireClientTls().listenImplicitTls("127.0.0.1", 0))) {
            var addresses = List.copyOf(proxy.addresses());
            for (int i = 0; i < 2; i++) {
                boolean implicit = i == 0; // it was given first
                var output = Shell.must("swaks", "--server", "127.0.0.1", "--port", "" + addresses.get(i).getPort(),
                        implicit ? "--tls-on-connect" : "--tls", "--from", "a@client.example", "--to", "b@mx.example");
                assertThat(output).contains("TLS started with cipher");
            }
            server.awaitMessages(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void opensslTakesItsSessionsUpAgain(String backend) throws Exception {
        new Prerequisites().program("openssl", "openssl").orSkip();
        var input = Files.writeString(directory.resolve("dialogue"), "EHLO client.example\nQUIT\n");
        try (var server = ScriptedServer.start();
                var proxy = proxy(server.address(), backend, SmtpProxy.builder().serverTls(TlsPolicy.none()).clientTls(MX.material()))) {
            var base = List.of("openssl", "s_client", "-connect", "127.0.0.1:" + proxy.addresses().get(0).getPort(), "-starttls", "smtp",
                    "-crlf", "-ign_eof", "-CAfile", directory.resolve("ca.pem").toString());
            var again = openssl(base, input, "-tls1_2", "-reconnect");
            assertThat(again.split("Reused, TLSv1.2", -1)).as(again).hasSize(6);
            var kept = directory.resolve("session-" + backend).toString();
            var first = openssl(base, input, "-tls1_3", "-sess_out", kept);
            assertThat(first).contains("New, TLSv1.3", "Verification: OK", "221 ");
            assertThat(openssl(base, input, "-tls1_3", "-sess_in", kept)).contains("Reused, TLSv1.3", "221 ");
        }
    }

    private static String openssl(List<String> base, Path input, String... more) {
        var command = new ArrayList<>(base);
        command.addAll(List.of(more));
        return Shell.run(command, input, Duration.ofSeconds(30)).output();
    }

    /** How long Postfix lets a client wait for its second EHLO's answer: told, not judged, since it is the kernel's affair. */
    @Test
    void theSecondEhloIsTimedWithAndWithoutQuickAck() throws Exception {
        new Prerequisites().root().program("postfix", "postfix").orSkip();
        int sessions = 30;
        try (var postfix = LoopbackPostfix.receiver(directory.resolve("mx-timed"), "smtpd_tls_security_level = may"
                + "\nsmtpd_tls_chain_files = " + directory.resolve("chain.pem") + "\n")) {
            var server = new InetSocketAddress("127.0.0.1", postfix.port());
            var without = new ArrayList<Double>();
            for (int i = 0; i < sessions; i++) {
                without.add(secondEhlo(server));
            }
            System.out.println("second EHLO at Postfix, TLS 1.3, a plain client without TCP_QUICKACK: " + summary(without));
            for (var backend : List.of("jdk", "conscrypt")) {
                var with = new ArrayList<Double>();
                try (var proxy = proxy(server, backend, SmtpProxy.builder().serverTls(TlsPolicy.encrypt()))) {
                    for (int i = 0; i < sessions; i++) {
                        with.add(deliver(proxy).stages().get(Stage.EHLO2).toNanos() / 1e6);
                    }
                }
                System.out.println("second EHLO at Postfix, TLS 1.3, Weft/" + backend + " with TCP_QUICKACK: " + summary(with));
                assertThat(with).hasSize(sessions);
            }
        }
    }

    private static String summary(List<Double> times) {
        var sorted = times.stream().sorted().toList();
        return String.format("mean %.2f ms, median %.2f ms, max %.2f ms, %d of %d above 30 ms",
                times.stream().mapToDouble(each -> each).average().orElseThrow(), sorted.get(sorted.size() / 2),
                sorted.get(sorted.size() - 1), times.stream().filter(each -> each > 30).count(), times.size());
    }

    /** A whole new session each time, as between strangers. */
    private static double secondEhlo(InetSocketAddress server) throws Exception {
        var context = SSLContext.getInstance("TLSv1.3");
        context.init(null, new TrustManager[] {new Anybody()}, null);
        try (var socket = new Socket(InetAddress.getByName("127.0.0.1"), server.getPort())) {
            socket.setTcpNoDelay(true);
            reply(socket);
            say(socket, "EHLO client.example");
            say(socket, "STARTTLS");
            try (var secure = (SSLSocket) context.getSocketFactory().createSocket(socket, "mx.example", server.getPort(), true)) {
                secure.startHandshake();
                long before = System.nanoTime();
                say(secure, "EHLO client.example");
                double time = (System.nanoTime() - before) / 1e6;
                say(secure, "QUIT");
                return time;
            }
        }
    }

    private static void say(Socket socket, String line) throws Exception {
        socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        reply(socket);
    }

    private static void reply(Socket socket) throws Exception {
        var bytes = new byte[4096];
        for (int n = 0; n < 4 || bytes[n - 1] != '\n';) {
            int read = socket.getInputStream().read(bytes, n, bytes.length - n);
            if (read < 0) {
                throw new AssertionError("closed");
            }
            n += read;
        }
    }

    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String authType) {}

        @Override
        public java.security.cert.X509Certificate[] getAcceptedIssuers() {
            return new java.security.cert.X509Certificate[0];
        }
    }
}
