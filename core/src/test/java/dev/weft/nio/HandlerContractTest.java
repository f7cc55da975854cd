package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.testkit.ScriptedServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HandlerContractTest {

    @Test
    void verdictThatTakesItsTimeDelaysNoOtherSession() throws Exception {
        var handler = new RelayHandler() {
            @Override
            public Verdict<Command> rcpt(Transaction transaction, Command command) {
                if (!command.text().contains("slow")) {
                    return Verdict.proceed();
                }
                return Verdict.later(new CompletableFuture<Verdict<Command>>()
                        .completeOnTimeout(Verdict.reject(Reply.of(550, "5.7.1", "No")), 200, TimeUnit.MILLISECONDS));
            }
        };
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).handlers(handler).loops(1).start();
                var slow = rig.client();
                var quick = rig.client()) {
            for (var client : List.of(slow, quick)) {
                client.expect(220);
                client.command("EHLO a.example", 250);
                client.command("MAIL FROM:<a@example.com>", 250);
            }
            long start = System.nanoTime();
            slow.sendLines("RCPT TO:<slow@example.net>", "RCPT TO:<b@example.net>", "RSET");
            for (int i = 0; i < 20; i++) {
                quick.command("RCPT TO:<b@example.net>", 250);
            }
            var quickTook = Duration.ofNanos(System.nanoTime() - start);
            slow.expect(550);
            var slowTook = Duration.ofNanos(System.nanoTime() - start);
            slow.expect(250);
            slow.expect(250);
            assertThat(slowTook).isBetween(Duration.ofMillis(200), Duration.ofSeconds(5));
            assertThat(quickTook).isLessThan(slowTook);
        }
    }

    @Test
    void clientThatVanishesWhileAVerdictIsOutstandingIsNoticedWithinASecond() throws Exception {
        var handler = new RelayHandler() {
            final CountDownLatch asked = new CountDownLatch(1);
            final CountDownLatch closed = new CountDownLatch(1);
            final CompletableFuture<Verdict<Command>> verdict = new CompletableFuture<>();

            @Override
            public Verdict<Command> mail(Transaction transaction, Command command) {
                asked.countDown();
                return Verdict.later(verdict);
            }

            @Override
            public void sessionClosed(RelaySession session, SessionRecord record) {
                closed.countDown();
            }
        };
        try (var server = ScriptedServer.start(); var rig = Rig.to(server.address(), handler)) {
            try (var client = rig.client()) {
                client.expect(220);
                client.command("EHLO a.example", 250);
                client.sendLines("MAIL FROM:<a@example.com>", "RCPT TO:<b@example.net>");
                assertThat(handler.asked.await(10, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(handler.closed.await(1, TimeUnit.SECONDS)).as("sessionClosed within a second").isTrue();
            assertThat(handler.verdict).isCancelled();
            rig.awaitIdle();
            server.awaitAllClosed();
        }
    }

    @Test
    void handlerThatThrowsEndsAtMostItsOwnSession() throws Exception {
        var handler = new RelayHandler() {
            @Override
            public Verdict<Route> connect(RelaySession session, Route proposed) {
                Thread.currentThread().interrupt(); // bad manners, but no loop may spin for it
                return Verdict.proceed();
            }

            @Override
            public Verdict<Command> mail(Transaction transaction, Command command) {
                throw new StackOverflowError("meant to");
            }

            @Override
            public void sessionClosed(RelaySession session, SessionRecord record) {
                throw new IllegalStateException("meant to");
            }
        };
        try (var server = ScriptedServer.start(); var rig = Rig.to(server.address(), handler); var other = rig.client()) {
            other.expect(220);
            try (var client = rig.client()) {
                client.expect(220);
                client.command("EHLO a.example", 250);
                client.command("MAIL FROM:<a@example.com>", 451);
                client.command("QUIT", 221);
            }
            other.command("NOOP", 250);
            other.command("QUIT", 221);
        }
    }

    @Test
    void verdictsMayComeFromAnyThreadAndAfterTheProxyStopped() throws Exception {
        var handler = new RelayHandler() {
            final CountDownLatch asked = new CountDownLatch(1);
            volatile Runnable late;

            @Override
            public Verdict<Command> mail(Transaction transaction, Command command) {
                var stage = new CompletableFuture<Verdict<Command>>();
                late = () -> stage.complete(Verdict.proceed());
                asked.countDown();
                return Verdict.later(stage.minimalCompletionStage());
            }
        };
        try (var server = ScriptedServer.start(); var rig = Rig.to(server.address(), handler); var client = rig.client()) {
            client.expect(220);
            client.sendLines("MAIL FROM:<a@example.com>");
            assertThat(handler.asked.await(10, TimeUnit.SECONDS)).isTrue();
            long start = System.nanoTime();
            assertThat(rig.stop(Duration.ZERO)).isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
            client.expect(421);
            assertThat(client.readLine()).isNull();
            handler.late.run();
        }
    }
}
