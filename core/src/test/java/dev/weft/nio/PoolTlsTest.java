package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.nio.SecureServer.Manner;
import dev.weft.policy.LegLimit;
import dev.weft.relay.Route;
import dev.weft.relay.TlsPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The TLS of leased legs, with real engines and a limit of one connection. */
class PoolTlsTest {

    private static PoolRig rig(String backend) throws Exception {
        return new PoolRig(2, LegLimit.fixed(1), PoolRig.LONG_IDLE, TlsParts.of(backend).config());
    }

    @ParameterizedTest
    @EnumSource(value = Manner.class, names = {"CLOSE", "RESET", "JUNK", "NOT_OFFERED", "REFUSE"})
    void whereTlsFailsALegInClearIsUsedIfThePolicyAllows(Manner manner) throws Exception {
        try (var server = SecureServer.start(manner); var rig = rig("jdk")) {
            var route = Route.to(server.address()).withTls(TlsPolicy.may());
            var caller = rig.lease(0, route);
            assertThat(caller.facts().tls()).isEmpty();
            assertThat(caller.facts().tlsFailure()).isPresent();
            assertThat(caller.say("NOOP")).startsWith("250");
            caller.giveBack();
            int connections = server.connections();
            assertThat(rig.lease(1, route).say("NOOP")).startsWith("250");
            assertThat(server.connections()).as("the leg in clear is used again").isEqualTo(connections);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Manner.class, names = {"SECURE", "STALL", "LESS_INSIDE"}, mode = Mode.EXCLUDE)
    void whereTlsFailsNoMailPassesIfItIsDemanded(Manner manner) throws Exception {
        try (var server = SecureServer.start(manner); var rig = rig("jdk")) {
            var route = Route.to(server.address()).withTls(TlsPolicy.encrypt());
            assertThat(PoolRig.get(rig.ask(0, route).answer)).startsWith(manner == Manner.INJECT ? "451 4.7.0 " : "451 4.7.5 ");
            rig.awaitEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"jdk", "conscrypt"})
    void aLegIsUsedByThoseOnlyWhoWantTheSameOfIt(String backend) throws Exception {
        try (var server = SecureServer.start(Manner.SECURE); var rig = rig(backend)) {
            var route = Route.to(server.address());
            var policies = new TlsPolicy[] {TlsPolicy.verify("mx.example"), TlsPolicy.encrypt(), TlsPolicy.none(), TlsPolicy.may()};
            for (int i = 0; i < policies.length; i++) {
                var caller = rig.lease(i % 2, route.withTls(policies[i]));
                assertThat(caller.facts().transactions()).isZero();
                assertThat(caller.facts().tls().isPresent()).isEqualTo(policies[i].wanted());
                caller.giveBack();
            }
            assertThat(server.connections()).isEqualTo(4);
            assertThat(PoolRig.get(rig.ask(0, route.withTls(TlsPolicy.verify("other.example"))).answer))
                    .startsWith("451 4.7.5 TLS policy can't be met: the server's certificate is not verified");
        }
    }

    @Test
    void anIdleLegThatTheServerEndsInTlsIsFoundOut() throws Exception {
        try (var server = SecureServer.start(Manner.SECURE); var rig = rig("jdk")) {
            var route = Route.to(server.address()).withTls(TlsPolicy.encrypt());
            rig.lease(0, route).giveBack();
            server.closeConnections();
            Rig.await("the dead leg is let go", () -> rig.pool.isEmpty());
            assertThat(rig.lease(0, route).say("NOOP")).startsWith("250");
            assertThat(server.connections()).isEqualTo(2);
        }
    }
}
