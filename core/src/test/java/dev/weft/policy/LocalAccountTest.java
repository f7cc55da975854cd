package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Verdict;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalAccountTest {

    private static final String LINE = " 1: 0100007F:%04X 0900007F:%04X 01 0:0 00:0 0 %d 0 %d 1";
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    private void table(String... lines) throws IOException {
        Files.write(directory.resolve("tcp"), List.of(lines));
    }

    private OwnerSearch search() {
        return new OwnerSearch(new SocketTable(directory, ByteOrder.LITTLE_ENDIAN), tasks::add);
    }

    private static InetSocketAddress client(int port) {
        return new InetSocketAddress(TestSession.ip("127.0.0.1"), port);
    }

    private static InetSocketAddress dialled(int port) {
        return new InetSocketAddress(TestSession.ip("127.0.0.9"), port);
    }

    @Test
    void oneReadingServesAllWhoWaitAndThoseWhoComeLaterGetTheNext() throws Exception {
        table(LINE.formatted(1, 25, 1001, 7), LINE.formatted(2, 25, 1002, 8));
        var search = search();
        var first = search.find(client(1), dialled(25));
        var second = search.find(client(2), dialled(25));
        var none = search.find(client(3), dialled(25));
        assertThat(tasks).as("one task for all three").hasSize(1);
        assertThat(first).isNotDone();
        var later = first.thenCompose(uid -> search.find(client(4), dialled(25))); // asked while the search runs
        tasks.remove().run();
        assertThat(first.get()).hasValue(1001);
        assertThat(second.get()).hasValue(1002);
        assertThat(none.get()).isEmpty();
        assertThat(later.get()).isEmpty();
        assertThat(tasks).isEmpty();
        table(LINE.formatted(4, 25, 1004, 9));
        var again = search.find(client(4), dialled(25));
        tasks.remove().run();
        assertThat(again.get()).hasValue(1004);
    }

    @Test
    void theDialledAddressTellsSocketsOfOnePortApart() throws Exception {
        table(LINE.formatted(1, 26, 1001, 7), LINE.formatted(1, 25, 1002, 8), LINE.formatted(1, 0, 1003, 9));
        assertThat(found(1, 25)).hasValue(1002);
        assertThat(found(1, 27)).as("two users, none of them dialled this").isEmpty();
        table(LINE.formatted(1, 26, 1001, 7), LINE.formatted(1, 0, 1003, 9));
        assertThat(found(1, 27)).as("the destination came from elsewhere; who listens does not count").hasValue(1001);
        table(LINE.formatted(1, 25, 0, 0));
        assertThat(found(1, 25)).isEmpty();
    }

    private OptionalLong found(int client, int server) throws ExecutionException, InterruptedException {
        var found = search().find(client(client), dialled(server));
        tasks.remove().run();
        return found.get();
    }

    @Test
    void withoutATableOrAThreadTheOwnerIsUnknown() throws Exception {
        assertThat(found(1, 25)).isEmpty();
        var closed = new OwnerSearch(new SocketTable(directory, ByteOrder.LITTLE_ENDIAN), task -> {
            throw new RejectedExecutionException("closed");
        });
        assertThat(closed.find(client(1), dialled(25)).get()).isEmpty();
        assertThat(closed.find(client(1), dialled(25)).get()).isEmpty();
    }

    @Test
    void anExecutorThatDoesNothingMakesNobodyPileUp() throws Exception {
        var search = search();
        for (int i = 0; i < 20_000; i++) {
            assertThat(search.find(client(1), dialled(25)).isDone()).isFalse();
        }
        assertThat(search.find(client(1), dialled(25))).isCompletedWithValue(OptionalLong.empty());
        assertThat(tasks).hasSize(1);
        table(LINE.formatted(1, 25, 1001, 7));
        tasks.remove().run();
        assertThat(found(1, 25)).hasValue(1001);
    }

    @Test
    void clientsFromElsewhereAreNotLookedFor() throws Exception {
        var session = new TestSession("192.0.2.1", "203.0.113.25");
        var account = new LocalAccount(search(), null, client -> true);
        var verdict = (Verdict.Later<?>) account.connect(session, session.route);
        tasks.remove().run();
        assertThat(verdict.stage().toCompletableFuture().get()).isEqualTo(Verdict.proceed());
        assertThat(LocalAccount.uid(session)).isEmpty();
        assertThat(account.onlyFor(InetAddress::isLoopbackAddress).connect(session, session.route)).isEqualTo(Verdict.proceed());
        assertThat(tasks).isEmpty();
    }

    @Test
    void thisTestsOwnSessionsAreItsUsers() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/net/tcp")), "no /proc/net/tcp: this is not Linux");
        var uids = new LinkedBlockingQueue<OptionalLong>();
        try (var server = ScriptedServer.start();
                var account = LocalAccount.withOwnThread();
                var proxy = proxy(server, account, uids)) {
            var clients = new ArrayList<ScriptedClient>();
            for (int i = 0; i < 20; i++) {
                clients.add(ScriptedClient.connect(proxy.addresses().get(0), InetAddress.getByName("127.0.0." + (1 + i)), LIMIT));
            }
            for (var client : clients) {
                client.expect(220);
                client.command("QUIT", 221);
                client.close();
                assertThat(uids.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).hasValue(ownUid());
            }
        }
    }

    @Test
    void anotherUsersSessionIsThatUsers() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/net/tcp")), "no /proc/net/tcp: this is not Linux");
        assumeTrue(ownUid() == 0, "needs root to start a client as another user; this is uid " + ownUid());
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")) && Files.isExecutable(Path.of("/bin/bash")),
                "needs setpriv and bash");
        var uids = new LinkedBlockingQueue<OptionalLong>();
        try (var server = ScriptedServer.start();
                var account = LocalAccount.withOwnThread();
                var proxy = proxy(server, account, uids)) {
            var process = new ProcessBuilder("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                    "/bin/bash", "-c",
                    "exec 3<>/dev/tcp/127.0.0.1/" + proxy.addresses().get(0).getPort()
                    + "; read greeting <&3; printf 'QUIT\\r\\n' >&3; read bye <&3; echo $greeting $bye")
                            .redirectErrorStream(true).start();
            try {
                var said = new String(process.getInputStream().readAllBytes());
                assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
                assertThat(said).contains("220 ", "221 ");
            } finally {
                process.destroyForcibly();
            }
            assertThat(uids.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).hasValue(65_534);
        }
    }

    @Test
    void findsSocketsOfIpv6() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/net/tcp6")), "no /proc/net/tcp6");
        try (var listener = new ServerSocket(0, 1, InetAddress.getByName("::1"));
                var client = new Socket(listener.getInetAddress(), listener.getLocalPort())) {
            var search = new OwnerSearch(new SocketTable(Path.of("/proc/self/net"), ByteOrder.nativeOrder()), Runnable::run);
            var local = (InetSocketAddress) client.getLocalSocketAddress();
            assertThat(search.find(local, (InetSocketAddress) client.getRemoteSocketAddress()).get())
                    .hasValue(ownUid());
        }
    }

    private static SmtpProxy proxy(ScriptedServer server, LocalAccount account, BlockingQueue<OptionalLong> uids)
            throws IOException {
        var proxy = SmtpProxy.builder().listen("127.0.0.1", 0).loops(2).intercept(Interception.fixed(server.address()))
                .handler(account)
                .handler(new RelayHandler() {
                    @Override
                    public void sessionClosed(RelaySession session, SessionRecord record) {
                        uids.add(LocalAccount.uid(session));
                    }
                })
                .build();
        proxy.start();
        return proxy;
    }

    private static long ownUid() throws IOException {
        return ((Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).longValue();
    }
}
