package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.policy.ThrottleFigures.Step;
import dev.weft.relay.Notice;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Stage;
import dev.weft.relay.TransactionRecord.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ThrottleMonitorTest {

    private static final ThrottleKey KEY = new ThrottleKey("198.51.100.1", "203.0.113.25:25");

    private final ManualTime time = new ManualTime();
    private final List<String> told = new ArrayList<>();
    private final ThrottleMonitor monitor = ThrottleMonitor.builder().time(time)
            .listener((before, now) -> told.add(before + " -> " + now.level() + ": " + now.evidence()))
            .build();
    private final TestSession session = new TestSession("192.0.2.1", "203.0.113.25");

    ThrottleMonitorTest() {
        session.route = session.route.withSource(TestSession.ip("198.51.100.1"));
    }

    private void message(long greeting, long envelope, long end) {
        var transaction = session.mail("a@example.com").rcpt("b@example.net", "250 2.1.5 Ok")
                .took(Stage.MAIL, envelope / 2).took(Stage.RCPT, 0).took(Stage.DATA, envelope / 2).took(Stage.END_OF_DATA, end);
        monitor.transactionEnded(session, transaction.ended(Outcome.ACCEPTED, "250 2.0.0 Ok"));
        var stages = Map.of(Stage.GREETING, Duration.ofMillis(greeting));
        monitor.sessionClosed(session, session.closed(SessionRecord.End.QUIT, "", stages));
    }

    private void refusedMessage(String reply) {
        var transaction = session.mail("a@example.com").rcpt("b@example.net", "250 2.1.5 Ok")
                .took(Stage.MAIL, 10).took(Stage.RCPT, 10).took(Stage.DATA, 10).took(Stage.END_OF_DATA, 10);
        transaction.bytes = 100;
        monitor.transactionEnded(session, transaction.ended(reply.startsWith("4") ? Outcome.DEFERRED : Outcome.REFUSED, reply));
    }

    private ThrottleFigures figures() {
        return monitor.figures(KEY).orElseThrow();
    }

    @Test
    void timesEachStep() {
        for (int i = 0; i < 10; i++) {
            message(100, 60, 200);
        }
        assertThat(figures().times()).containsOnlyKeys(Step.values());
        assertThat(figures().times().get(Step.GREETING).recent()).isEqualTo(Duration.ofMillis(100));
        assertThat(figures().times().get(Step.ENVELOPE).usual()).isEqualTo(Duration.ofMillis(60));
        assertThat(figures().times().get(Step.END_OF_DATA))
                .isEqualTo(new ThrottleFigures.Times(Duration.ofMillis(200), Duration.ofMillis(200), 10));
        assertThat(figures().accepted()).isEqualTo(10);
        assertThat(monitor.level(KEY)).isEqualTo(ThrottleLevel.CLEAR);
        assertThat(monitor.key(session, session.route)).isEqualTo(KEY);
        assertThat(monitor.all()).containsExactly(figures());
    }

    @Test
    void aTarpitIsSeenAndItsEndToo() {
        for (int i = 0; i < 100; i++) {
            message(100, 60, 200);
            time.pass(Duration.ofMinutes(5));
        }
        message(100, 60, 5000);
        assertThat(told).as("one slow answer is no trend").isEmpty();
        for (int i = 0; i < 5; i++) {
            message(100, 60, 5000);
        }
        assertThat(told).hasSize(1);
        assertThat(told.get(0)).matches("CLEAR -> SLOWING: END_OF_DATA takes \\d{4} ms lately, \\d{3} ms usually");
        assertThat(figures().evidence()).contains("END_OF_DATA");
        time.pass(Duration.ofHours(1));
        for (int i = 0; i < 5; i++) {
            message(100, 60, 200);
        }
        assertThat(told).last().isEqualTo("SLOWING -> CLEAR: ");
    }

    @Test
    void slowerInMillisecondsIsNoSign() {
        for (int i = 0; i < 100; i++) {
            message(1, 2, 3);
            time.pass(Duration.ofMinutes(5));
        }
        for (int i = 0; i < 20; i++) {
            message(100, 200, 300);
        }
        assertThat(told).isEmpty();
    }

    @Test
    void refusalsOfOurPaceMakeItThrottledUntilTheyFade() {
        message(10, 10, 10);
        monitor.greeting(session, TestSession.reply("421 4.7.0 Too many connections from your IP"));
        assertThat(monitor.level(KEY)).as("one is none").isEqualTo(ThrottleLevel.CLEAR);
        monitor.greeting(session, TestSession.reply("421 4.7.0 Too many connections from your IP"));
        assertThat(told).containsExactly(
                "CLEAR -> THROTTLED: 2 of 3 replies lately speak of our pace: 421 4.7.0 Too many connections from your IP");
        assertThat(figures().closing()).isEqualTo(2);
        assertThat(figures().signs()).isEqualTo(Map.of(ThrottleSign.TOO_MANY_CONNECTIONS, 2.0));
        time.pass(Duration.ofMinutes(5));
        assertThat(monitor.level(KEY)).isEqualTo(ThrottleLevel.CLEAR);
        message(10, 10, 10);
        assertThat(told).last().isEqualTo("THROTTLED -> CLEAR: ");
    }

    @Test
    void aFewRefusalsOfPaceAmongManyMessagesAreNone() {
        for (int i = 0; i < 60; i++) {
            message(10, 10, 10);
        }
        for (int i = 0; i < 4; i++) {
            refusedMessage("450 4.7.1 rate limit exceeded");
        }
        assertThat(told).isEmpty();
        for (int i = 0; i < 4; i++) {
            refusedMessage("450 4.7.1 rate limit exceeded");
        }
        assertThat(told).hasSize(1).first().asString().contains("THROTTLED", "7 of 67 replies", "rate limit");
    }

    @Test
    void aRefusedAddressIsBlockedUntilSomethingIsAcceptedOrAnHourPassed() {
        refusedMessage("550 5.7.1 Service refused, client 198.51.100.1 blocked using Spamhaus");
        assertThat(told).hasSize(1).first().asString().contains("CLEAR -> BLOCKED", "550 5.7.1", "Spamhaus");
        time.pass(Duration.ofMinutes(1));
        assertThat(figures().evidence()).startsWith("nothing accepted since 60 s ago: 550 5.7.1 Service");
        message(10, 10, 10);
        assertThat(monitor.level(KEY)).isEqualTo(ThrottleLevel.CLEAR);
        time.pass(Duration.ofMinutes(1));
        refusedMessage("550 5.7.1 Service refused, client 198.51.100.1 blocked using Spamhaus");
        time.pass(Duration.ofMinutes(59));
        assertThat(monitor.level(KEY)).isEqualTo(ThrottleLevel.BLOCKED);
        time.pass(Duration.ofMinutes(1));
        assertThat(monitor.level(KEY)).isEqualTo(ThrottleLevel.CLEAR);
    }

    @Test
    void aClockSetBackKeepsNoVerdictAlive() {
        time.passDays(1000);
        refusedMessage("550 5.7.1 Service refused, client 198.51.100.1 blocked using Spamhaus");
        time.pass(Duration.ofMinutes(-5));
        assertThat(figures().evidence()).as("a small step").startsWith("nothing accepted since 0 s ago: 550 5.7.1");
        time.passDays(-1000);
        assertThat(monitor.level(KEY)).isEqualTo(ThrottleLevel.CLEAR);
        refusedMessage("550 5.7.1 Service refused, client 198.51.100.1 blocked using Spamhaus");
        time.pass(Duration.ofMinutes(-5));
        message(10, 10, 10);
        assertThat(monitor.level(KEY)).as("accepted after it, whatever the clock says").isEqualTo(ThrottleLevel.CLEAR);

        time.passDays(2000);
        for (int i = 0; i < 2; i++) {
            monitor.greeting(session, TestSession.reply("421 4.7.0 Too many connections from your IP"));
        }
        time.passDays(-2000);
        assertThat(monitor.level(KEY)).isEqualTo(ThrottleLevel.THROTTLED);
        time.pass(Duration.ofMinutes(5));
        assertThat(monitor.level(KEY)).isEqualTo(ThrottleLevel.CLEAR);
    }

    @Test
    void aHundredLinesOfReplyAreShownShort() {
        refusedMessage("550-5.7.1 blocked using spamhaus |".repeat(100) + "550 5.7.1 \u0007end");
        assertThat(figures().evidence()).hasSizeLessThan(250).endsWith("...");
    }

    @Test
    void addressesAndDestinationsAreCountedApart() {
        refusedMessage("550 5.7.1 your IP is on a blocklist");
        session.route = session.route.withSource(TestSession.ip("198.51.100.2"));
        message(10, 10, 10);
        session.route = session.route.withClientAddress();
        message(10, 10, 10);
        assertThat(monitor.all()).extracting(figures -> figures.key().source() + " " + figures.level()).containsExactlyInAnyOrder(
                "198.51.100.1 BLOCKED", "198.51.100.2 CLEAR", "192.0.2.1 CLEAR");
        var grouped = ThrottleMonitor.builder().destination(route -> "a provider").build();
        assertThat(grouped.key(new TestSession("192.0.2.1", "203.0.113.9"), new TestSession("192.0.2.1", "203.0.113.9").route))
                .isEqualTo(new ThrottleKey(ThrottleKey.SYSTEM, "a provider"));
    }

    private Notice refusedLease(String detail, String reply, Stage stage) {
        return new Notice(Notice.Kind.LEASE_REFUSED, detail, Optional.of(session.route.server()), session.route.source(),
                Optional.ofNullable(reply).map(TestSession::reply), Optional.ofNullable(stage));
    }

    @Test
    void refusedLeasesCountByTheirFactsAndNotByTheirWords() {
        message(10, 10, 10);
        monitor.notice(session, refusedLease("Server can't be reached: refused", null, Stage.CONNECT));
        monitor.notice(session, refusedLease("whatever", null, Stage.GREETING));
        assertThat(figures().unreachable()).isEqualTo(2);
        monitor.notice(session, refusedLease("greeting: 554 5.7.1 blocked using spamhaus", null, null));
        monitor.notice(session, refusedLease("Server can't be reached: a fault of this side", null, null));
        monitor.notice(session, refusedLease("no turn within 30 s", null, Stage.LEASE));
        monitor.notice(session, refusedLease("TLS: failed", null, Stage.STARTTLS));
        assertThat(figures().unreachable()).isEqualTo(2);
        assertThat(figures().refused() + figures().deferred()).isZero();
        time.pass(Duration.ofMinutes(1));
        var blocked = "554-5.7.1 mx|554 5.7.1 client 198.51.100.1 blocked using Spamhaus";
        monitor.notice(session, refusedLease("in other words", blocked, Stage.GREETING));
        assertThat(figures().refused()).isEqualTo(1);
        assertThat(monitor.level(KEY)).isEqualTo(ThrottleLevel.BLOCKED);
    }

    @Test
    void aServerThatLetsNobodyInIsHeardOfWhenNoTurnComes() {
        message(10, 10, 10);
        for (int i = 0; i < 3; i++) {
            var last = "421 4.7.0 Too many connections from your IP";
            monitor.notice(session, refusedLease("no turn within 30 s: ...", last, Stage.LEASE));
        }
        assertThat(monitor.level(KEY)).isEqualTo(ThrottleLevel.THROTTLED);
        assertThat(figures().signs().get(ThrottleSign.TOO_MANY_CONNECTIONS)).isEqualTo(3);
    }

    @Test
    void wrongSettingsAreNamed() {
        assertThatThrownBy(() -> ThrottleMonitor.builder().halfLives(Duration.ofHours(1), Duration.ofHours(1)))
                .hasMessageContaining("PT1H");
        assertThatThrownBy(() -> ThrottleMonitor.builder().slowing(1, Duration.ZERO)).hasMessageContaining("above 1");
        assertThatThrownBy(() -> ThrottleMonitor.builder().blockedFor(Duration.ZERO)).hasMessageContaining("PT0S");
        var endless = Duration.ofSeconds(Long.MAX_VALUE); // which no long holds in milliseconds
        assertThatThrownBy(() -> ThrottleMonitor.builder().halfLives(Duration.ofMinutes(1), endless))
                .hasMessageContaining("half-life " + endless + ": give 1 s to 3650 d");
        assertThatThrownBy(() -> ThrottleMonitor.builder().slowing(3, endless)).hasMessageContaining("0 s to 24 h");
        assertThatThrownBy(() -> ThrottleMonitor.builder().blockedFor(endless)).hasMessageContaining("1 s to 365 d");
        assertThatThrownBy(() -> ThrottleMonitor.builder().blockedFor(Duration.ofNanos(1))).hasMessageContaining("1 s to 365 d");
        assertThatThrownBy(() -> ThrottleMonitor.builder().most(0).build()).hasMessageContaining("1 or more");
    }
}
