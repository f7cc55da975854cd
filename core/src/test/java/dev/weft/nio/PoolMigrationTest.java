package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.policy.LegLimit;
import dev.weft.relay.Route;
import dev.weft.relay.TlsPolicy;
import dev.weft.tls.spi.TlsVersion;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A leg that serves transactions on one loop after the other. */
class PoolMigrationTest {

    @Test
    void aLegInClearGoesToTheLoopThatWantsIt() throws Exception {
        try (var server = new CountingServer(1); var rig = new PoolRig(4, LegLimit.fixed(1))) {
            var route = Route.to(server.address());
            for (int i = 0; i < 50; i++) {
                var caller = rig.lease(i % 4, route);
                assertThat(caller.facts().transactions()).isEqualTo(i);
                assertThat(caller.say("NOOP " + i)).startsWith("250");
                caller.giveBack();
            }
            assertThat(server.served()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void aLegInTlsTakesItsEngineAlong(String backend) throws Exception {
        var count = new WatchedEngine.Count();
        var tls = TlsParts.of(backend)
                .around(client -> WatchedEngine.client(client, engine -> new WatchedEngine(engine, count)), context -> context).config();
        try (var server = SecureServer.start(SecureServer.Manner.SECURE); var rig = new PoolRig(3, LegLimit.fixed(1), PoolRig.LONG_IDLE, tls)) {
            var route = Route.to(server.address()).withTls(TlsPolicy.verify("mx.example"));
            for (int i = 0; i < 30; i++) {
                var caller = rig.lease(i % 3, route);
                assertThat(caller.facts().transactions()).isEqualTo(i);
                assertThat(caller.facts().tls().orElseThrow().facts().version()).isEqualTo(TlsVersion.TLS_1_3);
                assertThat(caller.facts().tls().orElseThrow().peer().verified()).isTrue();
                assertThat(caller.say("NOOP " + i)).startsWith("250");
                caller.giveBack();
            }
            assertThat(server.connections()).isEqualTo(1);
            assertThat(count.made).hasValue(1);
        }
        assertThat(count.open).as("engines that were not freed").hasValue(0);
        assertThat(count.freedTwice).hasValue(0);
    }

    @Test
    void aLegThatWasClosedWhileItsLoopDidNotLookIsReplacedUnseen() throws Exception {
        for (int wantedOn = 0; wantedOn < 2; wantedOn++) {
            try (var server = new CountingServer(1); var rig = new PoolRig(2, LegLimit.fixed(1))) {
                var route = Route.to(server.address());
                var first = rig.lease(0, route);
                // Its loop is busy while the leg is given back, closed by the server, and wanted again.
                var busy = new CountDownLatch(1);
                rig.loops.get(0).execute(() -> first.giveBackNow());
                rig.loops.get(0).execute(() -> await(busy));
                Rig.await("it was given back", () -> rig.only().idle() == 1);
                var next = wantedOn == 1 ? rig.ask(1, route) : null;
                server.closeAll();
                busy.countDown();
                next = next != null ? next : rig.ask(0, route);
                assertThat(PoolRig.get(next.answer)).isEqualTo("granted");
                assertThat(next.facts().transactions()).isZero();
                assertThat(next.say("NOOP")).startsWith("250");
                assertThat(server.served()).isEqualTo(2);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
