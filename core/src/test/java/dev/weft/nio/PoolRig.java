package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.policy.DestinationSnapshot;
import dev.weft.policy.LegLimit;
import dev.weft.policy.ThrottleSigns;
import dev.weft.relay.Binding;
import dev.weft.relay.Route;
import dev.weft.session.OnMailSettings;
import dev.weft.session.PoolSettings;
import dev.weft.session.SessionSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A pool of server legs on loops of its own, asked by callers instead of sessions. */
final class PoolRig implements AutoCloseable {

    static final InetAddress CLIENT = new InetSocketAddress("192.0.2.1", 1).getAddress();
    static final PoolSettings LONG_IDLE = PoolSettings.DEFAULT.withIdle(Duration.ofMinutes(1));

    final LegPool pool;
    final List<EventLoop> loops = new ArrayList<>();
    private final Rig rig;
    private final List<Caller> callers = new ArrayList<>();

    PoolRig(int loops, LegLimit limit) throws Exception {
        this(loops, limit, LONG_IDLE, Tls.NONE);
    }

    PoolRig(int loops, LegLimit limit, PoolSettings settings, Tls.Config tls) throws Exception {
        this(loops, limit, settings, tls, Long.MAX_VALUE);
    }

    /** @param room how many descriptors there are */
    PoolRig(int loops, LegLimit limit, PoolSettings settings, Tls.Config tls, long room) throws Exception {
        rig = Rig.with(Interception.fixed(new InetSocketAddress("192.0.2.99", 25))).loops(1).tls(tls).room(room)
                .leases(new LegPool.Config(Binding.ON_CONNECT, settings, destination -> limit, ThrottleSigns.defaults(), false))
                .settings(SessionSettings.DEFAULT.withOnMail(OnMailSettings.DEFAULT.withHelloName("proxy.example"))).start();
        pool = rig.engine.pool();
        for (int i = 0; i < loops; i++) {
            var loop = new EventLoop("pool loop " + i);
            this.loops.add(loop);
            loop.start();
        }
    }

    Engine engine() {
        return rig.engine;
    }

    <T> T on(int loop, Callable<T> call) {
        var result = new CompletableFuture<T>();
        loops.get(loop).execute(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return get(result);
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Asks for a leg and does not wait for it. */
    Caller ask(int loop, Route route) {
        return ask(loop, route, false);
    }

    Caller ask(int loop, Route route, boolean fresh) {
        var caller = new Caller(this, loop);
        synchronized (callers) {
            callers.add(caller);
        }
        on(loop, () -> {
            caller.ask(route, fresh);
            return null;
        });
        return caller;
    }

    /** Leases a leg. */
    Caller lease(int loop, Route route) {
        var caller = ask(loop, route);
        assertThat(get(caller.answer)).isEqualTo("granted");
        return caller;
    }

    DestinationSnapshot only() {
        var all = pool.snapshot();
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    void awaitEmpty() {
        Rig.await("no connection of the pool is left", () -> pool.isEmpty() && pool.snapshot().isEmpty());
    }

    /** The pool is emptied as a stopping proxy does, and nothing is left of it. */
    @Override
    public void close() {
        for (var caller : callers) {
            on(caller.loop, () -> {
                caller.leave();
                return null;
            });
        }
        pool.stop();
        awaitEmpty();
        for (var loop : loops) {
            loop.stop();
            try {
                assertThat(loop.join(5000)).as("the loop ends").isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        rig.close();
    }
}
