package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.policy.LegLimit;
import dev.weft.policy.ThrottleSigns;
import dev.weft.relay.Binding;
import dev.weft.relay.Route;
import dev.weft.relay.Tenant;
import dev.weft.session.Closing;
import dev.weft.testkit.ScriptedClient;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Everything at once, at random: whoever asks is answered, and nothing is left behind. */
class PoolStormTest {

    /** What Java keeps open once it has had its first socket is not to be taken for ours. */
    @BeforeAll
    static void warmUp() throws Exception {
        try (var server = new CountingServer(1); var rig = new PoolRig(1, LegLimit.fixed(1))) {
            rig.lease(0, Route.to(server.address()));
        }
    }

    @Test
    void whateverServersAndCallersDoNothingIsLost() throws Exception {
        long seed = new Random().nextLong();
        int sockets = Rig.sockets();
        var answers = new AtomicInteger();
        try (var server = new CountingServer(1000).moody(30); var rig = new PoolRig(3, LegLimit.fixed(4))) {
            Crowd.of(6, "seed " + seed, number -> {
                var random = new Random(seed + number);
                for (int j = 0; j < 60; j++) {
                    answers.addAndGet(wish(rig, server, random));
                }
            });
            assertThat(answers).as("seed " + seed).hasValue(360);
            Rig.await("all leases are over, seed " + seed, () -> rig.pool.snapshot().stream().allMatch(all -> all.leased() == 0));
        }
        Rig.awaitSockets(sockets);
    }

    private static int wish(PoolRig rig, CountingServer server, Random random) throws Exception {
        var route = Route.to(server.address()).withTenant(Tenant.of("t" + random.nextInt(3))).withEhloName("n" + random.nextInt(2) + ".example");
        var caller = rig.ask(random.nextInt(rig.loops.size()), route, random.nextInt(10) == 0);
        if (random.nextInt(6) == 0) {
            caller.withdraw();
            return 1;
        }
        if (!caller.answer.get(20, TimeUnit.SECONDS).equals("granted")) {
            return 1;
        }
        var reply = caller.trySay("MAIL FROM:<>");
        CompletableFuture.anyOf(reply, caller.closed).get(20, TimeUnit.SECONDS);
        if (!reply.isDone() || !reply.join().startsWith("250") || random.nextInt(8) == 0) {
            caller.tryClose(random.nextBoolean() ? Closing.ABORT : Closing.AWAIT_PEER);
        } else {
            caller.tryGiveBack(random.nextInt(3));
        }
        assertThat(rig.pool.snapshot()).allMatch(all -> all.open() <= 4);
        return 1;
    }

    /** Every message is accepted once and confirmed once, or neither, or its end is uncertain; and every client is answered. */
    @Test
    void messagesOverMoodyServersAreDeliveredOnceOrPutOff() throws Exception {
        int sockets = Rig.sockets();
        var confirmed = new AtomicInteger();
        var uncertain = new AtomicInteger();
        var putOff = new AtomicInteger();
        try (var server = new CountingServer(1000).moody(60);
                var rig = Rig.with(Interception.fixed(server.address())).loops(3)
                        .leases(new LegPool.Config(Binding.ON_MAIL, PoolRig.LONG_IDLE, all -> LegLimit.fixed(4), ThrottleSigns.defaults(), false))
                        .start()) {
            Crowd.of(6, number -> {
                for (int j = 0; j < 60; j++) {
                    try (var client = rig.client()) {
                        session(client, confirmed, uncertain, putOff);
                    }
                }
            });
            assertThat(confirmed.get() + uncertain.get() + putOff.get()).isEqualTo(360);
            assertThat(server.messages()).isBetween(confirmed.get(), confirmed.get() + uncertain.get());
            assertThat(confirmed.get()).isGreaterThan(200);
            rig.awaitIdle();
        }
        Rig.awaitSockets(sockets);
    }

    private static void session(ScriptedClient client, AtomicInteger confirmed, AtomicInteger uncertain, AtomicInteger putOff)
            throws IOException {
        client.expect(220);
        client.command("EHLO client.example", 250);
        for (var line : new String[] {"MAIL FROM:<a@example.com>", "RCPT TO:<b@example.org>", "DATA"}) {
            client.sendLines(line);
            var reply = client.readReply();
            if (!reply.startsWith("250") && !reply.startsWith("354")) {
                assertThat(reply).as(line).matches("(?s)(451|503).*"); // never a 421, which would suspend the destination
                putOff.incrementAndGet();
                return;
            }
        }
        client.send("Subject: one\r\n\r\ntext\r\n.\r\n");
        var reply = client.readReply();
        if (reply.startsWith("250")) {
            confirmed.incrementAndGet();
        } else {
            assertThat(reply).startsWith("451");
            uncertain.incrementAndGet();
        }
        client.sendLines("QUIT");
    }
}
