package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.policy.LegLimit;
import dev.weft.policy.ThrottleSigns;
import dev.weft.relay.Binding;
import dev.weft.relay.Notice;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Stage;
import dev.weft.relay.TlsPolicy;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.session.PoolSettings;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What notices say besides their words. */
class NoticeFactsTest {

    private static final InetAddress SOURCE = new InetSocketAddress("127.0.0.21", 1).getAddress();

    private final BlockingQueue<Notice> notices = new LinkedBlockingQueue<>();

    /** Sends each transaction where it is told to. */
    private RelayHandler to(UnaryOperator<Route> route) {
        return new RelayHandler() {
            @Override
            public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
                return Verdict.rewrite(route.apply(proposed));
            }

            @Override
            public void notice(RelaySession session, Notice notice) {
                notices.add(notice);
            }
        };
    }

    private Notice next() throws InterruptedException {
        var notice = notices.poll(20, TimeUnit.SECONDS);
        assertThat(notice).as("a notice").isNotNull();
        return notice;
    }

    /** What a transaction gets that goes there, and the notice. */
    private Notice refused(InetSocketAddress server, UnaryOperator<Route> route, String reply) throws Exception {
        var settings = PoolSettings.DEFAULT.withPatience(Duration.ofSeconds(2));
        var leases = new LegPool.Config(Binding.ON_MAIL, settings, all -> LegLimit.fixed(1), ThrottleSigns.defaults(), false);
        try (var known = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(known.address())).leases(leases).tls(TlsParts.of("jdk").config())
                        .handlers(to(proposed -> route.apply(proposed.withServer(server)))).start();
                var client = rig.client()) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            assertThat(client.command("MAIL FROM:<a@example.com>", 451)).startsWith(reply);
            client.command("QUIT", 221);
            var notice = next();
            assertThat(notice.kind()).isEqualTo(Notice.Kind.LEASE_REFUSED);
            assertThat(notice.server()).contains(server);
            return notice;
        }
    }

    @Test
    void aServerThatCannotBeReached() throws Exception {
        InetSocketAddress nobody;
        try (var server = ScriptedServer.start()) {
            nobody = server.address();
        }
        var notice = refused(nobody, route -> route.withSource(SOURCE), "451 4.4.1 ");
        assertThat(notice.stage()).contains(Stage.CONNECT);
        assertThat(notice.source()).contains(SOURCE);
        assertThat(notice.reply()).isEmpty();
        assertThat(refused(nobody, route -> route, "451 4.4.1 ").source()).as("the system's to choose").isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "554-5.7.1 your IP is#554 5.7.1 on a blocklist | 250 ok | GREETING",
        "421 4.3.2 not now | 250 ok | GREETING",
        "220 mx.example | 550-5.7.1 go#550 5.7.1 away | EHLO",
    })
    void theServersReplyAsItWas(String greeting, String hello, Stage stage) throws Exception {
        try (var server = ScriptedServer.script().greeting(greeting.replace("#", "\r\n"))
                .answer("EHLO", hello.replace("#", "\r\n")).start()) {
            var notice = refused(server.address(), route -> route, "451 4.");
            assertThat(notice.stage()).contains(stage);
            var said = stage == Stage.EHLO ? hello : greeting;
            assertThat(new String(notice.reply().orElseThrow().bytes(), StandardCharsets.US_ASCII))
                    .isEqualTo(said.replace("#", "\r\n") + "\r\n");
        }
    }

    @Test
    void aTlsPolicyThatCannotBeMet() throws Exception {
        try (var server = ScriptedServer.start()) {
            var notice = refused(server.address(), route -> route.withTls(TlsPolicy.encrypt()), "451 4.7.5 ");
            assertThat(notice.stage()).contains(Stage.STARTTLS);
            assertThat(notice.reply()).isEmpty();
        }
    }

    @Test
    void noTurnSinceTheServerRefusesForTheNumber() throws Exception {
        try (var server = ScriptedServer.script().greeting(CountingServer.TOO_MANY).start()) {
            var notice = refused(server.address(), route -> route, "451 4.3.2 No turn");
            assertThat(notice.stage()).contains(Stage.LEASE);
            assertThat(notice.reply().orElseThrow().toString()).isEqualTo(CountingServer.TOO_MANY);
        }
    }

    @Test
    void aFaultOfThisSideSaysNothingOfTheServer() throws Exception {
        var leases = new LegPool.Config(Binding.ON_MAIL, PoolSettings.DEFAULT, destination -> {
            throw new IllegalStateException("the host's fault");
        }, ThrottleSigns.defaults(), false);
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).leases(leases).handlers(to(route -> route)).start();
                var client = rig.client()) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            client.command("MAIL FROM:<a@example.com>", 451);
            var notice = next();
            assertThat(notice.kind()).isEqualTo(Notice.Kind.LEASE_REFUSED);
            assertThat(notice.stage()).isEmpty();
            assertThat(notice.reply()).isEmpty();
        }
    }

    @Test
    void whatTheServerSaysAndWhatTheClientDoes() throws Exception {
        try (var server = ScriptedServer.script().answer("EHLO", "250-mx\n250 ok").start();
                var rig = Rig.to(server.address(), to(route -> route));
                var client = ScriptedClient.connect(rig.address)) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            var notice = next();
            assertThat(notice.kind()).isEqualTo(Notice.Kind.BARE_LF_REPLY);
            assertThat(notice.server()).contains(server.address());
            assertThat(notice.source()).contains(InetAddress.getLoopbackAddress());
            assertThat(notice.reply().orElseThrow().lines()).containsExactly("mx", "ok");
            client.send("NOOP\rNOOP\r\n");
            client.expect(500);
            assertThat(next()).isEqualTo(new Notice(Notice.Kind.BAD_LINE, "bare CR or LF"));
        }
    }
}
