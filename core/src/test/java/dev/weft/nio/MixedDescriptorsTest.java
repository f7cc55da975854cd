package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.policy.LegLimit;
import dev.weft.policy.ThrottleSigns;
import dev.weft.relay.Binding;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.session.PoolSettings;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sessions of both bindings and the server legs that some of them share have one limit of open files. */
class MixedDescriptorsTest {

    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final PoolSettings TWO_SECONDS = PoolSettings.DEFAULT.withPatience(Duration.ofSeconds(2));

    private static Rig.Setup rig(InetSocketAddress server, PoolSettings settings) {
        return Rig.with(Interception.fixed(server)).leases(new LegPool.Config(
                Binding.ON_MAIL, settings, destination -> LegLimit.fixed(100), ThrottleSigns.defaults(), false));
    }

    private static ScriptedClient hello(Rig rig) throws IOException {
        var client = rig.client();
        client.expect(220);
        client.command("EHLO client.example", 250);
        return client;
    }

    @Test
    void aSessionBoundOnMailHoldsOneAndItsLegAnother() throws Exception {
        try (var server = ScriptedServer.start(); var rig = rig(server.address(), PoolRig.LONG_IDLE).room(100).start()) {
            var limits = rig.engine.limits();
            try (var first = hello(rig); var second = hello(rig)) {
                assertThat(limits.held()).as("two sessions, and the leg that says what is offered").isEqualTo(3);
                first.command("MAIL FROM:<a@example.com>", 250);
                second.command("MAIL FROM:<a@example.com>", 250);
                assertThat(limits.held()).isEqualTo(4);
                first.command("QUIT", 221);
                second.command("QUIT", 221);
            }
            rig.awaitIdle();
            assertThat(limits.held()).as("idle legs").isEqualTo(2);
        }
    }

    @Test
    void anEngineOfTheClientLegIsTheSessions() throws Exception {
        var tls = TlsParts.of("conscrypt").clientLeg(TlsParts.EC.material());
        try (var server = ScriptedServer.start();
                var rig = rig(server.address(), PoolRig.LONG_IDLE).tls(tls.config()).room(100).start()) {
            try (var client = hello(rig)) {
                assertThat(rig.engine.limits().held() - rig.engine.limits().heldForLegs()).isEqualTo(3);
                assertThat(rig.engine.limits().heldForLegs()).as("the server is in clear").isEqualTo(1);
                client.command("QUIT", 221);
            }
            rig.awaitIdle();
        }
    }

    @Test
    void idleSessionsLeaveServerLegsTheirShare() throws Exception {
        try (var server = ScriptedServer.start(); var rig = rig(server.address(), PoolRig.LONG_IDLE).room(16).start()) {
            var clients = new ArrayList<ScriptedClient>();
            try {
                for (int i = 0; i < 13; i++) {
                    clients.add(hello(rig));
                }
                try (var refused = rig.client()) {
                    assertThat(refused.expect(421)).startsWith("421 4.3.2 Too many sessions here");
                }
                clients.get(0).command("MAIL FROM:<a@example.com>", 250);
                clients.get(1).command("MAIL FROM:<a@example.com>", 250);
                clients.get(2).command("MAIL FROM:<a@example.com>", 250);
                assertThat(rig.engine.limits().held()).isEqualTo(16);
            } finally {
                for (var client : clients) {
                    client.close();
                }
            }
            rig.awaitIdle();
        }
    }

