package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.intercept.Interception;
import dev.weft.nio.SecureServer.Manner;
import dev.weft.relay.TlsPolicy;
import dev.weft.testkit.RecordingHandler;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** However a leg in TLS ends, its engine is freed, once, and nobody but its own session notices. */
class TlsClosingTest {

    private enum Way {
        QUIT, CLIENT_RESETS, CLIENT_CLOSES, CLIENT_LEAVES_IN_HANDSHAKE, CLIENT_RESETS_IN_HANDSHAKE, CLIENT_SENDS_JUNK,
        SERVER_CLOSES, SERVER_JUNK, MID_MESSAGE
    }

    static Stream<Arguments> waysAndBackends() {
        return Stream.of("jdk", "conscrypt").flatMap(backend -> Stream.of(Way.values()).map(way -> Arguments.of(backend, way)));
    }

    private static TlsParts watched(String backend, WatchedEngine.Count count, UnaryOperator<TlsEngine> more) throws Exception {
        UnaryOperator<TlsEngine> watch = real -> more.apply(new WatchedEngine(real, count));
        return TlsParts.of(backend).policy(TlsPolicy.may()).brokenFor(Duration.ZERO).clientLeg(TlsParts.EC.material())
                .around(real -> WatchedEngine.client(real, watch), real -> WatchedEngine.server(real, watch));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("waysAndBackends")
    void nothingIsLeftBehindAfterManySessions(String backend, Way way) throws Exception {
        int sessions = backend.equals("conscrypt") ? 200 : 15; // it is Conscrypt whose engines hold descriptors
        var count = new WatchedEngine.Count();
        var manner = switch (way) {
            case SERVER_CLOSES -> Manner.CLOSE;
            case SERVER_JUNK -> Manner.JUNK;
            default -> Manner.SECURE;
        };
        var context = TlsParts.peer();
        try (var server = new SecureServer(TlsParts.peer(TlsParts.EC), manner);
                var rig = Rig.with(Interception.fixed(server.address())).tls(watched(backend, count, engine -> engine).config()).start()) {
            end(rig, way, context);
            rig.awaitIdle();
            int before = Rig.descriptors();
            for (int i = 1; i < sessions; i++) {
                end(rig, way, context);
            }
            rig.awaitIdle();
            Rig.await("every engine freed", () -> count.open.get() == 0);
            assertThat(count.made.get()).isGreaterThanOrEqualTo(sessions);
            assertThat(count.freedTwice.get()).isZero();
            // The server's threads close their sockets a little later.
            Rig.await("descriptors back at " + before, () -> Rig.descriptors() <= before);
        }
    }

    private static void end(Rig rig, Way way, javax.net.ssl.SSLContext context) throws Exception {
        try (var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            client.command("STARTTLS", 220);
            switch (way) {
                case CLIENT_LEAVES_IN_HANDSHAKE -> client.send(new byte[] {22, 3, 1, 2, 0, 1, 0, 1});
                case CLIENT_RESETS_IN_HANDSHAKE -> {
                    client.send(new byte[] {22, 3, 1, 2, 0, 1, 0, 1});
                    client.reset();
                }
                case CLIENT_SENDS_JUNK -> client.send("NOOP\r\n");
                default -> {
                    client.handshake(context, "", socket -> { });
                    client.command("EHLO client.example", 250);
                    switch (way) {
                        case CLIENT_RESETS -> client.reset();
                        case CLIENT_CLOSES -> { }
                        case MID_MESSAGE -> {
                            client.send("MAIL FROM:<a@client.example>\r\nRCPT TO:<b@mx.example>\r\nDATA\r\n");
                            client.expect(250);
                            client.expect(250);
                            client.expect(354);
                            client.send("x\r\n".repeat(1000));
                        }
                        default -> client.command("QUIT", 221);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void after221BothLegsEndWithCloseNotify(String backend) throws Exception {
        for (var version : new String[] {"TLSv1.2", "TLSv1.3"}) {
            var count = new WatchedEngine.Count();
            try (var server = SecureServer.start(Manner.SECURE).tune(socket -> socket.setEnabledProtocols(new String[] {version}));
                    var behind = new Drip(server.address(), 8192);
                    var rig = Rig.with(Interception.fixed(behind.address())).tls(watched(backend, count, engine -> engine).config()).start();
                    var before = new Drip(rig.address, 8192);
                    var client = SecureClient.connect(before.address())) {
                client.expect(220);
                client.command("EHLO client.example", 250);
                client.command("STARTTLS", 220);
                client.handshake(TlsParts.peer(), "", socket -> socket.setEnabledProtocols(new String[] {version}));
                client.command("EHLO client.example", 250);
                long quit = System.nanoTime();
                client.command("QUIT", 221);
                assertThat(client.line()).isNull();
                client.hangUp();
                rig.awaitIdle();
                assertThat(System.nanoTime() - quit).as("not the 30 s of another end").isLessThan(TimeUnit.SECONDS.toNanos(15));
                Rig.await("the server's end", () -> server.lines().contains("1 end"));
                assertThat(server.lines().toString()).doesNotContain("!");
                // TLS 1.3 hides what it is: a record of two octets, the kind and a tag (RFC 8446 §5.2).
                var expected = version.equals("TLSv1.2") ? "21.*" : "23 of (19|35)"; // the JDK pads with 16 octets
                Rig.await("close_notify to the client", () -> lastRecord(before.toClient()).matches(expected));
                Rig.await("close_notify to the server", () -> lastRecord(behind.toServer()).matches(expected));
            }
        }
    }

    /** Type and length of the last record behind the dialogue in clear. */
    private static String lastRecord(byte[] stream) {
        int at = 0;
        while (stream[at] != 22 || stream[at + 1] != 3) { // the first record of the handshake
            at++;
        }
        var last = "";
        while (at + 5 <= stream.length) {
            int length = (stream[at + 3] & 0xff) << 8 | stream[at + 4] & 0xff;
            last = stream[at] + " of " + length;
            at += 5 + length;
        }
        return at == stream.length ? last : "a part of a record";
    }

    /** RFC 8446 §6.1: who has said all it wanted to say still gets its answers. Conscrypt's engines then send nothing more. */
    @Test
    void aClientThatEndedItsSideIsAnswered() throws Exception {
        try (var server = SecureServer.start(Manner.SECURE);
                var rig = Rig.with(Interception.fixed(server.address()))
                        .tls(TlsParts.of("jdk").clientLeg(TlsParts.EC.material()).config()).start();
                var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            var socket = client.startTls(TlsParts.peer());
            client.command("EHLO client.example", 250);
            client.send("NOOP\r\nQUIT\r\n");
            socket.shutdownOutput();
            client.expect(250);
            client.expect(221);
            assertThat(client.line()).isNull();
        }
    }

    private static SecureClient begun(Rig rig) throws IOException {
        var client = SecureClient.connect(rig.address);
        client.expect(220);
        client.command("EHLO client.example", 250);
        return client;
    }

    /** The engine is on a worker, and stays there, while its leg is closed in one way or another. */
    @ParameterizedTest
    @ValueSource(strings = {"timeout", "reset", "stop"})
    void anEngineThatIsAwayIsFreedWhenItIsBack(String end) throws Exception {
        var count = new WatchedEngine.Count();
        var release = new CountDownLatch(1);
        var away = new CountDownLatch(1);
        var parts = watched("jdk", count, engine -> new SlowEngine(engine, away, release)).policy(TlsPolicy.none());
        try (var server = SecureServer.start(Manner.SECURE)) {
            var rig = Rig.with(Interception.fixed(server.address())).tls(parts.config()).timeout("handshake", Duration.ofMillis(300)).start();
            try (rig; var client = begun(rig)) {
                client.command("STARTTLS", 220);
                var shaking = new Thread(() -> {
                    try {
                        client.handshake(TlsParts.peer(), "", socket -> { });
                    } catch (Exception e) {
                        // that is what it is for
                    }
                });
                shaking.start();
                assertThat(away.await(20, TimeUnit.SECONDS)).isTrue();
                switch (end) {
                    case "timeout" -> Rig.await("the handshake's time", () -> rig.sessions() == 0);
                    case "reset" -> client.reset();
                    default -> rig.stop(Duration.ZERO);
                }
                assertThat(count.open.get()).as("not while it is away").isEqualTo(1);
                release.countDown();
                shaking.join();
                Rig.await("freed", () -> count.open.get() == 0);
                if (!end.equals("stop")) {
                    client.hangUp();
                    rig.awaitIdle();
                }
            }
            assertThat(count.freedTwice.get()).isZero();
        }
    }

    /** Another session on the same loop goes on while a worker is at a handshake. */
    @Test
    void oneSessionsHandshakeIsNotWaitedForByOthers() throws Exception {
        var release = new CountDownLatch(1);
        var away = new CountDownLatch(1);
        var parts = watched("jdk", new WatchedEngine.Count(), engine -> new SlowEngine(engine, away, release)).policy(TlsPolicy.none());
        try (var server = SecureServer.start(Manner.SECURE);
                var rig = Rig.with(Interception.fixed(server.address())).tls(parts.config()).loops(1).start();
                var slow = begun(rig)) {
            slow.command("STARTTLS", 220);
            var shaking = new Thread(() -> {
                try {
                    slow.handshake(TlsParts.peer(), "", socket -> { });
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            shaking.start();
            assertThat(away.await(20, TimeUnit.SECONDS)).isTrue();
            try (var other = begun(rig)) {
                other.message("x\r\n".getBytes());
                other.command("QUIT", 221);
            }
            release.countDown();
            shaking.join();
            slow.command("EHLO client.example", 250);
            slow.command("QUIT", 221);
        }
    }

    private static final class SlowEngine extends WatchedEngine {
        private final CountDownLatch away;
        private final CountDownLatch release;

        SlowEngine(TlsEngine real, CountDownLatch away, CountDownLatch release) {
            super(real, new Count());
            this.away = away;
            this.release = release;
        }

        @Override
        public Optional<Runnable> task() {
            return super.task().map(work -> () -> {
                away.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                work.run();
            });
        }
    }

    /** What a backend throws, which it never should, ends its own session; the fallback at may does not change that. */
    @ParameterizedTest
    @ValueSource(strings = {"wrap", "unwrap", "unwrap later", "wrap later", "task"})
    void whatAnEngineThrowsEndsItsOwnSessionAlone(String where) throws Exception {
        var handler = new RecordingHandler();
        var faulty = new boolean[] {true};
        var parts = watched("jdk", new WatchedEngine.Count(), engine -> faulty[0] ? new FaultyEngine(engine, where) : engine)
                .policy(TlsPolicy.none());
        try (var server = SecureServer.start(Manner.SECURE);
                var rig = Rig.with(Interception.fixed(server.address())).handlers(handler).tls(parts.config()).loops(1)
                        .timeout("handshake", Duration.ofMillis(500)).start();
                var bystander = begun(rig)) {
            try (var client = begun(rig)) {
                client.command("STARTTLS", 220);
                assertThatThrownBy(() -> {
                    client.handshake(TlsParts.peer(), "", socket -> { });
                    client.command("EHLO client.example", 250);
                    client.command("QUIT", 221);
                }).isInstanceOfAny(IOException.class, AssertionError.class);
            }
            bystander.message("x\r\n".getBytes());
            faulty[0] = false;
            try (var next = begun(rig)) {
                next.startTls(TlsParts.peer());
                next.command("EHLO client.example", 250);
                next.command("QUIT", 221);
            }
            bystander.command("QUIT", 221);
            bystander.hangUp();
            rig.awaitIdle();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"closeOutbound", "free"})
    void whatAnEngineThrowsAtItsEndKeepsNoSocketOpen(String where) throws Exception {
        var parts = watched("jdk", new WatchedEngine.Count(), engine -> new FaultyEngine(engine, where)).policy(TlsPolicy.encrypt());
        try (var server = SecureServer.start(Manner.SECURE);
                var rig = Rig.with(Interception.fixed(server.address())).tls(parts.config()).start()) {
            try (var client = begun(rig)) {
                client.startTls(TlsParts.peer());
                client.command("EHLO client.example", 250);
                client.command("QUIT", 221);
                assertThat(client.line()).isNull();
            }
            rig.awaitIdle();
            Rig.await("the server's end", () -> server.lines().contains("1 end"));
        }
    }

    private static final class FaultyEngine extends WatchedEngine {
        private final String where;

        FaultyEngine(TlsEngine real, String where) {
            super(real, new Count());
            this.where = where;
        }

        private void fault(String place) {
            if (where.equals(place) || where.equals(place + " later") && handshakeDone()) {
                throw new IllegalStateException("injected at " + place);
            }
        }

        @Override
        public TlsResult wrap(ByteBuffer plain, ByteBuffer cipher) {
            fault("wrap");
            return super.wrap(plain, cipher);
        }

        @Override
        public TlsResult unwrap(ByteBuffer cipher, ByteBuffer plain) {
            fault("unwrap");
            return super.unwrap(cipher, plain);
        }

        @Override
        public Optional<Runnable> task() {
            fault("task");
            return super.task();
        }

        @Override
        public void closeOutbound() {
            fault("closeOutbound");
            super.closeOutbound();
        }

        @Override
        public void free() {
            super.free();
            fault("free");
        }
    }

    /** An engine that owes an answer for each octet, such as for requests for new keys, to a peer that reads none of them. */
    @Test
    void aPeerThatMakesTheEngineAnswerAndReadsNothingIsReadNoFurther() throws Exception {
        var parts = watched("jdk", new WatchedEngine.Count(), EchoingEngine::new).policy(TlsPolicy.none());
        try (var server = SecureServer.start(Manner.SECURE);
                var rig = Rig.with(Interception.fixed(server.address())).tls(parts.config()).start();
                var channel = SocketChannel.open()) {
            channel.setOption(java.net.StandardSocketOptions.SO_RCVBUF, 8192);
            channel.connect(rig.address);
            var client = channel.socket();
            client.getInputStream().read(new byte[100]);
            client.getOutputStream().write("EHLO client.example\r\n".getBytes());
            client.getInputStream().read(new byte[1000]);
            client.getOutputStream().write("STARTTLS\r\n".getBytes());
            client.getInputStream().read(new byte[100]);
            channel.configureBlocking(false);
            var octets = ByteBuffer.allocate(64 * 1024);
            long written = 0;
            long progress = System.nanoTime();
            while (written < 64 << 20 && System.nanoTime() - progress < TimeUnit.MILLISECONDS.toNanos(500)) {
                int count = channel.write(octets.clear());
                if (count > 0) {
                    written += count;
                    progress = System.nanoTime();
                } else {
                    Thread.onSpinWait();
                }
            }
            System.out.println("a peer that reads no answers of the engine's own wrote " + (written >> 10) + " KB and stalled");
            assertThat(written).isLessThan(64 << 20);
        }
    }

    /** TLS in name only: done at once, and each octet is answered with one. */
    private static final class EchoingEngine extends WatchedEngine {
        private int owed;

        EchoingEngine(TlsEngine real) {
            super(real, new Count());
        }

        @Override
        public TlsResult unwrap(ByteBuffer cipher, ByteBuffer plain) {
            owed += cipher.remaining();
            cipher.position(cipher.limit());
            return owed > 0 ? TlsResult.WRAP : TlsResult.MORE_INPUT;
        }

        @Override
        public TlsResult wrap(ByteBuffer plain, ByteBuffer cipher) {
            plain.position(plain.limit());
            int now = Math.min(owed, cipher.remaining());
            cipher.position(cipher.position() + now);
            owed -= now;
            return owed > 0 ? TlsResult.OUTPUT_FULL : TlsResult.OK;
        }
    }
}
