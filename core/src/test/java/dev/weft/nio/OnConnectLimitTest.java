package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.policy.LegLimit;
import dev.weft.policy.ThrottleSigns;
import dev.weft.relay.Binding;
import dev.weft.session.PoolSettings;
import dev.weft.testkit.ScriptedServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Sessions bound on connect that wait for a turn, where a host limits these too. */
class OnConnectLimitTest {

    private static Rig.Setup rig(InetSocketAddress server, int limit, Duration patience) {
        return Rig.with(Interception.fixed(server)).leases(new LegPool.Config(Binding.ON_CONNECT,
                PoolSettings.DEFAULT.withPatience(patience), destination -> LegLimit.fixed(limit), ThrottleSigns.defaults(), true));
    }

    private static void awaitNothingOpen(Rig rig) {
        rig.awaitIdle();
        Rig.await("all turns over", () -> rig.engine.pool().snapshot().stream().allMatch(each -> each.open() == 0));
    }

    @Test
    void theNextClientIsGreetedWhenTheOneBeforeHasGone() throws Exception {
        try (var server = ScriptedServer.start(); var rig = rig(server.address(), 1, Duration.ofSeconds(20)).loops(2).start()) {
            try (var first = rig.client()) {
                first.expect(220); // before the other comes: on two loops either may be the first
                try (var second = rig.client()) {
                    Rig.await("the second waits", () -> rig.engine.pool().snapshot().get(0).turns().waiting() == 1);
                    assertThat(server.connections()).isEqualTo(1);
                    first.command("EHLO a.example", 250);
                    first.command("QUIT", 221);
                    second.expect(220);
                    second.command("QUIT", 221);
                }
            }
            awaitNothingOpen(rig);
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void whoseTurnDoesNotComeIsToldWhyInTheGreeting() throws Exception {
        try (var server = ScriptedServer.start(); var rig = rig(server.address(), 1, Duration.ofMillis(50)).start()) {
            try (var first = rig.client()) {
                first.expect(220);
                try (var second = rig.client()) {
                    assertThat(second.expect(421)).startsWith("421 4.4.1").contains("no turn within 0.05 s: 1 of 1 connections");
                }
                first.command("QUIT", 221);
            }
            awaitNothingOpen(rig);
        }
    }

    @Test
    void aClientThatVanishesWhileItWaitsLeavesNoTurnBehind() throws Exception {
        try (var server = ScriptedServer.start(); var rig = rig(server.address(), 1, Duration.ofSeconds(20)).start()) {
            try (var first = rig.client()) {
                first.expect(220);
                try (var second = rig.client()) {
                    Rig.await("the second waits", () -> rig.engine.pool().snapshot().get(0).turns().waiting() == 1);
                    second.reset();
                }
                Rig.await("nobody waits", () -> rig.engine.pool().snapshot().get(0).turns().waiting() == 0);
                first.command("QUIT", 221);
            }
            try (var third = rig.client()) {
                third.expect(220);
                third.command("QUIT", 221);
            }
            awaitNothingOpen(rig);
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void aServerThatCannotBeReachedCostsNoTurn() throws Exception {
        InetSocketAddress gone;
        try (var server = ScriptedServer.start()) {
            gone = server.address();
        }
        try (var rig = rig(gone, 1, Duration.ofSeconds(20)).start()) {
            for (int i = 0; i < 3; i++) {
                try (var client = rig.client()) {
                    assertThat(client.expect(421)).startsWith("421 4.4.1");
                }
            }
            awaitNothingOpen(rig);
        }
    }
}
