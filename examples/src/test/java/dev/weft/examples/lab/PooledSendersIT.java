package dev.weft.examples.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.testkit.ScriptedClient;
import dev.weft.tls.testkit.TestCertificate;
import dev.weft.tls.testkit.TestCertificate.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real senders, each from an address of its own, that share what a real receiver allows to the one address of the proxy: Postfix
 * and Exim, through the standalone proxy bound on mail, to a Postfix that refuses a connection too many with a 421. Each message
 * has recipients of its own, so that the receiver's log shows which were lost and which came twice.
 * {@code -Dweft.senders.messages=2000} runs a longer form.
 */
@Timeout(300)
class PooledSendersIT {

    private static final int MESSAGES = Integer.getInteger("weft.senders.messages", 120);
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final TestCertificate CERTIFICATE = TestCertificate.of(Kind.EC, "mx.example").names("mx.example").build();

    @TempDir
    static Path directory;

    /** By the connections that each allows. */
    private static final Map<Integer, LoopbackPostfix> RECEIVERS = new HashMap<>();
    private static Senders senders;
    private static int proxies;

    @BeforeAll
    static void startMailServers() throws IOException {
        new Prerequisites().root().program("postfix", "postfix").program("postqueue", "postfix").program("postconf", "postfix")
                .orSkip();
        Files.writeString(directory.resolve("chain.pem"), new String(CERTIFICATE.keyPem(), StandardCharsets.US_ASCII)
                + new String(CERTIFICATE.chainPem(), StandardCharsets.US_ASCII));
        senders = Senders.start(directory.resolve("senders"), 3);
        for (int connections : List.of(1, 10)) {
            RECEIVERS.put(connections, receiver("mx" + connections, connections, ""));
        }
    }

    @AfterAll
    static void stopMailServers() {
        if (senders != null) {
            senders.close();
        }
        RECEIVERS.values().forEach(LoopbackPostfix::close);
    }

    /** The proxy comes from 127.0.0.1, which by default is exempt from a Postfix's limits. */
    private static LoopbackPostfix receiver(String name, int connections, String settings) throws IOException {
        return LoopbackPostfix.receiver(directory.resolve(name), """
                smtpd_client_connection_count_limit = %d
                smtpd_client_event_limit_exceptions =
                smtpd_tls_security_level = may
                smtpd_tls_chain_files = %s
                smtpd_tls_loglevel = 1
                """.formatted(connections, directory.resolve("chain.pem")) + settings);
    }

    private static ProxyProcess proxy(Senders clients, LoopbackPostfix mx, String... options) throws IOException {
        var all = Stream.concat(Stream.of("--listen", "127.0.0.1:" + clients.relayPort(), "--to", "127.0.0.1:" + mx.port()),
                Stream.of(options)).toList();
        var proxy = ProxyProcess.start(List.of(), Prerequisites.proxyJar(), all,
                Files.createDirectory(directory.resolve("proxy" + ++proxies)));
        proxy.awaitListening();
        return proxy;
    }

    private static ProxyProcess onMail(LoopbackPostfix mx, String... options) throws IOException {
        return proxy(senders, mx, Stream.concat(Stream.of("--binding", "mail", "--helo", "weft.example"), Stream.of(options))
                .toArray(String[]::new));
    }

