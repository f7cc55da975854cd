package dev.weft.nio;

import dev.weft.intercept.InheritedListener;
import dev.weft.intercept.Interception;
import dev.weft.intercept.LoopGuard;
import dev.weft.policy.Destination;
import dev.weft.policy.DestinationSnapshot;
import dev.weft.relay.RelayHandler;
import dev.weft.session.Arrival;
import dev.weft.session.SessionSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The loops with their listeners and sessions: started once, stopped once. */
public final class Engine {

    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

    /** How long lingering legs keep a stopping proxy. */
    private static final long LAST_LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Config config;
    private final LoopGuard guard = new LoopGuard();
    private final Limits limits;
    private final Descriptors.Cost descriptors;
    private final Tls tls;
    private final MessageSpool spool;
    private final LegPool pool;
    private final List<EventLoop> loops = new ArrayList<>();
    private final List<Acceptor> acceptors = new ArrayList<>();
    private final List<ServerSocketChannel> listeners = new ArrayList<>();
    private final Set<SessionDriver> sessions = ConcurrentHashMap.newKeySet();
    private final String idPrefix = Long.toString(new SecureRandom().nextLong() >>> 34, 36);
    private final AtomicLong ids = new AtomicLong();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile long stopBy;
    private volatile boolean clean;

    /**
     * What an engine is made from.
     *
     * @param settings of the sessions
     * @param handlers asked in this order
     * @param interception finds the original destinations
     * @param loops how many event loops
     * @param maxSessions connections at one time
     * @param maxSessionsPerClient connections of one client at one time
     * @param tls the TLS of both legs
     */
    public record Config(
            SessionSettings settings,
            List<RelayHandler> handlers,
            Interception interception,
            int loops,
            int maxSessions,
            int maxSessionsPerClient,
            Tls.Config tls) {}

    /**
     * Makes an engine; nothing runs yet.
     *
     * @param config what it is made from
     */
    public Engine(Config config) {
        this(config, new MessageSpool(MessageSpool.Limits.DEFAULT));
    }

    /**
     * Makes an engine that keeps held messages in a store of the host's choice; nothing runs yet.
     *
     * @param config what it is made from
     * @param spool keeps held messages; it is the engine's now
     */
    public Engine(Config config, MessageSpool spool) {
        this(config, spool, LegPool.Config.DEFAULT);
    }

    /**
     * Makes an engine that leases server legs; nothing runs yet.
     *
     * @param config what it is made from
     * @param spool keeps held messages; it is the engine's now
     * @param leases how server legs are leased
     */
    public Engine(Config config, MessageSpool spool, LegPool.Config leases) {
        this.config = config;
        this.spool = spool;
        this.tls = new Tls(config.tls());
        this.limits = new Limits(config.maxSessions(), config.maxSessionsPerClient());
        this.descriptors = Descriptors.Cost.of(config.tls());
        this.pool = new LegPool(this, leases);
    }

    /**
     * Starts to accept.
     *
     * @param bound the listeners, bound; they are the engine's now
     * @param implicitTls those of them whose clients begin with a TLS handshake (RFC 8314 §3)
     * @throws IOException if a loop or a registration fails; then nothing runs and the listeners are closed
     */
    public void start(List<ServerSocketChannel> bound, Set<ServerSocketChannel> implicitTls) throws IOException {
        start(bound, implicitTls, Descriptors::room);
    }

    /** @param room says how many descriptors there are, once all that the engine itself needs is open */
    void start(List<ServerSocketChannel> bound, Set<ServerSocketChannel> implicitTls, LongSupplier room) throws IOException {
        listeners.addAll(bound);
        try {
            for (int i = 0; i < config.loops(); i++) {
                loops.add(new EventLoop("weft-loop-" + i));
            }
            for (var listener : listeners) {
                listener.configureBlocking(false);
                guard.add((InetSocketAddress) listener.getLocalAddress());
                for (var loop : loops) {
                    acceptors.add(new Acceptor(this, loop, listener, implicitTls.contains(listener)));
                }
            }
        } catch (IOException | RuntimeException e) {
            closeListeners();
            loops.forEach(EventLoop::discard);
            tls.stop();
            throw e;
        }
        limits.haveRoomFor(room.getAsLong(), descriptors.most(), descriptors.leg(true));
        tls.start();
        loops.forEach(EventLoop::start);
    }

