package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.policy.LegLimit;
import dev.weft.policy.ThrottleSigns;
import dev.weft.relay.Binding;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Tenant;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.Script;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Real sessions that are promised more than a leg keeps, such as what is presumed of a server that can't be asked at first. */
class PresumedOffersTest {

    private static final String INTERNATIONAL = "MAIL FROM:<a@example.com> SMTPUTF8 BODY=8BITMIME";

    /** Probes are turned away, transactions are not. */
    private static final class UnderAnotherName implements RelayHandler {
        @Override
        public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
            return Verdict.rewrite(proposed.withEhloName("other.example"));
        }
    }

    /** Every second session is of a tenant whose transactions go under another name. */
    private static final class OddTenant implements RelayHandler {
        private final AtomicInteger sessions = new AtomicInteger();

        @Override
        public Verdict<Route> connect(RelaySession session, Route proposed) {
            return Verdict.rewrite(proposed.withTenant(Tenant.of(sessions.getAndIncrement() % 2 == 0 ? "odd" : "other")));
        }

        @Override
        public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
            var odd = proposed.tenant().orElseThrow().name().equals("odd");
            return odd ? Verdict.rewrite(proposed.withEhloName("other.example")) : Verdict.proceed();
        }
    }

    private static Rig.Setup onMail(InetSocketAddress server) {
        return Rig.with(Interception.fixed(server)).loops(1).leases(new LegPool.Config(
                Binding.ON_MAIL, PoolRig.LONG_IDLE, destination -> LegLimit.fixed(2), ThrottleSigns.defaults(), false));
    }

    private static ScriptedClient greeted(Rig rig) throws Exception {
        var client = rig.client();
        client.expect(220);
        return client;
    }

    private static String hello(ScriptedClient client) throws Exception {
        return client.command("EHLO client.example", 250);
    }

    private static Script busyAtFirst() {
        return ScriptedServer.script().faultOnce(Moment.GREETING, Fault.answer("450 4.3.2 busy"));
    }

    @Test
    void aMessageIsPutOffWhoseServerTurnsOutToLackWhatItNeeds() throws Exception {
        try (var server = busyAtFirst().capabilities("PIPELINING", "8BITMIME").start();
                var rig = onMail(server.address()).start();
                var client = greeted(rig)) {
            assertThat(hello(client)).contains("8BITMIME", "SMTPUTF8");
            assertThat(client.command(INTERNATIONAL, 451)).contains("4.3.3 Server connection lacks SMTPUTF8");
            assertThat(hello(client)).as("in the same session").contains("8BITMIME").doesNotContain("SMTPUTF8");
            try (var next = greeted(rig)) {
                assertThat(hello(next)).as("in the next").contains("8BITMIME").doesNotContain("SMTPUTF8");
            }
            assertThat(server.transcript()).noneMatch(line -> line.contains("MAIL"));
        }
    }

    @Test
    void aMessagePassesWhoseServerTurnsOutToOfferIt() throws Exception {
        try (var server = busyAtFirst().capabilities("PIPELINING", "8BITMIME", "SMTPUTF8").start();
                var rig = onMail(server.address()).start();
                var client = greeted(rig)) {
            assertThat(hello(client)).contains("SMTPUTF8");
            client.command(INTERNATIONAL, 250);
            client.command("RCPT TO:<b@example.org>", 250);
            assertThat(server.transcript()).contains("2 C: " + INTERNATIONAL);
        }
    }

    @Test
    void whatTransactionsHearUnderAnotherNameEndsThePresumption() throws Exception {
        try (var server = ScriptedServer.script().capabilities("PIPELINING").answer("EHLO localhost", "554 5.7.1 not you").start();
                var rig = onMail(server.address()).handlers(new UnderAnotherName()).start();
                var client = greeted(rig)) {
            assertThat(hello(client)).contains("8BITMIME", "SMTPUTF8");
            client.command(INTERNATIONAL, 451);
            assertThat(hello(client)).doesNotContain("8BITMIME").doesNotContain("SMTPUTF8");
        }
    }

    /** A server may offer less to one name or address of ours than to another; that is not what others are to hear. */
    @Test
    void whatATransactionHearsUnderAnotherNameIsToldToItsTenantOnly() throws Exception {
        try (var server = ScriptedServer.script().capabilities("PIPELINING", "8BITMIME", "SMTPUTF8")
                        .answer("EHLO other.example", "250-mx.example.net\r\n250-DSN\r\n250 PIPELINING").start();
                var rig = onMail(server.address()).handlers(new OddTenant()).start();
                var odd = greeted(rig);
                var other = greeted(rig)) {
            assertThat(hello(odd)).contains("8BITMIME", "SMTPUTF8");
            assertThat(odd.command(INTERNATIONAL, 451)).contains("4.3.3 Server connection lacks SMTPUTF8");
            assertThat(hello(odd)).as("the same session").contains("DSN").doesNotContain("SMTPUTF8");
            assertThat(hello(other)).as("another tenant").contains("8BITMIME", "SMTPUTF8").doesNotContain("DSN");
            other.command(INTERNATIONAL, 250);
            try (var next = rig.client()) {
                next.expect(220);
                assertThat(hello(next)).as("the tenant's next session").contains("DSN").doesNotContain("SMTPUTF8");
            }
        }
    }

    /** As of hosts that share one address and are not all alike. */
    @Test
    void theLegThatLacksSomethingIsBelievedThoughANewerOneOffersIt() throws Exception {
        try (var server = ScriptedServer.script().capabilities("PIPELINING", "8BITMIME")
                        .answerOnce("EHLO", "250-mx.example.net\r\n250 PIPELINING").start();
                var rig = onMail(server.address()).start();
                var first = greeted(rig);
                var second = greeted(rig)) {
            assertThat(hello(first)).doesNotContain("8BITMIME");
            hello(second);
            first.command("MAIL FROM:<a@example.com>", 250);
            second.command("MAIL FROM:<a@example.com>", 250);
            second.command("RSET", 250);
            first.command("RSET", 250);
            assertThat(hello(second)).contains("8BITMIME");
            second.command("MAIL FROM:<a@example.com> BODY=8BITMIME", 451);
            assertThat(hello(second)).doesNotContain("8BITMIME");
            assertThat(server.connections()).isEqualTo(2);
        }
    }
}