    private static void assertEachArrivedOnce(MxLog log, Collection<String> recipients, ProxyProcess proxy) {
        Await.until("all has arrived", LIMIT, () -> log.read().haveAll(recipients), proxy::evidence);
        assertThat(log.copies()).as("copies for each recipient").isEqualTo(
                recipients.stream().collect(Collectors.toMap(Function.identity(), each -> 1)));
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,2", "1,4", "10,1", "10,2", "10,4"})
    void theLimitIsKeptOverAllLoopsAndNothingIsPutOff(int limit, int loops) throws Exception {
        var log = run(RECEIVERS.get(limit), "limit " + limit, loops, "--limit", "" + limit, "--tls", limit == 1 ? "none" : "may");
        assertThat(log.refusals()).as("connections that the receiver refused").isZero();
        assertThat(log.mostConnected()).as("connected at one time").isBetween(Math.min(limit, 3), limit);
        assertThat(log.connections()).as("connections").isLessThan(log.messages() / 2);
        assertThat(log.handshakes()).as("TLS handshakes").isEqualTo(limit == 1 ? 0 : log.connections());
    }

    @ParameterizedTest
    @CsvSource({"1,2", "10,4"})
    void theLimitIsLearntFromRefusalsThatNoSenderHearsOf(int allowed, int loops) throws Exception {
        var log = run(RECEIVERS.get(allowed), "limit auto, " + allowed + " allowed", loops, "--limit", "auto");
        // How many there are depends on how long the run takes: a limit is cut once in ten seconds, and tried again each second.
        assertThat(log.refusals()).as("connections that the receiver refused").isGreaterThanOrEqualTo(allowed == 1 ? 1 : 0);
    }

    /** All senders send at once, all arrives, and no sender has to try again. */
    private static MxLog run(LoopbackPostfix mx, String title, int loops, String... options) throws Exception {
        var log = MxLog.fromNowOn(mx);
        senders.watch();
        var all = Stream.concat(Stream.of(options), Stream.of("--loops", "" + loops)).toArray(String[]::new);
        try (var proxy = onMail(mx, all)) {
            var recipients = senders.submit(MESSAGES);
            senders.awaitAllSent(proxy::evidence);
            assertEachArrivedOnce(log, recipients, proxy);
            long fresh = proxy.events("transaction").stream().filter(line -> line.contains("\"reused\":0,")).count();
            assertThat(fresh).as("transactions over fresh connections").isPositive()
                    .isLessThanOrEqualTo(log.read().connections());
            assertThat(proxy.events("transaction")).as("all had one").allMatch(line -> line.contains("\"reused\":"));
        }
        Await.until("nobody is connected", LIMIT, () -> log.read().connected() == 0);
        System.out.printf("PooledSendersIT: %s, %d loops: %d messages over %d connections, at most %d at a time; %d TLS handshakes,"
                + " %d refusals%n", title, loops, log.messages(), log.connections(), log.mostConnected(), log.handshakes(),
                log.refusals());
        assertThat(senders.deferrals()).isEmpty();
        return log;
    }

    @Test
    void turnsThatCannotComeInTimePutOffMessagesAndNotTheDestination() throws Exception {
        senders.watch();
        try (var mx = receiver("slow", 1, "smtpd_end_of_data_restrictions = sleep 1\n")) {
            var log = MxLog.fromNowOn(mx);
            try (var proxy = onMail(mx, "--limit", "1", "--lease-wait", "2")) {
                var recipients = senders.submit(4 * senders.count());
                Await.until("every sender was told that there is no turn", LIMIT, () -> senders.all().stream().allMatch(
                        sender -> senders.deferrals(sender).stream().anyMatch(line -> line.contains("451 4.3.2"))), proxy::evidence);
                // If the destination were suspended, these would not even be tried.
                recipients.addAll(senders.submit(senders.count()));
                Await.until("all was tried", LIMIT, () -> {
                    var putOff = String.join("\n", senders.deferrals());
                    return recipients.stream().allMatch(each -> putOff.contains(each) || log.read().copies().containsKey(each));
                }, proxy::evidence);
                assertThat(senders.suspensions()).isEmpty();

                mx.change("smtpd_end_of_data_restrictions =");
                Await.until("all is sent when the queues are run again", LIMIT, () -> {
                    senders.runQueues();
                    return log.read().haveAll(recipients);
                }, proxy::evidence);
                senders.awaitAllSent(proxy::evidence);
                assertEachArrivedOnce(log, recipients, proxy);
                assertThat(proxy.events("notice")).anyMatch(line -> line.contains("\"lease_refused\"")
                        && line.contains("1 of 1 connections"));
            }
            assertThat(senders.suspensions()).isEmpty();
            assertThat(log.refusals()).as("connections that the receiver refused").isZero();
        }
    }

    /** What the binding on mail spares the senders, and that these tests would notice. */
    @Test
    void onConnectTheReceiversRefusalsSuspendTheDestination() throws Exception {
        var mx = RECEIVERS.get(1);
        var log = MxLog.fromNowOn(mx);
        try (var clients = Senders.start(directory.resolve("suspended"), 1); var proxy = proxy(clients, mx, "--tls", "none")) {
            clients.submit(20 * clients.count());
            Await.until("every sender was refused", LIMIT, () -> clients.all().stream().noneMatch(
                    sender -> clients.deferrals(sender).isEmpty()), proxy::evidence);
            Await.until("every sender suspends the destination", LIMIT, () -> {
                clients.submit(clients.count());
                return clients.all().stream().noneMatch(sender -> clients.suspensions(sender).isEmpty());
            }, proxy::evidence);
            assertThat(log.read().refusals()).isPositive();
        }
    }

    /**
     * Postfix holds the SIZE of a MAIL that it refused against the next one on the same connection. It hears of such a one from a
     * client that said HELO, and so was not told what SIZE is taken.
     */
    @Test
    void aRefusedMailOfOneClientIsNotFeltByTheNext() throws Exception {
        try (var proxy = onMail(RECEIVERS.get(1), "--limit", "1")) {
            for (var mail : List.of("MAIL FROM:<a@tenant.example> SIZE=999999999", "MAIL FROM:<a@tenant.example>")) {
                try (var client = ScriptedClient.connect(new InetSocketAddress("127.0.0.1", senders.relayPort()))) {
                    client.expect(220);
                    client.command(mail.contains("SIZE") ? "HELO tenant.example" : "EHLO tenant.example", 250);
                    client.command(mail, 250);
                    client.command("RCPT TO:<b@mx.example>", mail.contains("SIZE") ? 552 : 250);
                    client.command("QUIT", 221);
                }
            }
            assertThat(proxy.alive()).as(proxy::evidence).isTrue();
        }
    }

    @Test
    void eximIsOneOfTheSenders() {
        Assumptions.assumeTrue(LoopbackExim.missing().isEmpty(), () -> LoopbackExim.missing().orElseThrow());
        assertThat(senders.all()).hasAtLeastOneElementOfType(LoopbackExim.class);
    }
}
