package dev.weft.nio;

import dev.weft.relay.Route;
import dev.weft.relay.Tenant;
import dev.weft.relay.TlsPolicy;
import dev.weft.smtp.Reply;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * What servers offer, as their legs last said. Who asks for what is not known waits for a probe, one for all: a lease like any
 * other, whose leg is then there for the first transaction.
 */
final class Offers {

    private static final int KEPT = 10_000;

    /** How long a server that could not be asked is left alone. */
    private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Who probes: an answer is for all tenants, and must not depend on how many of one wait. */
    private static final Tenant PROBER = Tenant.of("what servers offer");

    /**
     * @param hello what was said last; null if the server could not be asked yet
     * @param until when it is to be asked again
     */
    private record Known(Reply hello, long until) {}

    /** A server, under whatever name and from whatever address it is asked. What it offers in clear says little of TLS. */
    private record Server(InetSocketAddress address, TlsPolicy tls) {
        static Server of(LegKey key) {
            return new Server(key.server(), key.tls());
        }
    }

    private final LegPool pool;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<LegKey, Known> known = bounded();
    /** What each server said last, to whichever leg. */
    private final Map<Server, Reply> said = bounded();
    private final Map<LegKey, Set<Asker>> probed = new HashMap<>();

    Offers(LegPool pool) {
        this.pool = pool;
    }

    private static <K, V> Map<K, V> bounded() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > KEPT;
            }
        };
    }

    /** Who waits for an answer, on a loop of its own, for as long as it would for a turn. */
    final class Asker {
        private final LegKey key;
        private final EventLoop loop;
        private final Consumer<Optional<Reply>> answer;
        private boolean over;
        private final Timer timer = new Timer() {
            @Override
            void fire() {
                forget(Asker.this);
                take(Optional.ofNullable(lastKnown(key)));
            }
        };

        private Asker(LegKey key, EventLoop loop, Consumer<Optional<Reply>> answer) {
            this.key = key;
            this.loop = loop;
            this.answer = answer;
        }

        private void take(Optional<Reply> hello) {
            if (!over) {
                over = true;
                loop.cancel(timer);
                answer.accept(hello);
            }
        }

        /** It wants no answer any more; on its loop. A probe may take minutes, and is not to hold all who came and went. */
        void withdraw() {
            if (!over) {
                over = true;
                loop.cancel(timer);
                forget(this);
            }
        }
    }

    /** A leg was made, and the server said what it offers. */
    void learn(LegKey key, Reply hello, long now) {
        lock.lock();
        try {
            known.put(key, new Known(hello, now + pool.settings().offerAge().toNanos()));
            said.put(Server.of(key), hello);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks what a route's server offers.
     *
     * @param answer gets it on the loop, after the present event; empty if it can't be known now
     * @return who waits for it
     */
    Asker ask(EventLoop loop, Route route, InetAddress client, Consumer<Optional<Reply>> answer) {
        var key = pool.key(route, client);
        var asker = new Asker(key, loop, answer);
        boolean probe = false;
        Optional<Reply> at = null;
        lock.lock();
        try {
            var last = known.get(key);
            if (last != null && loop.now() - last.until < 0) {
                at = Optional.ofNullable(helloOf(key, last));
            } else {
                probe = !probed.containsKey(key);
                probed.computeIfAbsent(key, unknown -> new LinkedHashSet<>()).add(asker);
            }
        } finally {
            lock.unlock();
        }
        if (at != null) {
            var answered = at;
            loop.defer(() -> asker.take(answered));
            return asker;
        }
        loop.arm(asker.timer, loop.now() + pool.settings().patience().toNanos());
        if (probe) {
            probe(loop, route, client, key);
        }
        return asker;
    }

    private void probe(EventLoop loop, Route route, InetAddress client, LegKey key) {
        new LeaseRequest(pool, loop, route.withTenant(PROBER), client, false, new LeaseRequest.Lessee() {
            @Override
            public void granted(PooledLeg leg) {
                var hello = leg.facts().hello();
                leg.unused();
                learn(key, hello, loop.now());
                answer(key, hello);
            }

            @Override
            public void refused(Reply reply, String why) {
                answer(key, notAsked(key, loop.now()));
            }
        }).ask();
    }

    /** A server that can't be asked now still offers what it did: many a client bounces a message that needs more than it sees. */
    private Reply notAsked(LegKey key, long now) {
        lock.lock();
        try {
            return helloOf(key, known.merge(key, new Known(null, now + FAILURE_NANOS),
                    (last, failed) -> last.until - failed.until > 0 ? last : new Known(last.hello, failed.until)));
        } finally {
            lock.unlock();
        }
    }

    private Reply lastKnown(LegKey key) {
        lock.lock();
        try {
            return helloOf(key, known.get(key));
        } finally {
            lock.unlock();
        }
    }

    /**
     * What is known, else what transactions that left from another address, or under another name, have heard: a client that was
     * told of more than that has a message put off again and again. With the lock.
     */
    private Reply helloOf(LegKey key, Known last) {
        return last != null && last.hello != null ? last.hello : said.get(Server.of(key));
    }

    private void forget(Asker asker) {
        lock.lock();
        try {
            var waiting = probed.get(asker.key);
            if (waiting != null) {
                waiting.remove(asker); // the probe goes on without it
            }
        } finally {
            lock.unlock();
        }
    }

    private void answer(LegKey key, Reply hello) {
        List<Asker> waiting;
        lock.lock();
        try {
            waiting = List.copyOf(probed.remove(key));
        } finally {
            lock.unlock();
        }
        for (var asker : waiting) {
            asker.loop.execute(() -> asker.take(Optional.ofNullable(hello)));
        }
    }

    /** How many wait for probes. */
    int waiting() {
        lock.lock();
        try {
            return probed.values().stream().mapToInt(Set::size).sum();
        } finally {
            lock.unlock();
        }
    }
}
