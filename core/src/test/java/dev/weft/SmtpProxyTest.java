package dev.weft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.weft.intercept.Interception;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class SmtpProxyTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static SmtpProxy proxy(InetSocketAddress server, RelayHandler... handlers) throws IOException {
        var builder = SmtpProxy.builder().listen("127.0.0.1", 0).intercept(Interception.fixed(server)).loops(2);
        for (var handler : handlers) {
            builder.handler(handler);
        }
        var proxy = builder.build();
        proxy.start();
        return proxy;
    }

    private static ScriptedClient connect(SmtpProxy proxy) throws IOException {
        return ScriptedClient.connect(proxy.addresses().get(0));
    }

    private static void beginMessage(ScriptedClient client) throws IOException {
        client.expect(220);
        client.command("EHLO a.example", 250);
        client.command("MAIL FROM:<a@example.com>", 250);
        client.command("RCPT TO:<b@example.net>", 250);
        client.command("DATA", 354);
        client.sendLines("half");
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("waited in vain for: " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static boolean refuses(InetSocketAddress address) {
        try (var probe = ScriptedClient.connect(address)) {
            return probe.readLine() == null;
        } catch (ConnectException e) {
            return true;
        } catch (IOException e) {
            return false; // reset: it was in the backlog as the listener closed
        }
    }

    @Test
    void gracefulStopLetsTransactionsFinishAndSendsIdleSessionsAway() throws Exception {
        try (var server = ScriptedServer.start();
                var proxy = proxy(server.address());
                var busy = connect(proxy);
                var idle = connect(proxy)) {
            beginMessage(busy);
            idle.expect(220);
            idle.command("EHLO b.example", 250);
            assertThat(proxy.sessions()).hasSize(2).allSatisfy(session -> {
                assertThat(session.originalDestination()).isEqualTo(server.address());
                assertThat(session.age()).isBetween(Duration.ZERO, LONG);
            });
            var stop = CompletableFuture.supplyAsync(() -> proxy.stop(LONG));
            assertThat(idle.expect(421)).startsWith("421 4.3.2");
            assertThat(idle.readLine()).isNull();
            idle.socket().close();
            await("the listener closed", () -> refuses(proxy.addresses().get(0)));
            assertThat(stop).isNotDone();
            busy.sendLines("the rest", ".");
            busy.expect(250);
            assertThat(busy.expect(421)).startsWith("421 4.3.2");
            assertThat(busy.readLine()).isNull();
            busy.socket().close();
            assertThat(stop.get(10, TimeUnit.SECONDS)).isTrue();
            assertThat(proxy.sessions()).isEmpty();
            assertThat(server.messages()).hasSize(1);
        }
    }

    @Test
    void transactionThatOutlastsTheGraceTimeGetsA421AndNothingIsDelivered() throws Exception {
        try (var server = ScriptedServer.start(); var proxy = proxy(server.address()); var client = connect(proxy)) {
            beginMessage(client);
            assertThat(proxy.stop(Duration.ofMillis(100))).isFalse();
            assertThat(client.expect(421)).startsWith("421 4.3.2");
            assertThat(client.readLine()).isNull();
            server.awaitAllClosed();
            assertThat(server.messages()).isEmpty();
        }
    }

    @Test
    void immediateStopCutsAllWithA421() throws Exception {
        try (var server = ScriptedServer.script().fault(Moment.END_OF_DATA, Fault.silence()).start();
                var proxy = proxy(server.address());
                var first = connect(proxy);
                var second = connect(proxy)) {
            first.expect(220);
            beginMessage(second);
            second.sendLines(".");
            server.awaitLine("octets");
            long start = System.nanoTime();
            assertThat(proxy.stop(Duration.ZERO)).isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
            first.expect(421);
            second.expect(421);
        }
    }

    @Test
    void secondStopHastensTheFirst() throws Exception {
        try (var server = ScriptedServer.start(); var proxy = proxy(server.address()); var client = connect(proxy)) {
            beginMessage(client);
            var patient = CompletableFuture.supplyAsync(() -> proxy.stop(LONG));
            await("the listener closed", () -> refuses(proxy.addresses().get(0)));
            long start = System.nanoTime();
            assertThat(proxy.stop(Duration.ZERO)).isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
            assertThat(patient.get(5, TimeUnit.SECONDS)).isFalse();
            client.expect(421);
            assertThat(proxy.stop(LONG)).isTrue();
        }
    }

    @Test
    void stopOnAnEventLoopIsRefused() throws Exception {
        var running = new AtomicReference<SmtpProxy>();
        var handler = new RelayHandler() {
            final CompletableFuture<Throwable> outcome = new CompletableFuture<>();

            @Override
            public Verdict<Command> mail(Transaction transaction, Command command) {
                try {
                    running.get().close();
                    outcome.complete(null);
                } catch (IllegalStateException e) {
                    outcome.complete(e);
                }
                return Verdict.proceed();
            }
        };
        try (var server = ScriptedServer.start(); var proxy = proxy(server.address(), handler); var client = connect(proxy)) {
            running.set(proxy);
            client.expect(220);
            client.command("MAIL FROM:<a@example.com>", 250);
            assertThat(handler.outcome.get(5, TimeUnit.SECONDS)).hasMessageContaining("from another thread");
            client.command("QUIT", 221);
        }
    }

    @Test
    void stopWhileAVerdictIsOutstandingTellsTheClientAndTheHandler() throws Exception {
        var handler = new RelayHandler() {
            final CountDownLatch asked = new CountDownLatch(1);
            final CompletableFuture<SessionRecord.End> end = new CompletableFuture<>();

            @Override
            public Verdict<Command> mail(Transaction transaction, Command command) {
                asked.countDown();
                return Verdict.later(new CompletableFuture<>());
            }

            @Override
            public void sessionClosed(RelaySession session, SessionRecord record) {
                end.complete(record.end());
            }
        };
        try (var server = ScriptedServer.start(); var proxy = proxy(server.address(), handler); var client = connect(proxy)) {
            client.expect(220);
            client.sendLines("MAIL FROM:<a@example.com>");
            assertThat(handler.asked.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(proxy.stop(Duration.ofMillis(50))).isFalse();
            client.expect(421);
            assertThat(handler.end.get(5, TimeUnit.SECONDS)).isEqualTo(SessionRecord.End.STOPPED);
        }
    }

    @Test
    void proxyStartsOnceAndAnotherOneMayTakeItsPort() throws Exception {
        try (var server = ScriptedServer.start(); var first = proxy(server.address())) {
            assertThatThrownBy(first::start).isInstanceOf(IllegalStateException.class).hasMessageContaining("build another one");
            var address = first.addresses().get(0);
            var rival = SmtpProxy.builder().listen(address).intercept(Interception.fixed(server.address())).build();
            assertThatThrownBy(rival::start).isInstanceOf(BindException.class)
                    .hasMessageStartingWith("can't listen on 127.0.0.1:" + address.getPort() + ": ");
            for (int i = 0; i < 3; i++) {
                var proxy = i == 0 ? first
                        : SmtpProxy.builder().listen(address).intercept(Interception.fixed(server.address())).build();
                if (i > 0) {
                    proxy.start();
                }
                try (var client = ScriptedClient.connect(address)) {
                    client.expect(220);
                    client.command("QUIT", 221);
                }
                proxy.stop(Duration.ZERO);
            }
        }
    }

    @Test
    void proxyThatNeverStartedIsClosedWithoutFuss() throws Exception {
        var proxy = SmtpProxy.builder().listen("127.0.0.1", 0)
                .intercept(Interception.fixed(new InetSocketAddress("127.0.0.1", 25))).build();
        assertThat(proxy.addresses()).isEmpty();
        assertThat(proxy.sessions()).isEmpty();
        proxy.close();
        assertThatThrownBy(proxy::start).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> proxy.stop(Duration.ofSeconds(-1))).hasMessageContaining("grace");
        assertThat(proxy.stop(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
    }

    @Test
    void startThatFailsLeavesNoListenerOpen() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); var given = ServerSocketChannel.open()) {
            given.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var proxy = SmtpProxy.builder().listen(given).listen((InetSocketAddress) taken.getLocalSocketAddress())
                    .intercept(Interception.fixed(new InetSocketAddress("127.0.0.1", 1))).build();
            assertThatThrownBy(proxy::start).isInstanceOf(BindException.class);
            assertThat(given.isOpen()).isFalse();
            assertThat(proxy.addresses()).isEmpty();
        }
    }

    @Test
    void severalListenersServe() throws Exception {
        try (var server = ScriptedServer.start();
                var proxy = SmtpProxy.builder().listen("127.0.0.1", 0).listen("127.0.0.2", 0)
                        .intercept(Interception.fixed(server.address())).build()) {
            proxy.start();
            assertThat(proxy.addresses()).extracting(address -> address.getAddress().getHostAddress())
                    .containsExactly("127.0.0.1", "127.0.0.2");
            for (var address : proxy.addresses()) {
                try (var client = ScriptedClient.connect(address)) {
                    client.expect(220);
                    client.command("EHLO a.example", 250);
                    client.sendMessage("<a@example.com>", List.of("<b@example.net>"), "x\r\n");
                    client.command("QUIT", 221);
                }
            }
        }
    }

    @Test
    void bothLegsMayBeIpv6() throws Exception {
        var loopback = InetAddress.getByName("::1");
        try (var probe = new ServerSocket()) {
            try {
                probe.bind(new InetSocketAddress(loopback, 0));
            } catch (IOException e) {
                abort("this host has no ::1: " + e.getMessage());
            }
        }
        try (var server = ScriptedServer.script().listen(new InetSocketAddress(loopback, 0)).start();
                var proxy = SmtpProxy.builder().listen(new InetSocketAddress(loopback, 0))
                        .intercept(Interception.fixed(server.address())).maxSessionsPerClient(1).build()) {
            proxy.start();
            try (var client = connect(proxy)) {
                client.expect(220); // with two loops, whoever connects first need not be accepted first
                try (var second = connect(proxy)) {
                    assertThat(second.expect(421)).startsWith("421 4.7.0");
                }
                client.command("EHLO a.example", 250);
                client.sendMessage("<a@example.com>", List.of("<b@example.net>"), "x\r\n");
                client.command("QUIT", 221);
            }
            assertThat(server.messages()).hasSize(1);
        }
    }
}