    /**
     * Stops, and waits for it: no new sessions; transactions that are under way may finish within the grace time; then what is
     * left gets a 421. Called again, from another thread, it can shorten the grace time.
     *
     * @param grace zero stops at once
     * @return whether every session ended by itself or between transactions
     * @throws IllegalStateException if it is called on an event loop, which would wait for itself
     */
    public boolean stop(Duration grace) {
        if (loops.stream().anyMatch(EventLoop::onLoop)) {
            throw new IllegalStateException(
                    "an event loop can't wait for its own end: stop the proxy from another thread than a handler's");
        }
        long by = System.nanoTime() + grace.toNanos();
        if (stopping.compareAndSet(false, true)) {
            stopBy = by;
            try {
                stopAll();
            } finally {
                stopped.countDown();
            }
        } else {
            if (by - stopBy < 0) {
                stopBy = by;
            }
            awaitStopped();
        }
        return clean;
    }

    /** Lets go of what was made for a start that never came. */
    public void discard() {
        tls.stop();
        spool.close();
    }

    private void stopAll() {
        for (var loop : loops) {
            loop.execute(() -> acceptors.forEach(acceptor -> acceptor.stop(loop)));
        }
        closeListeners();
        sessions.forEach(session -> session.stop(false));
        pool.stop();
        clean = awaitEmpty(sessions::isEmpty);
        sessions.forEach(session -> session.stop(true));
        stopBy = System.nanoTime() + LAST_LINGER_NANOS;
        awaitEmpty(() -> sessions.isEmpty() && limits.admitted() == 0 && pool.isEmpty());
        loops.forEach(EventLoop::stop);
        joinLoops();
        tls.stop();
        spool.close();
    }

    private void awaitStopped() {
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeListeners() {
        for (var listener : listeners) {
            if (InheritedListener.isInherited(listener)) {
                continue; // closing it would send standard output and error to nowhere
            }
            try {
                listener.close();
            } catch (IOException e) {
                LOG.warn("a listener did not close", e);
            }
        }
    }

    /** Looks every few milliseconds, since a leg that closes tells nobody, and the time may be shortened. */
    private boolean awaitEmpty(BooleanSupplier empty) {
        try {
            while (!empty.getAsBoolean()) {
                if (stopBy - System.nanoTime() <= 0) {
                    return false;
                }
                TimeUnit.MILLISECONDS.sleep(10);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void joinLoops() {
        try {
            for (var loop : loops) {
                if (!loop.join(5000)) {
                    LOG.error("an event loop does not end: a handler blocks it");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Shows the sessions that are open now; safe from any thread.
     *
     * @param each is given who came and when it was accepted, in the time of {@link System#nanoTime}
     */
    public void forEachSession(BiConsumer<Arrival, Long> each) {
        sessions.forEach(session -> each.accept(session.arrival(), session.accepted()));
    }

    /**
     * Shows the destinations that have server legs, or transactions that wait for one; safe from any thread.
     *
     * @return a snapshot
     */
    public List<DestinationSnapshot> destinations() {
        return pool.snapshot();
    }

    /**
     * What was learnt of how many server legs destinations allow.
     *
     * @return an immutable copy
     */
    public Map<Destination, Integer> learntLimits() {
        return pool.learnt();
    }

    SessionSettings settings() {
        return config.settings();
    }

    List<RelayHandler> handlers() {
        return config.handlers();
    }

    Interception interception() {
        return config.interception();
    }

    LoopGuard guard() {
        return guard;
    }

    MessageSpool spool() {
        return spool;
    }

    Tls tls() {
        return tls;
    }

    LegPool pool() {
        return pool;
    }

    /** What a session takes of the limit of open files. */
    Descriptors.Cost descriptors() {
        return descriptors;
    }

    Limits limits() {
        return limits;
    }

    String nextId() {
        return idPrefix + "-" + Long.toString(ids.incrementAndGet(), 36);
    }

    void sessionStarted(SessionDriver session) {
        sessions.add(session);
        if (stopping.get()) {
            session.stop(true);
        }
    }

    void sessionEnded(SessionDriver session) {
        sessions.remove(session);
    }
}
