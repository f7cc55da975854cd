package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.policy.LegLimit;
import dev.weft.policy.ThrottleSigns;
import dev.weft.relay.Binding;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.session.PoolSettings;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.RecordingHandler;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Real sessions that are bound on mail, between real sockets. */
class PooledSessionsTest {

    private static Rig.Setup rig(InetSocketAddress server, LegLimit limit, PoolSettings settings) {
        return Rig.with(Interception.fixed(server))
                .leases(new LegPool.Config(Binding.ON_MAIL, settings, destination -> limit, ThrottleSigns.defaults(), false));
    }

    private static ScriptedClient hello(Rig rig) throws Exception {
        var client = rig.client();
        client.expect(220);
        client.command("EHLO client.example", 250);
        return client;
    }

    private static void deliver(Rig rig, String subject) throws Exception {
        try (var client = hello(rig)) {
            client.sendMessage("<a@example.com>", List.of("<b@example.org>"), "Subject: " + subject + "\r\n\r\nhello\r\n");
            client.command("QUIT", 221);
        }
    }

    @Test
    void sessionsOneAfterTheOtherShareALegWhateverLoopTheyAreOn() throws Exception {
        var recorder = new RecordingHandler();
        try (var server = ScriptedServer.start();
                var rig = rig(server.address(), LegLimit.fixed(1), PoolRig.LONG_IDLE).loops(4).handlers(recorder).start()) {
            for (int i = 0; i < 20; i++) {
                deliver(rig, "message " + i);
            }
            assertThat(server.awaitMessages(20)).hasSize(20);
            assertThat(server.connections()).isEqualTo(1);
            Rig.await("all records", () -> recorder.transactions().size() == 20);
            assertThat(recorder.transactions()).extracting(record -> record.reused().orElse(-1))
                    .isEqualTo(IntStream.range(0, 20).boxed().toList());
            assertThat(recorder.transactions()).extracting(record -> record.source().orElseThrow()).containsOnly(
                    recorder.transactions().get(0).source().orElseThrow());
            assertThat(recorder.transactions()).allMatch(record -> record.waited().isPresent());
            assertThat(rig.engine.pool().snapshot().get(0).idle()).isEqualTo(1);
        }
    }

    @Test
    void aLegIsRetiredAfterAsManyMessagesAsItMayCarry() throws Exception {
        var recorder = new RecordingHandler();
        try (var server = ScriptedServer.start();
                var rig = rig(server.address(), LegLimit.fixed(1), PoolRig.LONG_IDLE.withMessages(3))
                        .handlers(recorder).start()) {
            for (int i = 0; i < 7; i++) {
                deliver(rig, "message " + i);
            }
            server.awaitMessages(7);
            Rig.await("all records", () -> recorder.transactions().size() == 7);
            assertThat(recorder.transactions()).extracting(record -> record.reused().orElse(-1))
                    .containsExactly(0, 1, 2, 0, 1, 2, 0);
            assertThat(server.connections()).isEqualTo(3);
            assertThat(server.transcript()).contains("1 C: QUIT", "2 C: QUIT");
        }
    }

