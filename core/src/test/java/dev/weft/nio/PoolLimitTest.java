package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.policy.LegLimit;
import dev.weft.relay.Route;
import dev.weft.relay.Tenant;
import dev.weft.session.PoolSettings;
import dev.weft.smtp.Reply;
import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.ScriptedServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolLimitTest {

    /** Several threads lease on all loops, over legs of two keys, and let them go in every orderly way. */
    @ParameterizedTest
    @CsvSource({"1,1", "2,1", "4,1", "1,10", "2,10", "4,10"})
    void noMoreConnectionsThanAllowedWhateverTheLoops(int loops, int limit) throws Exception {
        long seed = new Random().nextLong();
        try (var server = new CountingServer(limit); var rig = new PoolRig(loops, LegLimit.fixed(limit))) {
            var threads = new ArrayList<Thread>();
            var done = new AtomicInteger();
            for (int i = 0; i < 8; i++) {
                var random = new Random(seed + i);
                var thread = new Thread(() -> {
                    for (int j = 0; j < 40; j++) {
                        var tenant = Tenant.of("tenant " + random.nextInt(3));
                        var route = Route.to(server.address()).withTenant(tenant).withEhloName("name" + random.nextInt(2) + ".example");
                        var caller = rig.lease(random.nextInt(loops), route);
                        assertThat(caller.say("MAIL FROM:<>")).startsWith("250");
                        caller.giveBack(random.nextInt(5));
                        done.incrementAndGet();
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (var thread : threads) {
                thread.join();
            }
            assertThat(done).as("seed " + seed).hasValue(320);
            assertThat(server.refused()).as("refused, seed " + seed).isZero();
            assertThat(server.most()).as("at one time, seed " + seed).isLessThanOrEqualTo(limit);
        }
    }

    @Test
    void anIdleLegYieldsToWhoWantsAnother() throws Exception {
        try (var server = new CountingServer(1); var rig = new PoolRig(2, LegLimit.fixed(1))) {
            var route = Route.to(server.address());
            rig.lease(0, route.withEhloName("one.example")).giveBack();
            assertThat(rig.only().idle()).isEqualTo(1);
            var other = rig.lease(1, route.withEhloName("two.example"));
            assertThat(other.facts().transactions()).isZero();
            assertThat(server.served()).isEqualTo(2);
            assertThat(server.most()).isEqualTo(1);
        }
    }

    @Test
    void whoWantsAFreshLegGetsNoUsedOne() throws Exception {
        try (var server = new CountingServer(1); var rig = new PoolRig(1, LegLimit.fixed(1))) {
            var route = Route.to(server.address());
            rig.lease(0, route).giveBack();
            var fresh = rig.ask(0, route, true);
            assertThat(PoolRig.get(fresh.answer)).isEqualTo("granted");
            assertThat(fresh.facts().transactions()).isZero();
            assertThat(server.served()).isEqualTo(2);
        }
    }

    @Test
    void anIdleLegIsRetiredWhenNobodyWantsIt() throws Exception {
        try (var server = ScriptedServer.start();
                var rig = new PoolRig(1, LegLimit.fixed(1), PoolSettings.DEFAULT.withIdle(Duration.ofMillis(20)), Tls.NONE)) {
            rig.lease(0, Route.to(server.address())).giveBack();
            server.awaitAllClosed();
            assertThat(server.transcript()).contains("1 C: QUIT");
            rig.awaitEmpty();
        }
    }

    @Test
    void aLegThatSawRefusalsOrA421IsNotUsedAgain() throws Exception {
        try (var server = ScriptedServer.start(); var rig = new PoolRig(1, LegLimit.fixed(5))) {
            var route = Route.to(server.address());
            rig.lease(0, route).giveBack(3);
            var second = rig.lease(0, route);
            assertThat(second.facts().transactions()).isEqualTo(1);
            second.giveBack(1);
            var third = rig.lease(0, route);
            assertThat(third.facts().transactions()).isZero();
            third.turnedAway(Reply.of(421, "4.3.2", "closing"));
            third.giveBack();
            assertThat(rig.lease(0, route).facts().transactions()).isZero();
            assertThat(server.connections()).isEqualTo(3);
        }
    }

    @Test
    void aServerThatRefusesForTheNumberIsTriedWithFewer() throws Exception {
        try (var server = new CountingServer(3); var rig = new PoolRig(2, LegLimit.learnt(8, 8))) {
            var route = Route.to(server.address());
            var callers = new ArrayList<Caller>();
            for (int i = 0; i < 8; i++) {
                callers.add(rig.ask(i % 2, route));
            }
            Rig.await("as many are granted as the server takes", () -> callers.stream().filter(caller -> caller.answer.isDone()).count() == 3);
            Rig.await("a refusal is read", () -> rig.only().limit() < 8);
            assertThat(server.refused()).isPositive();
            // Those that were refused wait for a turn, and get one as the others end.
            for (int served = 0; served < 8; served++) {
                Rig.await("one more is granted", () -> callers.stream().anyMatch(caller -> caller.answer.isDone()));
                var next = callers.stream().filter(caller -> caller.answer.isDone()).findFirst().orElseThrow();
                assertThat(next.answer.join()).isEqualTo("granted");
                callers.remove(next);
                next.giveBack();
            }
            assertThat(server.most()).isLessThanOrEqualTo(8);
        }
    }

    @Test
    void whoIsRefusedForTheNumberAllTheTimeIsToldSo() throws Exception {
        try (var server = ScriptedServer.script().greeting(CountingServer.TOO_MANY).start();
                var rig = new PoolRig(1, LegLimit.learnt(5, 5), PoolRig.LONG_IDLE.withPatience(Duration.ofSeconds(3)), Tls.NONE)) {
            var caller = rig.ask(0, Route.to(server.address()));
            assertThat(PoolRig.get(caller.answer)).startsWith("451 4.3.2 No turn within 3 s: ").endsWith("; greeting: " + CountingServer.TOO_MANY);
            assertThat(server.connections()).as("it is not tried without a pause").isLessThanOrEqualTo(3);
        }
    }

    @Test
    void aTenantMayNotFillTheQueue() throws Exception {
        try (var server = ScriptedServer.start();
                var rig = new PoolRig(1, LegLimit.fixed(1), PoolRig.LONG_IDLE.withWaiters(2), Tls.NONE)) {
            var route = Route.to(server.address()).withTenant(Tenant.of("one"));
            var first = rig.lease(0, route);
            rig.ask(0, route);
            rig.ask(0, route);
            assertThat(PoolRig.get(rig.ask(0, route).answer)).startsWith("451 4.3.2 Too many of one wait: 1 of 1 connections to ");
            var other = rig.ask(0, route.withTenant(Tenant.of("another")));
            first.giveBack();
            Rig.await("the other tenant is served or waits", () -> rig.only().turns().tenants().stream().anyMatch(t -> t.name().equals("another")));
            other.withdraw();
        }
    }

    @Test
    void everyoneWhoWaitsForADestinationThatVanishesIsAnswered() throws Exception {
        InetSocketAddress address;
        try (var rig = new PoolRig(2, LegLimit.fixed(10), PoolRig.LONG_IDLE.withWaiters(1000), Tls.NONE)) {
            var holders = new ArrayList<Caller>();
            var waiting = new ArrayList<Caller>();
            try (var server = ScriptedServer.start()) {
                address = server.address();
                for (int i = 0; i < 10; i++) {
                    holders.add(rig.lease(i % 2, Route.to(address)));
                }
                for (int i = 0; i < 500; i++) {
                    waiting.add(rig.ask(i % 2, Route.to(address).withTenant(Tenant.of("tenant " + i % 7))));
                }
                assertThat(rig.only().turns().waiting()).isEqualTo(500);
            }
            for (var holder : holders) {
                PoolRig.get(holder.closed);
            }
            for (var caller : waiting) {
                assertThat(PoolRig.get(caller.answer)).startsWith("451 4.4.1 Server ");
            }
            rig.awaitEmpty();
        }
    }

    @Test
    void whatIsWithdrawnGivesItsPlaceToOthersAtEveryStage() throws Exception {
        try (var silent = ScriptedServer.script().fault(Moment.GREETING, Fault.silence()).start();
                var server = new CountingServer(1);
                var rig = new PoolRig(2, LegLimit.fixed(1))) {
            // While it is opened.
            var opening = rig.ask(0, Route.to(silent.address()));
            silent.awaitConnections(1);
            opening.withdraw();
            silent.awaitAllClosed();
            // While it waits.
            var route = Route.to(server.address());
            var holder = rig.lease(0, route);
            var waiting = rig.ask(1, route);
            waiting.withdraw();
            // On the way between two loops: what was decided is taken back.
            var next = rig.ask(1, route);
            holder.giveBack();
            next.withdraw();
            assertThat(rig.lease(0, route).say("NOOP")).startsWith("250");
            assertThat(rig.only().open()).isEqualTo(1); // the server may take a moment to notice a leg that was reset
        }
    }
}
