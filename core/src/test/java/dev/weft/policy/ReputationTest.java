package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Path;
import dev.weft.smtp.Reply;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReputationTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Path ANN = Path.of("ann@example.com");

    private final ManualTime time = new ManualTime();
    private final Reputation reputation = Reputation.builder().time(time).halfLife(Duration.ofDays(1)).build();

    /** One session through a real proxy; a handler before the reputation refuses {@code limited@}. */
    private void relay(ScriptedServer server, List<String> sent) throws Exception {
        var closed = new CountDownLatch(1);
        try (var proxy = SmtpProxy.builder().listen("127.0.0.1", 0).loops(1).intercept(Interception.fixed(server.address()))
                .handler(new RelayHandler() {
                    @Override
                    public Verdict<Command> rcpt(Transaction transaction, Command command) {
                        return command.path().text().startsWith("limited@")
                                ? Verdict.reject(Reply.of(450, "4.7.1", "Not so fast"))
                                : Verdict.proceed();
                    }
                })
                .handler(reputation)
                .handler(new RelayHandler() {
                    @Override
                    public void sessionClosed(RelaySession session, SessionRecord record) {
                        closed.countDown();
                    }
                })
                .build()) {
            proxy.start();
            try (var client = ScriptedClient.connect(proxy.addresses().get(0), InetAddress.getByName("127.0.0.1"), LIMIT)) {
                client.expect(220);
                client.command("EHLO a.example.com", 250);
                for (var line : sent) {
                    var parts = line.split(" ", 2);
                    client.command(parts[1], Integer.parseInt(parts[0]));
                }
                client.command("QUIT", 221);
            }
            assertThat(closed.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void countsWhatTheServerSaidAndNothingElse() throws Exception {
        try (var server = ScriptedServer.script()
                .answer("RCPT TO:<gone@", "550 5.1.1 unknown")
                .answer("RCPT TO:<full@", "452 4.2.2 full")
                .start()) {
            relay(server, List.of("250 MAIL FROM:<Ann@Example.com>", "250 RCPT TO:<a@example.net>", "250 RCPT TO:<b@example.net>",
                    "550 RCPT TO:<gone@example.net>", "452 RCPT TO:<full@example.net>", "450 RCPT TO:<limited@example.net>",
                    "354 DATA", "250 hello\r\n.",
                    "250 MAIL FROM:<>", "550 RCPT TO:<gone@example.net>", "250 RSET"));
        }
        assertThat(reputation.tenant("127.0.0.1")).isEqualTo(new ReputationFigures(2, 1, Map.of(Refusal.ADDRESS, 2.0), 0));
        assertThat(reputation.sender(ANN)).isEqualTo(new ReputationFigures(2, 1, Map.of(Refusal.ADDRESS, 1.0), 0));
        assertThat(reputation.tenant("127.0.0.1").share(Refusal.ADDRESS)).isEqualTo(0.4);
        assertThat(reputation.senders()).containsOnlyKeys("ann@example.com");
    }

    @Test
    void whatFollowsWhenAllRecipientsWereRefusedDoesNotCountAgain() throws Exception {
        try (var server = ScriptedServer.script()
                .answer("RCPT TO:<gone@", "550 5.1.1 unknown")
                .answer("DATA", "554 5.5.1 no valid recipients")
                .start()) {
            relay(server, List.of("250 MAIL FROM:<ann@example.com>", "550 RCPT TO:<gone@example.net>", "554 DATA", "250 RSET",
                    "250 MAIL FROM:<ann@example.com>", "450 RCPT TO:<limited@example.net>", "554 DATA", "250 RSET"));
        }
        assertThat(reputation.sender(ANN)).isEqualTo(new ReputationFigures(0, 0, Map.of(Refusal.ADDRESS, 1.0), 0));
    }

    @Test
    void aRefusedMessageCountsForEachOfItsRecipients() throws Exception {
        try (var server = ScriptedServer.script()
                .answer("MAIL FROM:<spammer@", "554 5.7.1 no")
                .answer(".", "550 5.7.1 spam")
                .start()) {
            relay(server, List.of("250 MAIL FROM:<ann@example.com>", "250 RCPT TO:<a@example.net>", "250 RCPT TO:<b@example.net>",
                    "354 DATA", "550 hello\r\n.", "554 MAIL FROM:<spammer@example.com>"));
        }
        assertThat(reputation.sender(ANN).refused()).isEqualTo(Map.of(Refusal.POLICY, 2.0));
        assertThat(reputation.tenant("127.0.0.1").refused()).isEqualTo(Map.of(Refusal.POLICY, 3.0));
    }

    @Test
    void halfIsForgottenInAHalfLife() {
        for (int i = 0; i < 8; i++) {
            reputation.spam("t", ANN);
        }
        time.passDays(1);
        assertThat(reputation.tenant("t").spam()).isEqualTo(4, within(1e-9));
        assertThat(reputation.tenant("t").spamShare()).isEqualTo(1);
        reputation.spam("t", ANN);
        time.passDays(2);
        assertThat(reputation.sender(ANN).spam()).isEqualTo(1.25, within(1e-9));
        time.passDays(-5);
        assertThat(reputation.sender(ANN).spam()).isEqualTo(1.25, within(1e-9));
        time.passDays(1);
        assertThat(reputation.sender(ANN).spam()).as("a clock set back stops no decay").isEqualTo(0.625, within(1e-9));
        assertThat(reputation.tenant("nobody")).isEqualTo(new ReputationFigures(0, 0, Map.of(), 0));
        assertThat(reputation.tenant("nobody").share(Refusal.values()) + reputation.tenant("nobody").spamShare()).isZero();
    }

    @Test
    void outlivesARestart(@TempDir java.nio.file.Path directory) throws IOException {
        var file = directory.resolve("state");
        reputation.spam("tenant 7", ANN);
        reputation.spam("tenant 7", new Path.Null());
        StateFile.of(file, reputation).save();
        time.passDays(1);
        var again = Reputation.builder().time(time).halfLife(Duration.ofDays(1)).build();
        assertThat(StateFile.of(file, again).load()).isEqualTo(new StateFile.Loaded(2, 0, 0, true));
        assertThat(again.tenant("tenant 7").spam()).isEqualTo(1, within(1e-3));
        assertThat(again.sender(ANN).spam()).isEqualTo(0.5, within(1e-3));
        time.passDays(30);
        assertThat(StateFile.of(file, again).save()).as("long forgotten").isZero();
        Files.writeString(file, "weft-state 1\nreputation tenant x 1 1 1\nreputation other x 1 0 0 0 0 0 0 0 0 0\n"
                + "reputation tenant x 1 NaN 0 0 0 0 0 0 0 0\nreputation tenant x 1 -1 0 0 0 0 0 0 0 0\nend 4\n");
        assertThat(StateFile.of(file, again).load()).isEqualTo(new StateFile.Loaded(0, 4, 0, true));
    }

    @ParameterizedTest
    @CsvSource({"550 5.1.1 x, ADDRESS", "552 5.2.2 x, MAILBOX", "554 5.4.6 x, SYSTEM", "554 5.6.0 x, CONTENT",
        "550 5.7.26 x, POLICY", "550 5.0.0 x, OTHER", "550 no such user, OTHER"})
    void refusalsAreClassedByTheirSubject(String reply, Refusal expected) {
        assertThat(Refusal.of(TestSession.reply(reply))).isEqualTo(expected);
    }

    @Test
    void aWrongSettingIsNamed() {
        assertThatThrownBy(() -> Reputation.builder().halfLife(Duration.ZERO)).hasMessageContaining("PT0S");
        assertThatThrownBy(() -> Reputation.builder().halfLife(Duration.ofSeconds(Long.MAX_VALUE)))
                .hasMessageContaining("1 s to 3650 d");
        assertThatThrownBy(() -> Reputation.builder().most(0).build()).hasMessageContaining("1 or more");
    }
}
