package dev.weft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.policy.LegLimit;
import dev.weft.relay.Binding;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Tenant;
import dev.weft.relay.TlsPolicy;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.session.PoolSettings;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A proxy whose listener binds on mail. */
class LeasedLegsTest {

    private static SmtpProxyBuilder builder(ScriptedServer server) {
        return SmtpProxy.builder().listen("127.0.0.1", 0).intercept(Interception.fixed(server.address())).loops(2)
                .serverTls(TlsPolicy.none()).binding(Binding.ON_MAIL).helloName("proxy.example").legLimit(LegLimit.fixed(1));
    }

    private static ScriptedClient hello(SmtpProxy proxy) throws Exception {
        var client = ScriptedClient.connect(proxy.addresses().get(0));
        assertThat(client.expect(220)).contains("proxy.example");
        client.command("EHLO client.example", 250);
        return client;
    }

    @Test
    void sessionsShareALegAndAPanelSeesIt() throws Exception {
        try (var server = ScriptedServer.start(); var proxy = builder(server)
                .pool(PoolSettings.DEFAULT.withIdle(Duration.ofMinutes(1))).build()) {
            proxy.start();
            for (int i = 0; i < 3; i++) {
                try (var client = hello(proxy)) {
                    client.sendMessage("<a@example.com>", List.of("<b@example.org>"), "Subject: x\r\n\r\nhello\r\n");
                    client.command("QUIT", 221);
                }
            }
            assertThat(server.awaitMessages(3)).hasSize(3);
            assertThat(server.connections()).isEqualTo(1);
            assertThat(server.transcript()).contains("1 C: EHLO proxy.example");
            try (var client = hello(proxy)) {
                client.command("MAIL FROM:<a@example.com>", 250);
                var shown = proxy.destinations().get(0);
                assertThat(shown.limit()).isEqualTo(1);
                assertThat(shown.leased()).isEqualTo(1);
                assertThat(shown.turns().tenants()).singleElement().satisfies(tenant -> assertThat(tenant.name()).isEqualTo("127.0.0.1"));
                client.command("QUIT", 221);
            }
            assertThat(proxy.stop(Duration.ofSeconds(10))).isTrue();
            server.awaitAllClosed();
            assertThat(proxy.destinations()).isEmpty();
        }
    }

    @Test
    void aHandlerRoutesEachMessageByItsSender() throws Exception {
        RelayHandler bySender = new RelayHandler() {
            @Override
            public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
                var sender = transaction.mail().argument().contains("one@") ? "one" : "two";
                return Verdict.rewrite(proposed.withEhloName(sender + ".example").withTenant(Tenant.of(sender)));
            }
        };
        try (var server = ScriptedServer.start(); var proxy = builder(server).handler(bySender).build()) {
            proxy.start();
            try (var client = hello(proxy)) {
                for (var sender : new String[] {"<one@example.com>", "<two@example.com>", "<one@example.com>"}) {
                    client.sendMessage(sender, List.of("<b@example.org>"), "Subject: x\r\n\r\nhello\r\n");
                }
                client.command("QUIT", 221);
            }
            server.awaitMessages(3);
            assertThat(server.transcript()).containsSubsequence("2 C: EHLO one.example", "3 C: EHLO two.example", "4 C: EHLO one.example");
        }
    }
}