    @Test
    void anIdleLegClosesForTheSessionsThatCome() throws Exception {
        // Room for a session and a leg of its own, or for three sessions that share one.
        try (var server = ScriptedServer.start(); var other = ScriptedServer.start();
                var rig = rig(server.address(), PoolRig.LONG_IDLE).handlers(new RelayHandler() {
                    @Override
                    public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
                        return Verdict.rewrite(proposed.withServer(other.address()));
                    }
                }).room(4).start()) {
            try (var first = hello(rig)) {
                first.command("MAIL FROM:<a@example.com>", 250);
                first.command("RSET", 250);
                Rig.await("two idle legs", () -> rig.engine.limits().heldForLegs() == 2);
                try (var refused = rig.client()) {
                    assertThat(refused.expect(421)).startsWith("421 4.3.2");
                }
                Rig.await("one idle leg", () -> rig.engine.limits().heldForLegs() == 1);
                try (var second = hello(rig)) {
                    second.command("QUIT", 221);
                }
                first.command("QUIT", 221);
            }
        }
    }

    @Test
    void whoFindsNoDescriptorIsPutOffAtMailAndNotBefore() throws Exception {
        try (var server = ScriptedServer.start(); var other = ScriptedServer.start();
                var rig = rig(server.address(), TWO_SECONDS).handlers(new RelayHandler() {
                    @Override
                    public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
                        boolean another = transaction.sender().text().contains("other");
                        return Verdict.rewrite(another ? proposed.withServer(other.address()) : proposed);
                    }
                }).room(5).start();
                var first = hello(rig); var second = hello(rig); var third = hello(rig)) {
            first.command("MAIL FROM:<a@example.com>", 250);
            second.command("MAIL FROM:<a@example.com>", 250);
            assertThat(rig.engine.limits().held()).isEqualTo(5);
            assertThat(third.command("MAIL FROM:<other@example.com>", 451)).contains("4.3.2 No turn within 2 s: ")
                    .contains("too few open files allowed here");
            second.command("QUIT", 221);
            third.command("MAIL FROM:<other@example.com>", 250);
            assertThat(server.connections()).as("the leg of the second made room").isEqualTo(2);
            first.command("QUIT", 221);
            third.command("QUIT", 221);
        }
    }

    /** Whoever comes is served or refused with a 421 instead of a greeting; no more descriptors are held than there are. */
    @ParameterizedTest
    @CsvSource({"1,8,jdk", "2,8,jdk", "2,24,conscrypt"})
    void bothBindingsTogetherKeepToTheLimit(int loops, int room, String backend) throws Exception {
        var tls = backend.equals("jdk") ? Tls.NONE : TlsParts.of(backend).clientLeg(TlsParts.EC.material()).config();
        var served = new AtomicInteger();
        try (var one = new CountingServer(1000); var two = new CountingServer(1000);
                var rig = rig(one.address(), PoolSettings.DEFAULT).tls(tls).loops(loops).room(room).handlers(new RelayHandler() {
                    private final AtomicInteger count = new AtomicInteger();

                    @Override
                    public Verdict<Route> connect(RelaySession session, Route proposed) {
                        int number = count.getAndIncrement();
                        return Verdict.rewrite(proposed.withServer(number % 4 < 2 ? one.address() : two.address())
                                .withBinding(number % 2 == 0 ? Binding.ON_CONNECT : Binding.ON_MAIL));
                    }
                }).start()) {
            var limits = rig.engine.limits();
            Crowd.of(10, number -> {
                for (int j = 0; j < 20; j++) {
                    served.addAndGet(session(rig) ? 1 : 0);
                    assertThat(limits.held()).isLessThanOrEqualTo(room);
                }
            });
            assertThat(one.messages() + two.messages()).isEqualTo(served.get()).isPositive();
            rig.awaitIdle();
            rig.engine.pool().stop();
            Rig.await("none is held", () -> limits.held() == 0);
        }
    }

    private static boolean session(Rig rig) throws IOException {
        try (var client = ScriptedClient.connect(rig.address, LOOPBACK, Duration.ofSeconds(40))) {
            var greeting = client.readReply();
            if (!greeting.startsWith("220")) {
                assertThat(greeting).startsWith("421 4.3.2");
                return false;
            }
            client.command("EHLO client.example", 250);
            client.sendMessage("<a@example.com>", List.of("<b@example.org>"), "Subject: one\r\n\r\nhello\r\n");
            client.command("QUIT", 221);
            return true;
        }
    }
}
