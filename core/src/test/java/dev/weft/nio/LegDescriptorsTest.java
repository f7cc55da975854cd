package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.nio.SecureServer.Manner;
import dev.weft.policy.LegLimit;
import dev.weft.relay.Route;
import dev.weft.relay.TlsPolicy;
import dev.weft.session.Closing;
import dev.weft.session.PoolSettings;
import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared server legs are opened only while there are descriptors for them. Each rig looks at its end that none is held. */
class LegDescriptorsTest {

    private static final PoolSettings SHORT = PoolRig.LONG_IDLE.withPatience(Duration.ofSeconds(2));

    private static PoolRig rig(int loops, long room) throws Exception {
        return new PoolRig(loops, LegLimit.fixed(10), PoolRig.LONG_IDLE, Tls.NONE, room);
    }

    private static Limits limits(PoolRig rig) {
        return rig.engine().limits();
    }

    private static void awaitHeld(PoolRig rig, long held) {
        Rig.await("descriptors held: " + held, () -> limits(rig).held() == held);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void anIdleLegOfAnyKeyClosesForWhoFindsNone(int loops) throws Exception {
        try (var one = ScriptedServer.start(); var two = ScriptedServer.start(); var three = ScriptedServer.start();
                var rig = rig(loops, 2)) {
            rig.lease(0, Route.to(one.address())).giveBack();
            var second = rig.lease(0, Route.to(two.address()));
            assertThat(limits(rig).held()).isEqualTo(2);
            var third = rig.lease(loops - 1, Route.to(three.address()));
            one.awaitAllClosed();
            assertThat(one.transcript()).contains("1 C: QUIT");
            assertThat(limits(rig).held()).isEqualTo(2);
            assertThat(second.say("NOOP")).startsWith("250");
            third.giveBack();
            assertThat(rig.lease(0, Route.to(two.address()).withEhloName("another.example")).say("NOOP")).startsWith("250");
            three.awaitAllClosed();
            assertThat(two.connections()).as("one leg in use, and one of another key").isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void theNextLegThatIsGivenBackClosesForWhoWaitsThoughItsOwnDestinationHasUseForIt(int loops) throws Exception {
        try (var busy = new CountingServer(9); var other = ScriptedServer.start(); var rig = rig(loops, 1)) {
            var holder = rig.lease(0, Route.to(busy.address()));
            var waits = rig.ask(loops - 1, Route.to(other.address()));
            var own = rig.ask(0, Route.to(busy.address()));
            assertThat(rig.pool.descriptors().waiting()).isEqualTo(2);
            holder.giveBack();
            assertThat(PoolRig.get(waits.answer)).isEqualTo("granted");
            assertThat(own.answer).isNotDone();
            waits.giveBack();
            assertThat(PoolRig.get(own.answer)).isEqualTo("granted");
            assertThat(own.facts().transactions()).isZero();
            assertThat(limits(rig).held()).isEqualTo(1);
            assertThat(busy.most()).isEqualTo(1);
            assertThat(rig.pool.descriptors().waiting()).isZero();
        }
    }

    @Test
    void aLegIsUsedAgainWhileOnlyItsOwnDestinationWaits() throws Exception {
        try (var server = new CountingServer(9); var rig = rig(2, 1)) {
            var holder = rig.lease(0, Route.to(server.address()));
            var next = rig.ask(1, Route.to(server.address()));
            holder.giveBack();
            assertThat(PoolRig.get(next.answer)).isEqualTo("granted");
            assertThat(next.facts().transactions()).isEqualTo(1);
            assertThat(server.served()).isEqualTo(1);
        }
    }

    @Test
    void whoFindsNoneInTimeIsPutOffWithTheReason() throws Exception {
        try (var one = ScriptedServer.start(); var two = ScriptedServer.start();
                var rig = new PoolRig(1, LegLimit.fixed(10), SHORT, Tls.NONE, 1)) {
            var holder = rig.lease(0, Route.to(one.address()));
            var late = rig.ask(0, Route.to(two.address()));
            assertThat(PoolRig.get(late.answer)).startsWith("451 4.3.2 No turn within 2 s: 0 of 10 connections to ")
                    .endsWith("in use, 0 waiting, too few open files allowed here");
            assertThat(rig.pool.descriptors().waiting()).as("nobody is kept in the queue").isZero();
            assertThat(two.connections()).isZero();
            holder.giveBack();
            assertThat(rig.lease(0, Route.to(two.address())).say("NOOP")).startsWith("250");
        }
    }

    @Test
    void whoWithdrawsLetsTheNextHaveThem() throws Exception {
        try (var one = ScriptedServer.start(); var two = ScriptedServer.start(); var three = ScriptedServer.start();
                var rig = rig(1, 1)) {
            var holder = rig.lease(0, Route.to(one.address()));
            var first = rig.ask(0, Route.to(two.address()));
            var second = rig.ask(0, Route.to(three.address()));
            first.withdraw();
            holder.close(Closing.ABORT);
            assertThat(PoolRig.get(second.answer)).isEqualTo("granted");
            assertThat(two.connections()).isZero();
        }
    }

    @Test
    void oneLegCanBeHadHoweverFewThereAre() throws Exception {
        try (var one = ScriptedServer.start(); var two = ScriptedServer.start(); var rig = rig(1, 0)) {
            rig.lease(0, Route.to(one.address())).giveBack();
            assertThat(rig.lease(0, Route.to(two.address())).say("NOOP")).startsWith("250");
            one.awaitAllClosed();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Manner.class, names = {"SECURE", "CLOSE", "RESET", "NOT_OFFERED", "REFUSE", "JUNK"})
    void anEngineIsCountedUntilTheLegTurnsOutToBeInClear(Manner manner) throws Exception {
        try (var server = SecureServer.start(manner); var other = new CountingServer(9);
                var rig = new PoolRig(2, LegLimit.fixed(10), SHORT, TlsParts.of("conscrypt").config(), 4)) {
            boolean secure = manner == Manner.SECURE;
            var leg = rig.lease(0, Route.to(server.address()).withTls(TlsPolicy.may()));
            assertThat(leg.facts().tls().isPresent()).isEqualTo(secure);
            assertThat(limits(rig).held()).isEqualTo(secure ? 3 : 1);
            var clear = Route.to(other.address()).withTls(TlsPolicy.none());
            var more = new ArrayList<Caller>();
            for (int i = 0; i < (secure ? 1 : 3); i++) {
                more.add(rig.lease(i % 2, clear));
            }
            assertThat(limits(rig).held()).isEqualTo(4);
            // In clear there is nothing left for another, and an engine needs more than one leg's end gives.
            var late = rig.ask(1, clear.withEhloName("late.example"));
            more.get(0).giveBack();
            assertThat(PoolRig.get(late.answer)).isEqualTo("granted");
            late.close(Closing.ABORT);
            awaitHeld(rig, 3);
            if (secure) {
                var second = rig.ask(1, Route.to(server.address()).withTls(TlsPolicy.encrypt()));
                assertThat(PoolRig.get(second.answer)).startsWith("451 4.3.2 ").endsWith("too few open files allowed here");
                leg.giveBack();
                var third = rig.lease(1, Route.to(server.address()).withTls(TlsPolicy.encrypt()));
                assertThat(third.facts().transactions()).isZero();
                assertThat(limits(rig).held()).isEqualTo(3);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void legsThatFailAsTheyAreOpenedGiveTheirsBack(int loops) throws Exception {
        InetSocketAddress nobody;
        try (var gone = ScriptedServer.start()) {
            nobody = gone.address();
        }
        var faults = new Fault[] {Fault.cut(), Fault.reset(), Fault.answer("554 5.7.1 no"), Fault.answer("junk")};
        try (var good = ScriptedServer.start(); var rig = rig(loops, 1)) {
            for (var moment : new Moment[] {Moment.GREETING, Moment.EHLO}) {
                for (var fault : faults) {
                    try (var server = ScriptedServer.script().fault(moment, fault).start()) {
                        var caller = rig.ask(loops - 1, Route.to(server.address()));
                        assertThat(PoolRig.get(caller.answer)).as(moment + " " + fault).startsWith("451 ");
                    }
                    assertThat(PoolRig.get(rig.ask(0, Route.to(nobody)).answer)).startsWith("451 4.4.1 ");
                    rig.lease(0, Route.to(good.address())).giveBack(4); // and not kept
                    awaitHeld(rig, 0);
                }
            }
        }
    }

    @Test
    void whatIsWithdrawnWhileItIsOpenedGivesThemBack() throws Exception {
        try (var silent = ScriptedServer.script().fault(Moment.GREETING, Fault.silence()).start();
                var good = ScriptedServer.start(); var rig = rig(2, 1)) {
            var opening = rig.ask(0, Route.to(silent.address()));
            silent.awaitConnections(1);
            assertThat(limits(rig).held()).isEqualTo(1);
            var waits = rig.ask(1, Route.to(good.address()));
            opening.withdraw();
            assertThat(PoolRig.get(waits.answer)).isEqualTo("granted");
        }
    }

    /** Idle legs die as they are wanted, on their loop or on the way to another: the slot goes on, with what it holds. */
    @ParameterizedTest
    @CsvSource({"1,none", "2,none", "1,may", "2,may"})
    void whatADeadLegHeldGoesToWhoWantedIt(int loops, String policy) throws Exception {
        try (var server = SecureServer.start(Manner.REFUSE);
                var rig = new PoolRig(loops, LegLimit.fixed(1), SHORT, TlsParts.of("conscrypt").config(), 3)) {
            var route = Route.to(server.address()).withTls(policy.equals("may") ? TlsPolicy.may() : TlsPolicy.none());
            for (int i = 0; i < 20; i++) {
                var caller = rig.lease(i % loops, route);
                assertThat(limits(rig).held()).isEqualTo(1);
                caller.giveBack();
                server.closeConnections();
            }
        }
    }

    /** The leg in clear held less than one in TLS needs: who was to have it asks again, and waits. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatADeadLegHeldMayBeTooLittle(int loops) throws Exception {
        try (var server = SecureServer.start(Manner.REFUSE); var other = new CountingServer(9);
                var rig = new PoolRig(loops, LegLimit.fixed(10), PoolRig.LONG_IDLE, TlsParts.of("conscrypt").config(), 3)) {
            var route = Route.to(server.address()).withTls(TlsPolicy.may());
            rig.lease(0, route).giveBack();
            var clear = Route.to(other.address()).withTls(TlsPolicy.none());
            var holders = List.of(rig.lease(0, clear), rig.lease(0, clear));
            var heir = new Caller(rig, loops - 1);
            rig.on(0, () -> {
                server.closeConnections(); // which this loop can't see before it has given the leg away
                if (loops == 1) {
                    heir.ask(route, false);
                } else {
                    rig.on(1, () -> {
                        heir.ask(route, false);
                        return null;
                    });
                }
                return null;
            });
            Rig.await("it waits", () -> rig.pool.descriptors().waiting() == 1);
            assertThat(limits(rig).held()).isLessThanOrEqualTo(3);
            holders.forEach(Caller::giveBack);
            assertThat(PoolRig.get(heir.answer)).isEqualTo("granted");
            assertThat(heir.facts().transactions()).isZero();
            assertThat(limits(rig).held()).isEqualTo(1);
            heir.giveBack();
        }
    }

    @Test
    void whoNeedsMoreIsNotPassedByThoseWhoNeedLess() throws Exception {
        try (var secure = SecureServer.start(Manner.SECURE); var other = new CountingServer(9);
                var rig = new PoolRig(1, LegLimit.fixed(10), PoolRig.LONG_IDLE, TlsParts.of("conscrypt").config(), 3)) {
            var clear = Route.to(other.address()).withTls(TlsPolicy.none());
            var holders = List.of(rig.lease(0, clear), rig.lease(0, clear), rig.lease(0, clear));
            var needsThree = rig.ask(0, Route.to(secure.address()).withTls(TlsPolicy.encrypt()));
            holders.get(0).close(Closing.ABORT);
            awaitHeld(rig, 2);
            var needsOne = rig.ask(0, clear);
            holders.get(1).giveBack();
            holders.get(2).giveBack();
            assertThat(PoolRig.get(needsThree.answer)).isEqualTo("granted");
            assertThat(needsOne.answer).isNotDone();
            needsThree.close(Closing.ABORT);
            assertThat(PoolRig.get(needsOne.answer)).isEqualTo("granted");
        }
    }

    @Test
    void whoWaitsForManyHasOneAtATimeLikeTheOthers() throws Exception {
        try (var many = new CountingServer(9); var one = new CountingServer(9); var rig = rig(1, 1)) {
            var holder = rig.lease(0, Route.to(many.address()).withEhloName("other.example"));
            var toMany = Route.to(many.address());
            var first = List.of(rig.ask(0, toMany), rig.ask(0, toMany), rig.ask(0, toMany));
            var second = rig.ask(0, Route.to(one.address()));
            holder.giveBack();
            assertThat(PoolRig.get(first.get(0).answer)).isEqualTo("granted");
            assertThat(second.answer).isNotDone();
            first.get(0).giveBack();
            assertThat(PoolRig.get(second.answer)).isEqualTo("granted");
            assertThat(first.get(1).answer).isNotDone();
            second.giveBack();
            assertThat(PoolRig.get(first.get(1).answer)).isEqualTo("granted");
            first.get(1).giveBack();
            assertThat(PoolRig.get(first.get(2).answer)).isEqualTo("granted");
            assertThat(first.get(2).facts().transactions()).as("nobody else waits").isEqualTo(1);
        }
    }

    /** Many destinations, and fewer descriptors than these would like. */
    @ParameterizedTest
    @CsvSource({"1,2", "2,2", "2,5", "3,3"})
    void neverMoreThanThereAreAndNobodyStarves(int loops, int room) throws Exception {
        var servers = new ArrayList<CountingServer>();
        try (var rig = rig(loops, room)) {
            for (int i = 0; i < 6; i++) {
                servers.add(new CountingServer(100));
            }
            Crowd.of(12, number -> {
                for (int j = 0; j < 15; j++) {
                    var caller = rig.lease((number + j) % loops, Route.to(servers.get(number % 6).address()));
                    assertThat(caller.say("MAIL FROM:<>")).startsWith("250");
                    assertThat(limits(rig).held()).isLessThanOrEqualTo(room);
                    assertThat(servers.stream().mapToInt(CountingServer::open).sum()).isLessThanOrEqualTo(room);
                    caller.giveBack(j % 5);
                }
            });
            assertThat(rig.pool.descriptors().waiting()).isZero();
        } finally {
            close(servers);
        }
    }

    private static void close(Iterable<CountingServer> servers) throws IOException {
        for (var server : servers) {
            server.close();
        }
    }
}
