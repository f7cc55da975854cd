package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.relay.Binding;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Tenant;
import dev.weft.relay.Transaction;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.testkit.Script;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The parts in a real proxy whose sessions are bound on mail: an address for each transaction. */
class OnMailPartsTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final InetAddress ONE = TestSession.ip("127.0.0.21");
    private static final InetAddress TWO = TestSession.ip("127.0.0.22");

    private final BlockingQueue<TransactionRecord> ended = new LinkedBlockingQueue<>();
    /** It stands still: no figure fades and no day ends, however long a test takes. */
    private final ManualTime time = new ManualTime();
    private final ThrottleMonitor monitor = ThrottleMonitor.builder().time(time).build();
    private final Reputation reputation = Reputation.builder().time(time).build();
    private ScriptedServer server;
    private SmtpProxy proxy;

    /** Every route has the tenant "panel" and the destination "mx". */
    private ScriptedClient start(Script script, SourceAddresses sources) throws IOException {
        server = script.start();
        proxy = SmtpProxy.builder().listen("127.0.0.1", 0).loops(1).binding(Binding.ON_MAIL).helloName("relay.example.com")
                .intercept(Interception.fixed(server.address()))
                .handler(new RelayHandler() {
                    @Override
                    public Verdict<Route> connect(RelaySession session, Route proposed) {
                        return Verdict.rewrite(proposed.withTenant(Tenant.of("panel")).withDestination("mx"));
                    }

                    @Override
                    public void transactionEnded(RelaySession session, TransactionRecord transaction) {
                        ended.add(transaction);
                    }
                })
                .handler(sources)
                .handler(monitor)
                .handler(reputation)
                .build();
        proxy.start();
        var client = ScriptedClient.connect(proxy.addresses().get(0), InetAddress.getByName("127.0.0.1"), LIMIT);
        client.expect(220);
        client.command("EHLO a.example.com", 250);
        return client;
    }

    @AfterEach
    void stop() {
        proxy.close();
        server.close();
    }

    private TransactionRecord ended() throws InterruptedException {
        return ended.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void eachTransactionLeavesFromItsSendersAddress() throws Exception {
        var one = SourcePool.of("one", SourceAddress.of(ONE).as("one.example.com").warming(new WarmUp(2, 2, 100)));
        var two = SourcePool.of("two", SourceAddress.of(TWO));
        var sources = SourceAddresses.from(request -> {
            assertThat(request.tenant() + " " + request.destination()).isEqualTo("panel mx");
            return Optional.of(request.senderDomain().orElse("").equals("one.example") ? one : two);
        }).time(time).build();
        try (var client = start(ScriptedServer.script(), sources)) {
            for (var sender : List.of("<a@one.example>", "<a@two.example>", "<b@one.example>")) {
                client.sendMessage(sender, List.of("<b@example.net>", "<c@example.net>"), "hello\r\n");
            }
            assertThat(client.command("MAIL FROM:<c@one.example>", 451)).contains("4.7.1 All source addresses of pool one");
            client.sendMessage("<c@two.example>", List.of("<b@example.net>"), "hello\r\n");
            client.command("QUIT", 221);
        }
        for (var source : List.of(ONE, TWO, ONE)) {
            assertThat(ended().route().source()).contains(source);
        }
        var hellos = server.awaitMessages(4).stream().map(message -> message.hello().replaceFirst("^EHLO ", "")).toList();
        assertThat(hellos).containsExactly("one.example.com", "relay.example.com", "one.example.com", "relay.example.com");
        assertThat(sources.warming()).containsExactly(new WarmingSource(ONE, 1, 2, 2));
        assertThat(monitor.all()).extracting(figures -> figures.key().toString() + Math.round(figures.accepted()))
                .contains(new ThrottleKey("127.0.0.21", "mx") + "2", new ThrottleKey("127.0.0.22", "mx") + "2");
        assertThat(reputation.tenant("panel").accepted()).isEqualTo(7);
    }

    @Test
    void anAddressThatTheServerRefusesAtRcptRests() throws Exception {
        var sources = SourceAddresses.from(SourcePool.of("one", SourceAddress.of(ONE))).time(time).build();
        try (var client = start(ScriptedServer.script().answer("RCPT", "550 5.7.1 your IP is on a blocklist"), sources)) {
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.net>", 550);
            client.command("RSET", 250);
            assertThat(client.command("MAIL FROM:<a@example.com>", 451))
                    .contains("4.7.1 Source address 127.0.0.21 is refused by mx and rests until");
        }
        assertThat(monitor.level(new ThrottleKey("127.0.0.21", "mx"))).isEqualTo(ThrottleLevel.BLOCKED);
    }

    @Test
    void aRefusedMailCountsOnceHoweverManyRecipientsHearOfIt() throws Exception {
        var sources = SourceAddresses.from(SourcePool.of("one", SourceAddress.of(ONE))).time(time).build();
        try (var client = start(ScriptedServer.script().answer("MAIL", "450 4.7.1 rate limit exceeded"), sources)) {
            client.command("MAIL FROM:<a@example.com>", 250);
            for (int i = 0; i < 3; i++) {
                client.command("RCPT TO:<b@example.net>", 450);
            }
            client.command("RSET", 250);
        }
        var figures = monitor.figures(new ThrottleKey("127.0.0.21", "mx")).orElseThrow();
        assertThat(figures.signs().get(ThrottleSign.RATE_LIMITED)).isEqualTo(1);
        assertThat(figures.deferred()).isEqualTo(1);
    }

    /** Though its client is told a 451. */
    @Test
    void a421OfTheServersCountsAsOne() throws Exception {
        var sources = SourceAddresses.from(SourcePool.of("one", SourceAddress.of(ONE))).time(time).build();
        var script = ScriptedServer.script()
                .answerOnce("RCPT", "421-4.7.0 come back,\r\n421 4.7.0 and try again later, closing connection")
                .answerOnce(".", "421 4.7.0 try again later");
        try (var client = start(script, sources)) {
            client.command("MAIL FROM:<a@example.com>", 250);
            assertThat(client.command("RCPT TO:<b@example.net>", 451))
                    .contains("4.7.0 Server ended this transaction: 421 4.7.0 come");
            client.command("RSET", 250);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.net>", 250);
            client.command("DATA", 354);
            client.command("hello\r\n.", 451);
            client.command("QUIT", 221);
        }
        ended();
        ended();
        var figures = monitor.figures(new ThrottleKey("127.0.0.21", "mx")).orElseThrow();
        assertThat(figures.closing()).isEqualTo(2);
        assertThat(figures.signs()).containsOnlyKeys(ThrottleSign.RATE_LIMITED);
        assertThat(reputation.tenant("panel").deferred()).isEqualTo(2);
    }

    @Test
    void aServerThatCannotBeReachedOrDoesNotGreetIsCounted() throws Exception {
        var sources = SourceAddresses.from(SourcePool.of("one", SourceAddress.of(ONE))).time(time).build();
        try (var client = start(ScriptedServer.script(), sources)) {
            client.command("EHLO again.example.com", 250);
            server.close();
            assertThat(client.command("MAIL FROM:<a@example.com>", 451)).startsWith("451 4.4.1 Server ");
        }
        assertThat(monitor.figures(new ThrottleKey("127.0.0.21", "mx")).orElseThrow().unreachable()).isEqualTo(1);
    }

    @Test
    void aServerThatRefusesTheAddressInItsGreetingIsHeardOf() throws Exception {
        var sources = SourceAddresses.from(request -> Optional.of(request.transaction().isPresent()
                ? SourcePool.of("one", SourceAddress.of(ONE))
                : SourcePool.of("two", SourceAddress.of(TWO)))).time(time).build();
        try (var client = start(ScriptedServer.script(), sources)) {
            client.sendMessage("<a@example.com>", List.of("<b@example.net>"), "hello\r\n");
            client.command("QUIT", 221);
        }
        proxy.close();
        server.close();
        ended();
        try (var refusing = ScriptedServer.script().greeting("554 5.7.1 your IP is on a blocklist").start()) {
            // The session's own address learns what the server offers; only the transaction's is refused.
            var elsewhere = new RelayHandler() {
                @Override
                public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
                    return Verdict.rewrite(proposed.withServer(refusing.address()));
                }
            };
            server = ScriptedServer.script().start();
            proxy = SmtpProxy.builder().listen("127.0.0.1", 0).loops(1).binding(Binding.ON_MAIL).helloName("relay.example.com")
                    .intercept(Interception.fixed(server.address()))
                    .handler(elsewhere).handler(sources).handler(monitor).handler(reputation).build();
            proxy.start();
            var destination = Keys.text(refusing.address());
            try (var client = ScriptedClient.connect(proxy.addresses().get(0), InetAddress.getByName("127.0.0.1"), LIMIT)) {
                client.expect(220);
                client.command("EHLO a.example.com", 250);
                assertThat(client.command("MAIL FROM:<a@example.com>", 451)).contains("blocklist");
                assertThat(client.command("MAIL FROM:<a@example.com>", 451))
                        .contains("4.7.1 Source address 127.0.0.21 is refused by " + destination);
            }
            var figures = monitor.figures(new ThrottleKey("127.0.0.21", destination)).orElseThrow();
            assertThat(figures.level()).isEqualTo(ThrottleLevel.BLOCKED);
            assertThat(figures.refused()).isEqualTo(1);
            assertThat(reputation.tenant("127.0.0.1").recipients()).isZero();
        }
    }
    /** The recipient is told of it, and did nothing wrong. */
    @Test
    void aServerThatRefusesTheConnectionForARecipientSaysNothingOfThatRecipient() throws Exception {
        try (var refusing = ScriptedServer.script().greeting("554 5.7.1 your IP is on a blocklist").start()) {
            server = ScriptedServer.script().start();
            var elsewhere = new RelayHandler() {
                @Override
                public Verdict<Route> recipientRoute(Transaction transaction, Command command, Route proposed) {
                    return Verdict.rewrite(proposed.withServer(refusing.address()));
                }
            };
            proxy = SmtpProxy.builder().listen("127.0.0.1", 0).loops(1).binding(Binding.ON_MAIL).helloName("relay.example.com")
                    .intercept(Interception.fixed(server.address()))
                    .handler(elsewhere).handler(monitor).handler(reputation).build();
            proxy.start();
            try (var client = ScriptedClient.connect(proxy.addresses().get(0), InetAddress.getByName("127.0.0.1"), LIMIT)) {
                client.expect(220);
                client.command("EHLO a.example.com", 250);
                client.command("MAIL FROM:<a@example.com>", 250);
                assertThat(client.command("RCPT TO:<b@example.net>", 451)).contains("blocklist");
                client.command("RSET", 250);
            }
            var figures = monitor.figures(new ThrottleKey(ThrottleKey.SYSTEM, Keys.text(refusing.address()))).orElseThrow();
            assertThat(figures.refused()).isEqualTo(1);
            assertThat(figures.deferred()).isZero();
            assertThat(reputation.tenant("127.0.0.1").recipients()).isZero();
        }
    }
}
