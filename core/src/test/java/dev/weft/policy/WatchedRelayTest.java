package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.policy.ThrottleFigures.Step;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.testkit.Script;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the monitor makes of a real proxy's sessions: only what the server said counts. */
class WatchedRelayTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Its time stands still, so that no figure fades however long a test takes. */
    private final ThrottleMonitor monitor = ThrottleMonitor.builder().destination(route -> "mx").time(new ManualTime()).build();
    private InetAddress source = TestSession.ip("127.0.0.1");

    /** Each line is sent, with its escapes for CRLF, and each code awaited. */
    private ThrottleFigures relay(InetSocketAddress server, int greeting, String sent, int... codes) throws Exception {
        var closed = new CountDownLatch(1);
        try (var proxy = SmtpProxy.builder().listen("127.0.0.1", 0).loops(1).intercept(Interception.fixed(server))
                .handler(new RelayHandler() {
                    @Override
                    public Verdict<Route> connect(RelaySession session, Route proposed) {
                        return Verdict.rewrite(proposed.withSource(source));
                    }

                    @Override
                    public Verdict<Command> mail(Transaction transaction, Command command) {
                        return refusedHere(command);
                    }

                    @Override
                    public Verdict<Command> rcpt(Transaction transaction, Command command) {
                        return refusedHere(command);
                    }

                    private static Verdict<Command> refusedHere(Command command) {
                        return command.path().text().startsWith("limited@")
                                ? Verdict.reject(Reply.of(450, "4.7.1", "Your rate limit is exceeded"))
                                : Verdict.proceed();
                    }
                })
                .handler(monitor)
                .handler(new RelayHandler() {
                    @Override
                    public void sessionClosed(RelaySession session, SessionRecord record) {
                        closed.countDown();
                    }
                })
                .build()) {
            proxy.start();
            try (var client = ScriptedClient.connect(proxy.addresses().get(0), InetAddress.getByName("127.0.0.1"), LIMIT)) {
                client.expect(greeting);
                if (!sent.isEmpty()) {
                    client.send(sent.replace("|", "\r\n"));
                }
                for (int code : codes) {
                    client.expect(code);
                }
            }
            assertThat(closed.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        return monitor.figures(new ThrottleKey(source.getHostAddress(), "mx")).orElseThrow();
    }

    private ThrottleFigures relay(Script script, int greeting, String sent, int... codes) throws Exception {
        try (var server = script.start()) {
            return relay(server.address(), greeting, sent, codes);
        }
    }

    @Test
    void anAcceptedMessageIsTimedInAllItsSteps() throws Exception {
        var figures = relay(ScriptedServer.script(), 220,
                "EHLO a.example.com|MAIL FROM:<a@example.com>|RCPT TO:<b@example.net>|RCPT TO:<limited@example.net>|DATA|",
                250, 250, 250, 450, 354);
        assertThat(figures.accepted()).as("abandoned in the message").isZero();
        figures = relay(ScriptedServer.script(), 220,
                "EHLO a.example.com|MAIL FROM:<a@example.com>|RCPT TO:<b@example.net>|RCPT TO:<limited@example.net>|DATA|"
                + "x|.|QUIT|",
                250, 250, 250, 450, 354, 250, 221);
        assertThat(figures.accepted()).isEqualTo(1);
        assertThat(figures.deferred()).as("the limit was ours").isZero();
        assertThat(figures.times()).containsOnlyKeys(Step.values());
        assertThat(figures.times().get(Step.END_OF_DATA).recent()).isPositive();
    }

    @Test
    void mailRefusedHereIsNotTheServers() throws Exception {
        var figures = relay(ScriptedServer.script(), 220, "EHLO a.example.com|MAIL FROM:<limited@example.com>|QUIT|",
                250, 450, 221);
        assertThat(figures.deferred() + figures.refused()).isZero();
    }

    @Test
    void pipelinedMailThatTheServerRefusesCountsOnce() throws Exception {
        var figures = relay(ScriptedServer.script().answer("MAIL", "450 4.7.1 too many messages, slow down"), 220,
                "EHLO a.example.com|MAIL FROM:<a@example.com>|RCPT TO:<b@example.net>|DATA|QUIT|", 250, 450, 503, 503, 221);
        assertThat(figures.deferred()).isEqualTo(1);
        assertThat(figures.refused()).isZero();
        assertThat(figures.signs()).containsOnlyKeys(ThrottleSign.RATE_LIMITED);
    }

    @Test
    void everyRefusedRecipientCounts() throws Exception {
        var figures = relay(ScriptedServer.script().answer("RCPT", "550 5.7.1 your IP is on a blocklist"), 220,
                "EHLO a.example.com|MAIL FROM:<a@example.com>|RCPT TO:<b@example.net>|RCPT TO:<c@example.net>|QUIT|",
                250, 250, 550, 550, 221);
        assertThat(figures.refused()).isEqualTo(2);
        assertThat(figures.level()).isEqualTo(ThrottleLevel.BLOCKED);
    }

    @Test
    void aRefusingGreetingAndA421ToAnyCommandCount() throws Exception {
        var figures = relay(ScriptedServer.script().greeting("421 4.7.0 too many connections"), 421, "");
        assertThat(figures.signs()).containsOnlyKeys(ThrottleSign.TOO_MANY_CONNECTIONS);
        assertThat(figures.closing()).isEqualTo(1);
        source = TestSession.ip("127.0.0.2");
        figures = relay(ScriptedServer.script().answer("EHLO", "421 4.7.0 too many connections"), 220,
                "EHLO a.example.com|", 421);
        assertThat(figures.closing()).isEqualTo(1);
        source = TestSession.ip("127.0.0.3");
        figures = relay(ScriptedServer.script().answer("MAIL", "421 4.7.0 too many connections"), 220,
                "EHLO a.example.com|MAIL FROM:<a@example.com>|", 250, 421);
        assertThat(figures.closing()).as("not twice").isEqualTo(1);
    }

    @Test
    void aServerThatIsNotThereIsUnreachable() throws Exception {
        InetSocketAddress nobody;
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = (InetSocketAddress) listener.getLocalSocketAddress();
        }
        var figures = relay(nobody, 421, "");
        assertThat(figures.unreachable()).isEqualTo(1);
        assertThat(figures.closing()).as("the 421 was ours").isZero();
    }
}
