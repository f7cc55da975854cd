package dev.weft;

import dev.weft.intercept.InheritedListener;
import dev.weft.nio.Engine;
import dev.weft.policy.Destination;
import dev.weft.policy.DestinationSnapshot;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * An SMTP proxy inside a host application.
 *
 * <pre>{@code
 * SmtpProxy proxy = SmtpProxy.builder()
 *         .listen("127.0.0.1", 2525)
 *         .intercept(Interception.fixed(new InetSocketAddress("192.0.2.25", 25)))
 *         .handler(new MyHandler())
 *         .build();
 * proxy.start();
 * }</pre>
 *
 * <p>It is started once and stopped once. Every method may be called from any thread but an event loop's.
 */
public final class SmtpProxy implements AutoCloseable {

    private static final Duration LONGEST_GRACE = Duration.ofDays(365);

    private enum State { BUILT, STARTED, STOPPED }

    private final Engine engine;
    private final List<Listening> listening;
    private final int backlog;
    private List<InetSocketAddress> addresses = List.of();
    private State state = State.BUILT;

    SmtpProxy(Engine engine, List<Listening> listening, int backlog) {
        this.engine = engine;
        this.listening = listening;
        this.backlog = backlog;
    }

    /**
     * Begins to describe a proxy.
     *
     * @return a builder with every setting at its default
     */
    public static SmtpProxyBuilder builder() {
        return new SmtpProxyBuilder();
    }

    /**
     * Opens the listeners and begins to accept.
     *
     * @throws IOException if a listener can't be opened; then none stays open, and the proxy can't be started again
     * @throws IllegalStateException if it was started or stopped before
     */
    public synchronized void start() throws IOException {
        if (state != State.BUILT) {
            throw new IllegalStateException("this proxy was started or stopped before: build another one");
        }
        state = State.STOPPED;
        boolean handedOver = false;
        var opened = new ArrayList<ServerSocketChannel>();
        var implicitTls = new HashSet<ServerSocketChannel>();
        var bound = new ArrayList<InetSocketAddress>();
        try {
            for (var listener : listening) {
                var channel = listener.open(backlog);
                opened.add(channel);
                if (listener.implicitTls()) {
                    implicitTls.add(channel);
                }
                bound.add((InetSocketAddress) channel.getLocalAddress());
            }
            handedOver = true;
            engine.start(opened, implicitTls);
        } catch (IOException | RuntimeException e) {
            if (!handedOver) {
                engine.discard();
            }
            for (var channel : opened) {
                if (!InheritedListener.isInherited(channel)) { // closing that would send standard output and error to nowhere
                    channel.close();
                }
            }
            throw e;
        }
        addresses = List.copyOf(bound);
        state = State.STARTED;
    }

    /**
     * The addresses that the listeners are bound to, in the order in which they were given.
     *
     * @return empty before the start
     */
    public synchronized List<InetSocketAddress> addresses() {
        return addresses;
    }

    /**
     * The sessions that are open now, in no order.
     *
     * @return a snapshot
     */
    public List<LiveSession> sessions() {
        long now = System.nanoTime();
        var live = new ArrayList<LiveSession>();
        engine.forEachSession((arrival, accepted) -> live.add(new LiveSession(
                arrival.sessionId(),
                arrival.client(),
                arrival.originalDestination(),
                Duration.ofNanos(Math.max(0, now - accepted)))));
        return live;
    }

    /**
     * The destinations that have leased or idle server legs, or transactions that wait for one, in no order. Others are absent;
     * what was learnt of their limits stays in mind, for those that were used last. Each destination is looked at under its own
     * lock, for a moment: good for a panel every second, not for every message.
     *
     * @return an immutable snapshot; empty before the start, and where no session is bound {@link
     *         dev.weft.relay.Binding#ON_MAIL} nor limited on connect
     */
    public List<DestinationSnapshot> destinations() {
        return engine.destinations();
    }

    /**
     * What was learnt of how many server legs destinations allow, to be saved over a restart and given to
     * {@link SmtpProxyBuilder#legLimits} again as the number that learning begins with. The 10,000 shared destinations that were
     * used last are kept.
     *
     * @return an immutable copy; without destinations whose limit is fixed, or whose legs leave from a client's own address
     */
    public Map<Destination, Integer> learntLimits() {
        return engine.learntLimits();
    }

    /**
     * Stops gracefully and waits for it: no new sessions are taken, sessions between transactions get {@code 421 4.3.2},
     * transactions that are under way may finish. What is left after the grace time gets a 421 too, and is cut. While one thread
     * waits, a call from another one with a shorter grace time hastens the end.
     *
     * @param grace how long transactions may take; zero cuts all at once
     * @return whether none had to be cut; also true if the proxy does not run
     * @throws IllegalArgumentException if the grace time is negative
     * @throws IllegalStateException if it is called on an event loop, by a handler
     */
    public boolean stop(Duration grace) {
        if (grace.isNegative()) {
            throw new IllegalArgumentException("grace = " + grace + ": give zero to stop at once, or more");
        }
        synchronized (this) {
            if (state == State.BUILT) {
                state = State.STOPPED;
                engine.discard();
            }
            if (state == State.STOPPED) {
                return true;
            }
        }
        // Without the lock: a second, more impatient call must be able to hasten the first.
        var clean = engine.stop(grace.compareTo(LONGEST_GRACE) < 0 ? grace : LONGEST_GRACE);
        synchronized (this) {
            state = State.STOPPED;
        }
        return clean;
    }

    /** Stops at once: every session gets a 421. Does nothing if the proxy does not run. */
    @Override
    public void close() {
        stop(Duration.ZERO);
    }
}
