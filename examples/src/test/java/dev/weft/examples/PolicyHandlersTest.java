package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weft.SmtpProxy;
import dev.weft.SmtpProxyBuilder;
import dev.weft.intercept.Interception;
import dev.weft.policy.Rate;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Tenant;
import dev.weft.relay.Verdict;
import dev.weft.testkit.Script;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of ready-made parts, with a real proxy on loopback. */
class PolicyHandlersTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    private Path directory;

    private ScriptedServer server;
    private SmtpProxy proxy;
    private final BlockingQueue<SessionRecord> closed = new LinkedBlockingQueue<>();

    private void start(Script script, UnaryOperator<SmtpProxyBuilder> handlers) throws IOException {
        server = script.start();
        proxy = handlers.apply(SmtpProxy.builder()).listen("127.0.0.1", 0)
                .loops(1).intercept(Interception.fixed(server.address()))
                .handler(new RelayHandler() {
                    @Override
                    public void sessionClosed(RelaySession session, SessionRecord record) {
                        closed.add(record);
                    }
                })
                .build();
        proxy.start();
    }

    @AfterEach
    void stop() {
        if (proxy != null) {
            proxy.close();
            server.close();
        }
    }

    private ScriptedClient client(String from) throws IOException {
        var client = ScriptedClient.connect(proxy.addresses().get(0), InetAddress.getByName(from), LIMIT);
        client.expect(220);
        client.command("EHLO a.example.com", 250);
        return client;
    }

    private String sourceOfTheLast() throws InterruptedException {
        return closed.poll(LIMIT.toSeconds(), TimeUnit.SECONDS).source().orElseThrow().getHostString();
    }

    /** One message, and where it left from. */
    private String message(String from) throws IOException, InterruptedException {
        try (var client = client(from)) {
            client.sendMessage("<a@example.com>", List.of("<b@example.net>"), "hello\r\n");
            client.command("QUIT", 221);
        }
        return sourceOfTheLast();
    }

    @Test
    void eachTenantLeavesFromItsOwnAddressUnderItsName() throws Exception {
        start(ScriptedServer.script(), new SourceByTenant("127.0.0.2=127.0.0.22/out2.example.com,127.0.0.3=127.0.0.33")::addTo);
        assertThat(message("127.0.0.2")).isEqualTo("127.0.0.22");
        assertThat(message("127.0.0.3")).isEqualTo("127.0.0.33");
        assertThat(message("127.0.0.4")).isEqualTo("127.0.0.1");
        assertThat(server.awaitMessages(3).get(0).hello()).contains("out2.example.com");
        assertThatThrownBy(() -> new SourceByTenant("127.0.0.2")).hasMessageContaining("network=address");
    }

    @Test
    void aRefusedAddressIsReplacedByAnotherOfTheTenants() throws Exception {
        start(ScriptedServer.script().answerOnce("RCPT", "550 5.7.1 your IP is on a blocklist"),
                new SourceByTenant("127.0.0.0/8=127.0.0.21+127.0.0.22")::addTo);
        String first;
        try (var client = client("127.0.0.2")) {
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.net>", 550);
            client.command("QUIT", 221);
            first = sourceOfTheLast();
        }
        var second = message("127.0.0.2");
        assertThat(second).isIn("127.0.0.21", "127.0.0.22").isNotEqualTo(first);
        assertThat(message("127.0.0.2")).isEqualTo(second);
    }

    @Test
    void whoseMailIsRefusedLeavesFromElsewhere() throws Exception {
        start(ScriptedServer.script().answer("RCPT TO:<gone", "550 5.1.1 no such user"),
                new SourceByReputation(InetAddress.getByName("127.0.0.21"), InetAddress.getByName("127.0.0.29"))::addTo);
        assertThat(message("127.0.0.2")).isEqualTo("127.0.0.21");
        try (var client = client("127.0.0.2")) {
            client.command("MAIL FROM:<a@example.com>", 250);
            for (int i = 0; i < 25; i++) {
                client.command("RCPT TO:<gone" + i + "@example.net>", 550);
            }
            client.command("QUIT", 221);
        }
        assertThat(sourceOfTheLast()).isEqualTo("127.0.0.21");
        assertThat(message("127.0.0.2")).isEqualTo("127.0.0.29");
        assertThat(message("127.0.0.3")).as("another tenant").isEqualTo("127.0.0.21");
    }

    @Test
    void aNewAddressSendsItsFirstFiftyAndRemembersThem() throws Exception {
        assumeTrue(LocalTime.now(ZoneOffset.UTC).isBefore(LocalTime.of(23, 59)), "the day of the warm-up ends within a minute");
        var old = InetAddress.getByName("127.0.0.21");
        var young = InetAddress.getByName("127.0.0.22");
        var file = directory.resolve("state");
        try (var warmUp = new WarmUpAddress(old, young, file)) {
            start(ScriptedServer.script(), warmUp::addTo);
            for (int i = 0; i < 30; i++) {
                assertThat(message("127.0.0.2")).isEqualTo("127.0.0.22");
            }
        }
        assertThat(file).content().contains("source-addresses warm-up 127.0.0.22 1 ", " 30 50\n");
        stop();
        try (var warmUp = new WarmUpAddress(old, young, file)) {
            start(ScriptedServer.script(), warmUp::addTo);
            for (int i = 0; i < 22; i++) {
                assertThat(message("127.0.0.2")).isEqualTo(i < 20 ? "127.0.0.22" : "127.0.0.21");
            }
        }
    }

    @Test
    void anAccountThatSendsTooMuchIsToldToTryLater() throws Exception {
        start(ScriptedServer.script(), builder -> builder.handler(new RateLimitPerAccount(Rate.parse("2/h"))));
        try (var client = client("127.0.0.2")) {
            for (int i = 0; i < 2; i++) {
                client.command("MAIL FROM:<hacked@example.com>", 250);
                client.command("RSET", 250);
            }
            assertThat(client.command("MAIL FROM:<hacked@example.com>", 450))
                    .contains("450 4.7.1 Your limit of 2 messages in 1 h");
            for (int i = 0; i < 18; i++) {
                client.command("MAIL FROM:<made-up-" + i + "@example.com>", 250);
                client.command("RSET", 250);
            }
            assertThat(client.command("MAIL FROM:<made-up-18@example.com>", 450)).contains("20 messages");
        }
        try (var client = client("127.0.0.3")) {
            client.command("MAIL FROM:<made-up-19@example.com>", 250);
        }
    }

    /** Its burst, too; and what no rate can say is cut. */
    @Test
    void aClientMaySendTenTimesAsMuchWhateverTheRateIs() throws Exception {
        assertThatNoException().isThrownBy(() -> new RateLimitPerAccount(Rate.parse("999999999/h")));
        assertThatNoException().isThrownBy(() -> new RateLimitPerAccount(Rate.parse("999999999/s")));
        start(ScriptedServer.script(), builder -> builder.handler(new RateLimitPerAccount(Rate.parse("100/h").withBurst(1))));
        try (var client = client("127.0.0.2")) {
            for (int i = 0; i < 10; i++) {
                client.command("MAIL FROM:<made-up-" + i + "@example.com>", 250);
                client.command("RSET", 250);
            }
            assertThat(client.command("MAIL FROM:<made-up-10@example.com>", 450)).contains("1000 messages");
        }
    }

    @Test
    void whatOneClientOfATenantDidCountsForTheOthers() throws Exception {
        var panel = new RelayHandler() {
            @Override
            public Verdict<Route> connect(RelaySession session, Route proposed) {
                return Verdict.rewrite(proposed.withTenant(Tenant.of("one")));
            }
        };
        var example = new SourceByReputation(InetAddress.getByName("127.0.0.21"), InetAddress.getByName("127.0.0.29"));
        start(ScriptedServer.script().answer("RCPT TO:<gone", "550 5.1.1 no such user"),
                builder -> example.addTo(builder.handler(panel)));
        try (var client = client("127.0.0.2")) {
            client.command("MAIL FROM:<a@example.com>", 250);
            for (int i = 0; i < 25; i++) {
                client.command("RCPT TO:<gone" + i + "@example.net>", 550);
            }
            client.command("QUIT", 221);
        }
        assertThat(sourceOfTheLast()).isEqualTo("127.0.0.21");
        assertThat(message("127.0.0.3")).isEqualTo("127.0.0.29");
    }

    @Test
    void theLogNamesTheUserWhoSent() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/net/tcp")), "no /proc/net/tcp: this is not Linux");
        var messages = new CopyOnWriteArrayList<String>();
        var target = Logger.getLogger(LocalAccountLog.class.getName());
        var collector = new Handler() {
            @Override
            public void publish(LogRecord log) {
                messages.add(log.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        target.addHandler(collector);
        target.setUseParentHandlers(false);
        try {
            start(ScriptedServer.script(), builder -> builder.handler(new LocalAccountLog()));
            message("127.0.0.2");
        } finally {
            target.removeHandler(collector);
            target.setUseParentHandlers(true);
        }
        assertThat(messages).singleElement().asString()
                .contains("user " + Files.getAttribute(Path.of("/proc/self"), "unix:uid")
                        + " sent <a@example.com> to 1 recipients: ACCEPTED");
    }
}
