package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.relay.RelayHandler;
import dev.weft.session.SessionSettings;
import dev.weft.session.Timeouts;
import dev.weft.testkit.ScriptedClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** An engine that runs on a loopback port, with its inner counts in reach. */
final class Rig implements AutoCloseable {

    final Engine engine;
    final InetSocketAddress address;
    private boolean stopped;

    private Rig(Engine engine, InetSocketAddress address) {
        this.engine = engine;
        this.address = address;
    }

    static Rig to(InetSocketAddress server, RelayHandler... handlers) throws IOException {
        return with(Interception.fixed(server)).handlers(handlers).start();
    }

    static Setup with(Interception interception) {
        return new Setup(interception);
    }

    static final class Setup {
        private final Interception interception;
        private List<RelayHandler> handlers = List.of();
        private Timeouts timeouts = Timeouts.DEFAULT;
        private MessageSpool spool = new MessageSpool(MessageSpool.Limits.DEFAULT);
        private SessionSettings settings = SessionSettings.DEFAULT;
        private int loops = 2;
        private int maxSessions = 20_000;
        private int maxPerClient = Integer.MAX_VALUE;
        private Tls.Config tls = Tls.NONE;
        private boolean implicitTls;
        private LegPool.Config leases = LegPool.Config.DEFAULT;
        private LongSupplier room = Descriptors::room;

        private Setup(Interception interception) {
            this.interception = interception;
        }

        Setup handlers(RelayHandler... given) {
            handlers = List.of(given);
            return this;
        }

        Setup timeout(String name, Duration limit) {
            timeouts = timeouts.with(name, limit);
            return this;
        }

        Setup spool(MessageSpool keeps) {
            spool = keeps;
            return this;
        }

        Setup settings(SessionSettings all) {
            settings = all;
            return this;
        }

        Setup loops(int count) {
            loops = count;
            return this;
        }

        Setup maxSessions(int most) {
            maxSessions = most;
            return this;
        }

        Setup maxPerClient(int most) {
            maxPerClient = most;
            return this;
        }

        Setup tls(Tls.Config config) {
            tls = config;
            return this;
        }

        Setup implicitTls() {
            implicitTls = true;
            return this;
        }

        Setup leases(LegPool.Config config) {
            leases = config;
            return this;
        }

        /** How many descriptors there are. */
        Setup room(long descriptors) {
            room = () -> descriptors;
            return this;
        }

        Rig start() throws IOException {
            var listener = ServerSocketChannel.open();
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4096);
            var address = (InetSocketAddress) listener.getLocalAddress();
            var engine = new Engine(new Engine.Config(settings.withTimeouts(timeouts), handlers, interception, loops, maxSessions, maxPerClient, tls), spool, leases);
            engine.start(List.of(listener), implicitTls ? Set.of(listener) : Set.of(), room);
            return new Rig(engine, address);
        }
    }

    ScriptedClient client() throws IOException {
        return ScriptedClient.connect(address);
    }

    int sessions() {
        int[] count = new int[1];
        engine.forEachSession((arrival, accepted) -> count[0]++);
        return count[0];
    }

    /** Every session is over and all that was counted was given back. */
    void awaitIdle() {
        var limits = engine.limits();
        await("no session, no admission", () -> sessions() == 0 && limits.admitted() == 0 && limits.clients() == 0);
    }

    @Override
    public void close() {
        if (!stopped) {
            stopped = true;
            engine.stop(Duration.ZERO);
            assertThat(engine.limits().admitted()).as("admitted after the stop").isZero();
            assertThat(engine.limits().clients()).as("clients after the stop").isZero();
            assertThat(engine.limits().held()).as("descriptors after the stop").isZero();
        }
    }

    boolean stop(Duration grace) {
        stopped = true;
        return engine.stop(grace);
    }

    static void await(String what, BooleanSupplier condition) {
        await(what, Duration.ofSeconds(20), condition);
    }

    static void await(String what, Duration limit, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("waited " + limit + " in vain for: " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** How many sockets this process has open; -1 where there is no /proc. */
    static int sockets() {
        var descriptors = Path.of("/proc/self/fd");
        if (!Files.isDirectory(descriptors)) {
            return -1;
        }
        try (var all = Files.list(descriptors)) {
            return (int) all.filter(Rig::isSocket).count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** How many descriptors of any kind this process has open; -1 where there is no /proc. */
    static int descriptors() {
        var descriptors = Path.of("/proc/self/fd");
        if (!Files.isDirectory(descriptors)) {
            return -1;
        }
        try (var all = Files.list(descriptors)) {
            return (int) all.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    static void awaitSockets(int before) {
        await("sockets back at " + before, () -> sockets() <= before);
    }
}
