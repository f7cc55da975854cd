package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.policy.LegLimit;
import dev.weft.relay.Route;
import dev.weft.testkit.ScriptedServer;
import org.junit.jupiter.api.Test;

class PoolReuseTest {

    @Test
    void aLegThatWasGivenBackServesTheNextTransaction() throws Exception {
        try (var server = ScriptedServer.start(); var rig = new PoolRig(1, LegLimit.fixed(10))) {
            var route = Route.to(server.address());
            for (int i = 0; i < 5; i++) {
                var caller = rig.lease(0, route);
                assertThat(caller.facts().transactions()).isEqualTo(i);
                assertThat(caller.facts().hello().text()).contains("PIPELINING");
                assertThat(caller.say("MAIL FROM:<a@example.com>")).startsWith("250");
                assertThat(caller.say("RSET")).startsWith("250");
                caller.giveBack();
            }
            assertThat(server.connections()).isEqualTo(1);
            assertThat(rig.only().open()).isEqualTo(1);
            assertThat(rig.only().idle()).isEqualTo(1);
            assertThat(server.transcript()).contains("1 C: EHLO proxy.example");
        }
    }

    @Test
    void aLegWithAReplyTooManyIsNotUsedAgain() throws Exception {
        for (var behind : new String[] {"", "\r\n250 stray"}) {
            try (var server = ScriptedServer.script().answer("NOOP", "250 ok" + behind).start(); var rig = new PoolRig(1, LegLimit.fixed(1))) {
                var route = Route.to(server.address());
                var caller = rig.lease(0, route);
                caller.givesBackAtOnce = true;
                assertThat(caller.say("NOOP")).isEqualTo("250 ok");
                assertThat(rig.lease(0, route).facts().transactions()).isEqualTo(behind.isEmpty() ? 1 : 0);
            }
        }
    }
}
