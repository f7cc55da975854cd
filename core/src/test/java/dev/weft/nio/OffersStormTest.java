package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.policy.LegLimit;
import dev.weft.relay.Route;
import dev.weft.relay.TlsPolicy;
import dev.weft.session.PoolSettings;
import dev.weft.smtp.Reply;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * Who asks for offers, and who leases legs, on three loops, of a server that dies at any octet of what it says: each gets its
 * answer, nobody waits for one that nobody brings, and nothing is held against the destination's limit.
 */
class OffersStormTest {

    /** Closes or resets each connection after so many octets, or behaves. */
    private static final class MortalServer implements AutoCloseable {
        private static final String[] SAYS = {
            "220 mx.example\r\n", "250-mx.example\r\n250-STARTTLS\r\n250 PIPELINING\r\n", "220 go\r\n\u0016\u0003\u0003\u0000\u0002"};
        private final ServerSocket listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        private volatile boolean healed;

        MortalServer() throws IOException {
            daemon(() -> {
                while (true) {
                    var socket = listener.accept();
                    daemon(() -> serve(socket));
                }
            });
        }

        private interface Task {
            void run() throws IOException;
        }

        private static void daemon(Task task) {
            var thread = new Thread(() -> {
                try {
                    task.run();
                } catch (IOException e) {
                    // closed by either side
                }
            }, "mortal server");
            thread.setDaemon(true);
            thread.start();
        }

        InetSocketAddress address() {
            return (InetSocketAddress) listener.getLocalSocketAddress();
        }

        private void serve(Socket socket) throws IOException {
            var random = ThreadLocalRandom.current();
            int life = healed ? Integer.MAX_VALUE : random.nextInt(100);
            try (socket) {
                socket.setTcpNoDelay(true);
                if (random.nextBoolean()) {
                    socket.setSoLinger(true, 0);
                }
                var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
                life = say(socket, SAYS[0], life);
                for (var line = ""; life > 0 && line != null; ) {
                    line = in.readLine();
                    var verb = line == null ? "" : line.toUpperCase(Locale.ROOT);
                    life = say(socket, verb.startsWith("EHLO") ? SAYS[1] : verb.equals("STARTTLS") ? SAYS[2] : "250 ok\r\n", life);
                    life = verb.equals("STARTTLS") ? 0 : life;
                }
            }
        }

        private static int say(Socket socket, String text, int life) throws IOException {
            int octets = Math.min(text.length(), life);
            socket.getOutputStream().write(text.substring(0, octets).getBytes(StandardCharsets.ISO_8859_1));
            return life - octets;
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    private static void giveBack(List<Caller> callers) {
        callers.stream().filter(caller -> "granted".equals(caller.answer.getNow(""))).forEach(caller -> caller.tryGiveBack(0));
    }

    @Test
    void nobodyWaitsForEver() throws Exception {
        long seed = Long.getLong("seed", new Random().nextLong());
        var random = new Random(seed);
        var idle = PoolRig.LONG_IDLE;
        var settings = new PoolSettings(
                Duration.ofHours(1), idle.waiters(), Duration.ofMillis(20), idle.messages(), idle.age(), idle.refusals(), Duration.ZERO);
        try (var server = new MortalServer(); var rig = new PoolRig(3, LegLimit.learnt(10, 10), settings, TlsParts.of("jdk").config())) {
            var answers = new ArrayList<CompletableFuture<Optional<Reply>>>();
            var callers = new ArrayList<Caller>();
            for (int i = 0; i < Integer.getInteger("steps", 150); i++) {
                // Many names, since one that could not be asked is left alone for some seconds.
                var name = Route.to(server.address()).withEhloName("n" + i / 6 + ".example");
                var route = random.nextBoolean() ? name : name.withTls(random.nextBoolean() ? TlsPolicy.may() : TlsPolicy.encrypt());
                int loop = random.nextInt(3);
                boolean leaves = random.nextInt(4) == 0;
                if (random.nextInt(3) > 0) {
                    var answer = new CompletableFuture<Optional<Reply>>();
                    var asker = rig.on(loop, () -> rig.pool.offers().ask(rig.loops.get(loop), route, PoolRig.CLIENT, answer::complete));
                    if (leaves) {
                        rig.loops.get(loop).execute(asker::withdraw);
                    } else {
                        answers.add(answer);
                    }
                } else {
                    var caller = rig.ask(loop, route);
                    if (leaves) {
                        caller.withdraw();
                    } else {
                        callers.add(caller);
                    }
                }
                giveBack(callers);
            }
            Rig.await("all have their leg, or none", () -> {
                giveBack(callers);
                return callers.stream().allMatch(caller -> caller.answer.isDone());
            });
            for (var answer : answers) {
                assertThat(answer).as("seed %d", seed).succeedsWithin(Duration.ofSeconds(20));
            }
            rig.awaitEmpty();
            assertThat(rig.pool.offers().waiting()).as("seed %d", seed).isZero();

            server.healed = true;
            for (int i = 0; i < 20; i++) {
                var route = Route.to(server.address()).withEhloName("n" + i + ".example");
                rig.lease(i % 3, route).giveBack();
                var answer = new CompletableFuture<Optional<Reply>>();
                int loop = (i + 1) % 3;
                rig.on(loop, () -> rig.pool.offers().ask(rig.loops.get(loop), route, PoolRig.CLIENT, answer::complete));
                assertThat(PoolRig.get(answer)).as("n%d, seed %d", i, seed).isPresent();
            }
            assertThat(rig.pool.learnt().values()).as("no failure counts as a refusal for their number").allMatch(legs -> legs == 10);
        }
    }
}
