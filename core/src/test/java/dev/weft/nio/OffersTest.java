package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.policy.LegLimit;
import dev.weft.policy.ThrottleSigns;
import dev.weft.relay.Binding;
import dev.weft.relay.Route;
import dev.weft.relay.TlsPolicy;
import dev.weft.session.PoolSettings;
import dev.weft.smtp.Reply;
import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.ScriptedServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // a server that closes is what is tested
class OffersTest {

    private static CompletableFuture<Optional<Reply>> ask(PoolRig rig, int loop, Route route) {
        var answer = new CompletableFuture<Optional<Reply>>();
        rig.on(loop, () -> {
            rig.pool.offers().ask(rig.loops.get(loop), route, PoolRig.CLIENT, answer::complete);
            assertThat(answer).as("never from within the order").isNotDone();
            return null;
        });
        return answer;
    }

    @Test
    void oneProbeAnswersAllWhoAskAndItsLegIsUsed() throws Exception {
        try (var server = ScriptedServer.start(); var rig = new PoolRig(2, LegLimit.fixed(1))) {
            var route = Route.to(server.address());
            var answers = new ArrayList<CompletableFuture<Optional<Reply>>>();
            for (int i = 0; i < 10; i++) {
                answers.add(ask(rig, i % 2, route));
            }
            for (var answer : answers) {
                assertThat(PoolRig.get(answer).orElseThrow().text()).contains("PIPELINING");
            }
            assertThat(PoolRig.get(ask(rig, 0, route))).isPresent();
            assertThat(rig.lease(1, route).say("NOOP")).startsWith("250");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void whatALegHeardIsKnown() throws Exception {
        try (var server = ScriptedServer.start(); var rig = new PoolRig(1, LegLimit.fixed(1))) {
            var route = Route.to(server.address());
            var caller = rig.lease(0, route);
            assertThat(PoolRig.get(ask(rig, 0, route))).isPresent(); // though no second leg is allowed
            caller.giveBack();
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void anotherNameMayBeOfferedOtherThings() throws Exception {
        try (var server = ScriptedServer.start(); var rig = new PoolRig(1, LegLimit.fixed(2))) {
            var route = Route.to(server.address());
            assertThat(PoolRig.get(ask(rig, 0, route))).isPresent();
            assertThat(PoolRig.get(ask(rig, 0, route.withEhloName("other.example")))).isPresent();
            assertThat(server.transcript()).contains("1 C: EHLO proxy.example", "2 C: EHLO other.example");
        }
    }

    @Test
    void whatCantBeAskedIsNotAskedAgainAtOnce() throws Exception {
        try (var server = ScriptedServer.script().greeting("554 5.7.1 not you").start(); var rig = new PoolRig(1, LegLimit.fixed(2))) {
            var route = Route.to(server.address());
            assertThat(PoolRig.get(ask(rig, 0, route))).isEmpty();
            assertThat(PoolRig.get(ask(rig, 0, route))).isEmpty();
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void whoAsksWaitsNoLongerThanForATurn() throws Exception {
        try (var server = ScriptedServer.script().fault(Moment.GREETING, Fault.silence()).start();
                var rig = new PoolRig(1, LegLimit.fixed(2), PoolRig.LONG_IDLE.withPatience(Duration.ofMillis(50)), Tls.NONE)) {
            assertThat(PoolRig.get(ask(rig, 0, Route.to(server.address())))).isEmpty();
            server.close();
            rig.awaitEmpty();
        }
    }

    @Test
    void aServerThatCantBeAskedNowOffersWhatItDid() throws Exception {
        var idle = PoolRig.LONG_IDLE;
        var askedEachTime = new PoolSettings(
                idle.patience(), idle.waiters(), idle.idle(), idle.messages(), idle.age(), idle.refusals(), Duration.ZERO);
        try (var server = ScriptedServer.start(); var rig = new PoolRig(1, LegLimit.fixed(1), askedEachTime, Tls.NONE)) {
            var route = Route.to(server.address());
            assertThat(PoolRig.get(ask(rig, 0, route))).isPresent();
            server.close();
            rig.awaitEmpty();
            assertThat(PoolRig.get(ask(rig, 0, route)).orElseThrow().text()).as("nobody can ask").contains("PIPELINING");
            assertThat(PoolRig.get(ask(rig, 0, route))).as("and it is not asked again at once").isPresent();
        }
    }

    @Test
    void theCrowdOfOneTenantDoesNotAnswerForTheServer() throws Exception {
        try (var server = ScriptedServer.start();
                var rig = new PoolRig(1, LegLimit.fixed(1), PoolRig.LONG_IDLE.withWaiters(1), Tls.NONE)) {
            var route = Route.to(server.address());
            var holds = rig.lease(0, route);
            var waits = rig.ask(0, route);
            var answer = ask(rig, 0, route.withEhloName("other.example"));
            holds.giveBack();
            assertThat(PoolRig.get(waits.answer)).isEqualTo("granted");
            waits.giveBack();
            assertThat(PoolRig.get(answer)).isPresent();
        }
    }

    @Test
    void aSessionThatIsOverIsForgottenThoughItsProbeGoesOn() throws Exception {
        var leases = new LegPool.Config(Binding.ON_MAIL, PoolRig.LONG_IDLE.withPatience(Duration.ofHours(1)),
                destination -> LegLimit.fixed(1), ThrottleSigns.defaults(), false);
        try (var server = ScriptedServer.script().fault(Moment.GREETING, Fault.silence()).start();
                var rig = Rig.with(Interception.fixed(server.address())).leases(leases).start();
                var client = rig.client()) {
            client.expect(220);
            client.send("EHLO client.example\r\n");
            Rig.await("the session asks", () -> rig.engine.pool().offers().waiting() == 1);
            client.reset();
            Rig.await("it asks no more", () -> rig.engine.pool().offers().waiting() == 0);
            assertThat(rig.engine.pool().isEmpty()).as("the probe is over").isFalse();
        }
    }

    /** Whose legs are all held is not probed for long, however long transactions wait. */
    @Test
    void aProbeWaitsAShorterTimeForItsTurn() throws Exception {
        try (var server = ScriptedServer.start();
                var rig = new PoolRig(1, LegLimit.fixed(1), PoolRig.LONG_IDLE.withPatience(Duration.ofHours(1)), Tls.NONE)) {
            var route = Route.to(server.address());
            rig.lease(0, route.withTls(TlsPolicy.may()));
            assertThat(PoolRig.get(ask(rig, 0, route))).as("while the only leg is held").isEmpty();
        }
    }

    @Test
    void aLegThatAnotherOpensAnswersAndThereIsNoProbe() throws Exception {
        try (var server = new GatedServer(); var rig = new PoolRig(2, LegLimit.fixed(3))) {
            var route = Route.to(server.address());
            var first = rig.ask(0, route);
            server.awaitConnections(1);
            var answers = List.of(ask(rig, 0, route), ask(rig, 1, route));
            assertThat(rig.only().open()).as("no probe beside it").isEqualTo(1);
            server.greet();
            for (var answer : answers) {
                assertThat(PoolRig.get(answer).orElseThrow().text()).contains("PIPELINING");
            }
            assertThat(PoolRig.get(first.answer)).isEqualTo("granted");
            assertThat(rig.only().open()).isEqualTo(1);
        }
    }

    @Test
    void whoWaitedForALegThatIsNotWantedAnyMoreProbes() throws Exception {
        try (var server = new GatedServer(); var rig = new PoolRig(2, LegLimit.fixed(1))) {
            var route = Route.to(server.address());
            var first = rig.ask(0, route);
            server.awaitConnections(1);
            var withdrawn = new CompletableFuture<Optional<Reply>>();
            rig.on(1, () -> {
                rig.pool.offers().ask(rig.loops.get(1), route, PoolRig.CLIENT, withdrawn::complete).withdraw();
                return null;
            });
            var answer = ask(rig, 1, route);
            first.withdraw();
            server.awaitConnections(2);
            server.greet();
            assertThat(PoolRig.get(answer)).isPresent();
            assertThat(withdrawn).isNotDone();
        }
    }

    @Test
    void whatAnotherCantOpenIsNotProbedEither() throws Exception {
        try (var server = new GatedServer(); var rig = new PoolRig(1, LegLimit.fixed(3))) {
            var route = Route.to(server.address());
            var first = rig.ask(0, route);
            server.awaitConnections(1);
            var answer = ask(rig, 0, route);
            server.refuse();
            assertThat(PoolRig.get(answer)).isEmpty();
            assertThat(PoolRig.get(first.answer)).startsWith("451");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aLegThatComesBackAnswersThoughOthersAreNextInTurn() throws Exception {
        var idle = PoolRig.LONG_IDLE;
        var askedEachTime = new PoolSettings(
                Duration.ofHours(1), idle.waiters(), idle.idle(), idle.messages(), idle.age(), idle.refusals(), Duration.ZERO);
        try (var server = ScriptedServer.start(); var rig = new PoolRig(2, LegLimit.fixed(1), askedEachTime, Tls.NONE)) {
            var route = Route.to(server.address());
            var holds = rig.lease(0, route);
            var next = rig.ask(0, route);
            var answer = ask(rig, 1, route);
            assertThat(rig.pool.offers().waiting()).isEqualTo(1);
            holds.giveBack();
            assertThat(PoolRig.get(next.answer)).isEqualTo("granted");
            assertThat(PoolRig.get(answer)).isPresent();
            Rig.await("the probe is withdrawn", () -> rig.only().turns().waiting() == 0);
            assertThat(next.say("NOOP")).startsWith("250");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aServerThatIsNotThereOffersNothing() throws Exception {
        InetSocketAddress nobody;
        try (var server = ScriptedServer.start()) {
            nobody = server.address();
        }
        try (var rig = new PoolRig(1, LegLimit.fixed(2))) {
            assertThat(PoolRig.get(ask(rig, 0, Route.to(nobody)))).isEmpty();
        }
    }
}