    @Test
    void whatTheServerNamesAsItsLimitHolds() throws Exception {
        try (var server = ScriptedServer.script().capabilities("PIPELINING", "LIMITS RCPTMAX=100 MAILMAX=2").start();
                var rig = rig(server.address(), LegLimit.fixed(1), PoolRig.LONG_IDLE).start()) {
            for (int i = 0; i < 4; i++) {
                deliver(rig, "message " + i);
            }
            server.awaitMessages(4);
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    /** On connect a session's own leg is used again by its transactions; one that the server never heard of does not count. */
    @Test
    void aSessionsOwnLegIsUsedAgainToo() throws Exception {
        var recorder = new RecordingHandler();
        var refusing = new RelayHandler() {
            @Override
            public Verdict<Command> mail(Transaction transaction, Command command) {
                return command.path().text().contains("bad")
                        ? Verdict.reject(Reply.of(550, "5.7.1", "not you"))
                        : Verdict.proceed();
            }
        };
        try (var server = ScriptedServer.start();
                var rig = Rig.to(server.address(), recorder, refusing);
                var client = hello(rig)) {
            for (int i = 0; i < 2; i++) {
                client.sendMessage("<a@example.com>", List.of("<b@example.org>"), "hello\r\n");
                client.command("MAIL FROM:<bad@example.com>", 550);
            }
            client.sendMessage("<a@example.com>", List.of("<b@example.org>"), "hello\r\n");
            client.command("QUIT", 221);
            var passed = recorder.transactions().stream().filter(record -> !record.sender().text().contains("bad")).toList();
            assertThat(passed).extracting(record -> record.reused().orElse(-1)).containsExactly(0, 1, 2);
            assertThat(passed).allMatch(record -> record.waited().isEmpty());
        }
    }

    @Test
    void aLegThatTheServerClosedBetweenTransactionsCostsNoMessage() throws Exception {
        try (var server = ScriptedServer.script().fault(Moment.END_OF_DATA, Fault.cut().afterAnswer()).start();
                var rig = rig(server.address(), LegLimit.fixed(1), PoolRig.LONG_IDLE).start()) {
            for (int i = 0; i < 5; i++) {
                deliver(rig, "message " + i);
            }
            assertThat(server.connections()).isEqualTo(5);
        }
    }

    @Test
    void aDestinationThatIsGonePutsEveryMessageOff() throws Exception {
        InetSocketAddress nobody;
        try (var server = ScriptedServer.start()) {
            nobody = server.address();
        }
        try (var rig = rig(nobody, LegLimit.fixed(2), PoolSettings.DEFAULT).start(); var client = hello(rig)) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.command("MAIL FROM:<a@example.com>", 451)).contains("4.4.1 Server can't be reached");
            }
            client.command("QUIT", 221);
        }
    }

    @Test
    void whoGetsNoTurnInTimeIsToldWhyAtMail() throws Exception {
        var recorder = new RecordingHandler();
        try (var server = ScriptedServer.start();
                var rig = rig(server.address(), LegLimit.fixed(1), PoolSettings.DEFAULT.withPatience(Duration.ofSeconds(2)))
                        .handlers(recorder).start();
                var first = hello(rig);
                var second = hello(rig)) {
            first.command("MAIL FROM:<a@example.com>", 250);
            assertThat(second.command("MAIL FROM:<b@example.com>", 451)).contains("4.3.2 No turn within 2 s: 1 of 1 connections to ");
            assertThat(recorder.transactions()).hasSize(1);
            assertThat(recorder.transactions().get(0).reused()).as("it had no leg").isEmpty();
            assertThat(recorder.transactions().get(0).waited()).isEmpty();
            first.command("QUIT", 221);
            second.command("MAIL FROM:<b@example.com>", 250);
        }
    }

    @Test
    void aHostsFunctionOfLimitsThatFailsEndsNoSession() throws Exception {
        var fails = new AtomicBoolean(true);
        var leases = new LegPool.Config(Binding.ON_MAIL, PoolSettings.DEFAULT, destination -> {
            if (fails.get()) {
                throw new IllegalStateException("the host's fault");
            }
            return LegLimit.fixed(1);
        }, ThrottleSigns.defaults(), false);
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).leases(leases).start();
                var client = hello(rig)) {
            assertThat(client.command("MAIL FROM:<a@example.com>", 451)).contains("4.3.0");
            fails.set(false);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.org>", 250);
            client.command("QUIT", 221);
        }
    }

    @Test
    void whatWasLearntOutlivesTheCount() throws Exception {
        try (var server = new CountingServer(1); var rig = new PoolRig(1, LegLimit.learnt(2, 8))) {
            var route = Route.to(server.address());
            var first = rig.lease(0, route);
            var second = rig.ask(0, route);
            Rig.await("the refusal is read", () -> rig.only().limit() == 1);
            rig.on(0, () -> {
                first.leave();
                second.leave();
                return null;
            });
            rig.awaitEmpty();
            assertThat(rig.engine().learntLimits().values()).containsExactly(1);
            rig.lease(0, route);
            assertThat(rig.only().limit()).isEqualTo(1);
        }
    }

    @Test
    void aStoppingProxySaysQuitOverItsIdleLegs() throws Exception {
        try (var server = ScriptedServer.start(); var rig = rig(server.address(), LegLimit.fixed(1), PoolRig.LONG_IDLE).start()) {
            deliver(rig, "the only one");
            assertThat(rig.stop(Duration.ofSeconds(5))).isTrue();
            server.awaitAllClosed();
            assertThat(server.transcript()).contains("1 C: QUIT");
            assertThat(rig.engine.pool().isEmpty()).isTrue();
        }
    }
}
