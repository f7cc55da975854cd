package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.relay.Binding;
import dev.weft.relay.Route;
import dev.weft.relay.Stage;
import dev.weft.relay.TransactionRecord.Outcome;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceAddressesTest {

    private static final String SERVER = "203.0.113.25";
    private static final String MX = SERVER + ":25";
    private static final InetAddress ONE = TestSession.ip("198.51.100.1");
    private static final InetAddress TWO = TestSession.ip("198.51.100.2");
    private static final SourcePool BOTH = SourcePool.of("both", SourceAddress.of(ONE).as("one.example.com"),
            SourceAddress.of(TWO).as("two.example.com"));
    private static final String BLOCKED = "550 5.7.1 Service refused; client host blocked using Spamhaus";

    private final ManualTime time = new ManualTime();

    private static TestSession session(String client) {
        return new TestSession(client, SERVER);
    }

    /** Where a client's session leaves from, or the refusal. */
    private static String connect(SourceAddresses sources, String client) {
        var session = session(client);
        return shown(sources.connect(session, session.route));
    }

    private static String transaction(SourceAddresses sources, String client, String sender) {
        var session = session(client);
        return shown(sources.mailRoute(session.mail(sender), session.route));
    }

    private static String shown(Verdict<Route> verdict) {
        return verdict instanceof Verdict.Rewrite<Route> rewrite
                ? rewrite.value().source().orElseThrow().getHostAddress()
                        + rewrite.value().ehloName().map(name -> " as " + name).orElse("")
                : TestSession.text(verdict);
    }

    /** A client whose first choice at the server is an address. */
    private static String clientOf(SourceAddresses sources, InetAddress address) {
        for (int i = 1; i < 200; i++) {
            if (connect(sources, "10.0.0." + i).startsWith(address.getHostAddress())) {
                return "10.0.0." + i;
            }
        }
        throw new AssertionError("nobody is given " + address);
    }

    private static void refused(SourceAddresses sources, InetAddress address, String reply) {
        var session = session("192.0.2.1");
        session.route = session.route.withSource(address);
        sources.greeting(session, TestSession.reply(reply));
    }

    @Test
    void aTenantKeepsItsAddressAndItsName() {
        var sources = SourceAddresses.from(BOTH).build();
        var client = clientOf(sources, TWO);
        for (int i = 0; i < 10; i++) {
            assertThat(connect(sources, client)).isEqualTo("198.51.100.2 as two.example.com");
            assertThat(transaction(sources, client, "a@example.com")).isEqualTo("198.51.100.2 as two.example.com");
        }
    }

    @Test
    void theHostChoosesThePoolByWhateverItKnows() {
        var gold = SourcePool.of("gold", SourceAddress.of(ONE));
        var rest = SourcePool.of("rest", SourceAddress.of(TWO));
        var sources = SourceAddresses.from(request -> switch (request.senderDomain().orElse("")) {
            case "gold.example" -> Optional.of(gold);
            case "leave.example" -> Optional.empty();
            default -> Optional.of(request.tenant().equals("vip") && request.destination().equals("mx") ? gold : rest);
        }).tenant(session -> session.client().getAddress().getHostAddress().equals("10.9.9.9") ? "vip" : "plain")
                .destination(route -> "mx").build();
        assertThat(transaction(sources, "10.0.0.1", "a@Gold.Example")).isEqualTo("198.51.100.1");
        assertThat(transaction(sources, "10.0.0.1", "a@other.example")).isEqualTo("198.51.100.2");
        assertThat(transaction(sources, "10.0.0.1", "")).isEqualTo("198.51.100.2");
        assertThat(transaction(sources, "10.0.0.1", "a@leave.example")).isEqualTo("Proceed");
        assertThat(connect(sources, "10.9.9.9")).isEqualTo("198.51.100.1");
        assertThat(connect(sources, "10.0.0.1")).isEqualTo("198.51.100.2");
    }

    @Test
    void aFamilyWithoutAddressesIsRefused() {
        var sources = SourceAddresses.from(BOTH).build();
        var session = new TestSession("2001:db8::1", "2001:db8::25");
        assertThat(shown(sources.connect(session, session.route))).contains("421 4.7.1 No source address for IPv6 in pool both");
        assertThat(shown(sources.mailRoute(session.mail("a@example.com"), session.route)))
                .contains("451 4.7.1 No source address for IPv6");
    }

    @Test
    void aBlockedAddressRestsThereAndNobodyTakesOverUnasked() {
        var sources = SourceAddresses.from(BOTH).time(time).build();
        var ofOne = clientOf(sources, ONE);
        var ofTwo = clientOf(sources, TWO);
        refused(sources, ONE, BLOCKED);
        assertThat(connect(sources, ofOne)).contains(
                "421 4.7.1 Source address 198.51.100.1 is refused by 203.0.113.25:25 and rests until 2026-03-01T13:00:00Z");
        assertThat(transaction(sources, ofOne, "a@example.com")).contains("451 4.7.1 Source address 198.51.100.1");
        assertThat(connect(sources, ofTwo)).startsWith("198.51.100.2");
        var elsewhere = new TestSession(ofOne, "203.0.113.99");
        assertThat(shown(sources.connect(elsewhere, elsewhere.route))).startsWith("198.51.100.");
        assertThat(sources.resting()).containsExactly(new RestingSource(ONE, MX, Instant.parse("2026-03-01T13:00:00Z"),
                "550 5.7.1 Service refused; client host blocked using Spamhaus"));
        time.pass(Duration.ofHours(1));
        assertThat(connect(sources, ofOne)).startsWith("198.51.100.1");
        assertThat(sources.resting()).isEmpty();
    }

    @Test
    void anotherTakesOverWhereTheHostAllowsIt() {
        var sources = SourceAddresses.from(BOTH).time(time).takeOver(request -> !request.tenant().equals("10.0.0.250")).build();
        var ofOne = clientOf(sources, ONE);
        refused(sources, ONE, BLOCKED);
        assertThat(connect(sources, ofOne)).startsWith("198.51.100.2");
        refused(sources, TWO, BLOCKED);
        assertThat(connect(sources, ofOne)).contains("421 4.7.1 Source address 198.51.100.1");
        sources.wake(TWO, MX);
        assertThat(connect(sources, ofOne)).startsWith("198.51.100.2");
        sources.rest(TWO, MX, Duration.ofMinutes(1), "the operator wants it");
        assertThat(sources.resting()).extracting(RestingSource::reason).contains("the operator wants it");
    }

    @Test
    void aDestinationThatGoesOnRefusingIsAskedLessOften() {
        var sources = SourceAddresses.from(BOTH).time(time).rest(Duration.ofHours(1)).build();
        var lengths = new ArrayList<Long>();
        for (int i = 0; i < 6; i++) {
            refused(sources, ONE, BLOCKED);
            refused(sources, ONE, BLOCKED); // one that had begun before
            var length = Duration.between(time.instant(), sources.resting().get(0).until());
            lengths.add(length.toHours());
            time.pass(length.plusMinutes(1));
        }
        assertThat(lengths).containsExactly(1L, 2L, 4L, 8L, 16L, 16L);
        time.pass(Duration.ofHours(16));
        refused(sources, ONE, BLOCKED);
        assertThat(sources.resting().get(0).until()).isEqualTo(time.instant().plus(Duration.ofHours(1)));
    }

    @Test
    void aRestartForgetsNoRestThatEndedJustBefore(@TempDir Path directory) throws Exception {
        var sources = SourceAddresses.from(BOTH).time(time).rest(Duration.ofHours(1)).build();
        refused(sources, ONE, BLOCKED);
        time.pass(Duration.ofMinutes(90));
        assertThat(StateFile.of(directory.resolve("state"), sources).save()).isEqualTo(1);
        var again = SourceAddresses.from(BOTH).time(time).rest(Duration.ofHours(1)).build();
        StateFile.of(directory.resolve("state"), again).load();
        assertThat(again.resting()).isEmpty();
        refused(again, ONE, BLOCKED);
        assertThat(again.resting().get(0).until()).as("twice as long").isEqualTo(time.instant().plus(Duration.ofHours(2)));
        time.pass(Duration.ofHours(4));
        assertThat(StateFile.of(directory.resolve("state"), again).save()).as("long over").isZero();
    }

    /** Its MAIL was taken over that address already, and the server may like it still. */
    @Test
    void whatHappensToAnAddressBetweenMailAndRcptIsForTheNextTransaction() {
        var sources = SourceAddresses.from(BOTH).time(time).takeOver(request -> true).build();
        var session = session(clientOf(sources, ONE));
        var transaction = session.mail("a@example.com");
        assertThat(shown(sources.mailRoute(transaction, session.route))).startsWith("198.51.100.1");
        refused(sources, ONE, BLOCKED);
        var rcpt = Command.of("RCPT TO:<b@example.net>");
        assertThat(shown(sources.recipientRoute(transaction, rcpt, session.route))).isEqualTo("Proceed");
        var elsewhere = session.route.withServer(new InetSocketAddress(TestSession.ip("2001:db8::25"), 25));
        assertThat(shown(sources.recipientRoute(transaction, rcpt, elsewhere))).contains("No source address for IPv6");
    }

    /** An address that is chosen for a transaction may have no name of its own, and must not greet with the other's. */
    @Test
    void boundOnMailTheAddressOfConnectBringsNoNameAndCostsNothing() {
        var sources = SourceAddresses.from(WARMING).time(time).build();
        var session = session("10.0.0.1");
        var onMail = session.route.withBinding(Binding.ON_MAIL);
        assertThat(shown(SourceAddresses.from(BOTH).build().connect(session, onMail))).matches("198\\.51\\.100\\.[12]");
        for (int i = 0; i < 5; i++) {
            assertThat(shown(sources.connect(session, onMail))).isEqualTo("198.51.100.1");
        }
        assertThat(sources.warming()).isEmpty();
    }

    @Test
    void onlyRefusalsOfTheAddressLetItRest() {
        var sources = SourceAddresses.from(BOTH).time(time).build();
        for (var reply : List.of("220 welcome", "421 4.7.0 too many connections", "450 4.7.1 rate limit exceeded",
                "550 5.1.1 no such user")) {
            refused(sources, ONE, reply);
        }
        var session = session("192.0.2.1");
        sources.greeting(session, TestSession.reply(BLOCKED)); // the system chose the address
        assertThat(sources.resting()).isEmpty();
        session.route = session.route.withSource(ONE);
        var message = session.mail("a@example.com").rcpt("b@example.net", "250 2.1.5 Ok").took(Stage.END_OF_DATA, 5);
        sources.transactionEnded(session, message.ended(Outcome.REFUSED, BLOCKED));
        assertThat(sources.resting()).hasSize(1);
    }

    @Test
    void aMonitorsVerdictCountsToo() {
        var monitor = ThrottleMonitor.builder().time(time).build();
        var sources = SourceAddresses.from(BOTH).time(time).avoid(monitor, ThrottleLevel.THROTTLED).build();
        var ofOne = clientOf(sources, ONE);
        var session = session("192.0.2.1");
        session.route = session.route.withSource(ONE);
        for (int i = 0; i < 2; i++) {
            monitor.greeting(session, TestSession.reply("421 4.7.0 too many connections"));
        }
        assertThat(connect(sources, ofOne)).contains("421 4.7.1 Source address 198.51.100.1 finds 203.0.113.25:25 THROTTLED");
        time.pass(Duration.ofHours(1));
        assertThat(connect(sources, ofOne)).startsWith("198.51.100.1");
        assertThatThrownBy(() -> SourceAddresses.from(BOTH).avoid(monitor, ThrottleLevel.CLEAR)).hasMessageContaining("SLOWING");
    }

    private static final SourcePool WARMING = SourcePool.of("warming",
            SourceAddress.of(ONE).warming(new WarmUp(2, 2, 6)).weighing(1000));

    @Test
    void aNewAddressSendsMoreEachDayThatItUsed() {
        var sources = SourceAddresses.from(WARMING).time(time).build();
        assertThat(sentToday(sources, 10)).isEqualTo(2);
        assertThat(transaction(sources, "10.0.0.1", "a@example.com"))
                .contains("451 4.7.1 All source addresses of pool warming have sent what they may on this day of their warm-up");
        time.set("2026-03-01T23:59:59Z");
        assertThat(sentToday(sources, 1)).isZero();
        time.set("2026-03-02T00:00:00Z");
        assertThat(sentToday(sources, 10)).isEqualTo(4);
        time.passDays(1);
        assertThat(sentToday(sources, 10)).as("the cap").isEqualTo(6);
        time.passDays(1);
        assertThat(sentToday(sources, 10)).isEqualTo(6);
        assertThat(sources.warming()).containsExactly(new WarmingSource(ONE, 4, 6, 6));
        time.passDays(-2);
        assertThat(sentToday(sources, 10)).as("a clock that was set back").isZero();
    }

    @Test
    void aClockThatWasYearsAheadStopsNoWarmUp() {
        var sources = SourceAddresses.from(WARMING).time(time).build();
        time.passDays(1000);
        assertThat(sentToday(sources, 10)).isEqualTo(2);
        time.passDays(-1000);
        assertThat(sentToday(sources, 10)).as("today goes on with what was sent").isZero();
        time.passDays(1);
        assertThat(sentToday(sources, 10)).isEqualTo(4);
    }

    @Test
    void aClockSetBackMakesNoRestLonger() {
        var sources = SourceAddresses.from(BOTH).time(time).build();
        var ofOne = clientOf(sources, ONE);
        time.passDays(1000);
        refused(sources, ONE, BLOCKED);
        time.passDays(-1000);
        assertThat(connect(sources, ofOne)).contains("rests until 2026-03-01T13:00:00Z");
        time.pass(Duration.ofHours(1));
        assertThat(connect(sources, ofOne)).startsWith("198.51.100.1");
    }

    @Test
    void anIdleDayEarnsNothing() {
        var sources = SourceAddresses.from(SourcePool.of("p", SourceAddress.of(ONE).warming(new WarmUp(4, 2, 100))))
                .time(time).build();
        assertThat(sentToday(sources, 1)).isEqualTo(1);
        time.passDays(1);
        assertThat(sentToday(sources, 2)).isEqualTo(2);
        assertThat(sources.warming()).containsExactly(new WarmingSource(ONE, 1, 2, 4));
        time.passDays(30);
        assertThat(sentToday(sources, 100)).isEqualTo(8);
    }

    private static int sentToday(SourceAddresses sources, int tries) {
        int sent = 0;
        for (int i = 0; i < tries; i++) {
            sent += transaction(sources, "10.0.0.1", "a@example.com").startsWith("198.51.100.1") ? 1 : 0;
        }
        return sent;
    }

    @Test
    void whatAnAddressMayNotSendGoesToTheNextOfThePool() {
        var pool = SourcePool.of("p", SourceAddress.of(ONE).warming(new WarmUp(3, 2, 100)).weighing(1000), SourceAddress.of(TWO));
        var sources = SourceAddresses.from(pool).time(time).build();
        var client = clientOf(sources, ONE);
        var used = new ArrayList<String>();
        for (int i = 0; i < 5; i++) {
            used.add(transaction(sources, client, "a@example.com").substring("198.51.100.".length()));
        }
        assertThat(used).containsExactly("1", "1", "1", "2", "2");
        assertThat(connect(sources, client)).startsWith("198.51.100.2");
    }

    @Test
    void anAddressChosenAtConnectCountsEachOfTheSessionsMessages() {
        var sources = SourceAddresses.from(WARMING).time(time).build();
        var session = session("10.0.0.1");
        for (int i = 0; i < 5; i++) {
            assertThat(shown(sources.connect(session("10.0.0.1"), session.route))).as("probes cost nothing")
                    .startsWith("198.51.100.1");
        }
        sources.connect(session, session.route);
        var answers = new ArrayList<String>();
        for (int i = 0; i < 3; i++) {
            var transaction = session.mail("a@example.com");
            answers.add(TestSession.text(sources.mail(transaction, transaction.mail())));
        }
        assertThat(answers.subList(0, 2)).containsExactly("Proceed", "Proceed");
        assertThat(answers.get(2))
                .contains("451 4.7.1 Source address 198.51.100.1 has sent what it may on this day of its warm-up");
    }

    @Test
    void oneTransactionCountsOnceHoweverOftenItIsRouted() {
        var sources = SourceAddresses.from(WARMING).time(time).build();
        var session = session("10.0.0.1");
        var transaction = session.mail("a@example.com");
        for (int i = 0; i < 5; i++) {
            assertThat(shown(sources.mailRoute(transaction, session.route))).startsWith("198.51.100.1");
            assertThat(TestSession.text(sources.mail(transaction, transaction.mail()))).isEqualTo("Proceed");
        }
        assertThat(sources.warming()).containsExactly(new WarmingSource(ONE, 1, 1, 2));
    }

    @Test
    void daysAndRestsOutliveARestart(@TempDir Path directory) throws Exception {
        var file = directory.resolve("state");
        var sources = SourceAddresses.from(WARMING).time(time).build();
        sentToday(sources, 10);
        time.passDays(1);
        sentToday(sources, 3);
        refused(sources, TWO, BLOCKED);
        assertThat(StateFile.of(file, sources).save()).isEqualTo(2);
        var again = SourceAddresses.from(WARMING).time(time).build();
        assertThat(StateFile.of(file, again).load()).isEqualTo(new StateFile.Loaded(2, 0, 0, true));
        assertThat(again.warming()).containsExactly(new WarmingSource(ONE, 2, 3, 4));
        assertThat(again.resting()).isEqualTo(sources.resting()).hasSize(1);
        assertThat(sentToday(again, 10)).isEqualTo(1);
        var before = Files.readString(file);
        for (var damage : List.of("source-addresses rest x mx 1 1 r", "source-addresses rest 192.0.2.1 mx 99999999999999 1 r",
                "source-addresses rest 192.0.2.1 mx 1", "source-addresses rest 192.0.2.1 mx -9223372036854775808 1 r",
                "source-addresses rest 192.0.2.1 mx 9223372036854775807 9223372036854775807 r",
                "source-addresses warm-up 192.0.2.1 1 99999999 1 1",
                "source-addresses warm-up 192.0.2.1 -1 1 1 1", "source-addresses warm-up example.com 1 1 1 1",
                "source-addresses other")) {
            Files.writeString(file, "weft-state 1\n" + damage + "\nend 1\n");
            assertThat(StateFile.of(file, again).load().damaged()).as(damage).isEqualTo(1);
        }
        assertThat(before).contains("source-addresses warm-up 198.51.100.1 2 ",
                "source-addresses rest 198.51.100.2 203.0.113.25:25 ");
    }

    @Test
    void aRefusalFitsIntoALineWhateverTheDestinationIsCalled() {
        var name = "mx\r\n" + "x".repeat(1000);
        var sources = SourceAddresses.from(BOTH).time(time).destination(route -> name).takeOver(request -> true).build();
        refused(sources, ONE, BLOCKED);
        refused(sources, TWO, BLOCKED);
        assertThat(connect(sources, "10.0.0.1")).contains("421 4.7.1 Source address 198.51.100.", "is refused by mx??xxx");
    }

    @Test
    void wrongSettingsAreNamed() {
        assertThatThrownBy(() -> SourceAddresses.from(BOTH).rest(Duration.ZERO)).hasMessageContaining("PT0S: give 1 s to 30 d");
        var monitor = ThrottleMonitor.builder().build();
        assertThatThrownBy(() -> SourceAddresses.from(BOTH).avoid(monitor, null)).hasMessageContaining("from");
        var sources = SourceAddresses.from(BOTH).build();
        for (var length : List.of(Duration.ZERO, Duration.ofHours(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> sources.rest(ONE, MX, length, "r")).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("rest of " + length + ": give 1 s to 365 d");
        }
        assertThatThrownBy(() -> sources.rest(null, MX, Duration.ofHours(1), "r")).hasMessageContaining("address");
        assertThatThrownBy(() -> sources.rest(ONE, MX, Duration.ofHours(1), null)).hasMessageContaining("reason");
        assertThat(sources.resting()).isEmpty();
        assertThatThrownBy(() -> SourceAddresses.from(BOTH).most(0).build()).hasMessageContaining("1 or more");
    }
}
