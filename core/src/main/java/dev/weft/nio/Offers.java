package dev.weft.nio;

import dev.weft.relay.Route;
import dev.weft.relay.Tenant;
import dev.weft.session.LegRefusal;
import dev.weft.smtp.Reply;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What servers offer, as their legs last said. Who asks for what is not known waits for the next leg of that kind that is
 * opened, or given back, by whomever. If none is being opened there is a probe, one for all: a lease like any other, but less
 * patient, whose leg is then there for the first transaction.
 */
final class Offers {

    /** How long a probe waits for its turn: a client waits for its EHLO meanwhile, and can be answered without. */
    private static final Duration PROBE_PATIENCE = Duration.ofSeconds(5);

    /** Who probes: an answer is for all tenants, and must not depend on how many of one wait. */
    private static final Tenant PROBER = Tenant.of("what servers offer");

    private final LegPool pool;
    private final ReentrantLock lock = new ReentrantLock();
    private final KnownOffers<LegKey> known;
    /** What tenants heard on other legs than those that are asked; with the lock. */
    private final KnownOffers<OfTenant> exceptions;
    /** Changed with the lock. */
    private final Map<LegKey, Question> questions = new ConcurrentHashMap<>();
    /** How many legs are being opened. */
    private final Map<LegKey, Integer> openings = new HashMap<>();

    Offers(LegPool pool) {
        this.pool = pool;
        this.known = new KnownOffers<>(pool.settings().offerAge());
        this.exceptions = new KnownOffers<>(pool.settings().offerAge());
    }

    private record OfTenant(LegKey key, String tenant) {
        static OfTenant of(LegKey key, Route route, InetAddress client) {
            return new OfTenant(key, route.tenant().orElseGet(() -> Tenant.of(client)).name());
        }
    }

    /** Those who wait for the same answer; with the lock. */
    private static final class Question {
        private final Set<Asker> askers = new LinkedHashSet<>();
        /** Null while a leg that others are opening may bring the answer. */
        private Probe probe;
    }

    /** Asks a server, on the loop of one who waits for the answer. */
    private final class Probe implements LeaseRequest.Lessee {
        private final EventLoop loop;
        private final LegKey key;
        private final Supplier<LeaseRequest> asks;
        private LeaseRequest request;
        private boolean over;

        Probe(Asker asker) {
            loop = asker.loop;
            key = asker.key;
            asks = () -> LeaseRequest.withPatience(
                    PROBE_PATIENCE, pool, loop, asker.route.withTenant(PROBER), asker.client, this);
        }

        void begin() {
            if (!over) {
                request = asks.get();
                request.ask();
            }
        }

        /** The answer came, be it in another way; from any thread. */
        void end() {
            loop.execute(() -> {
                over = true;
                if (request != null) {
                    request.withdrawUnlessOpening();
                }
            });
        }

        @Override
        public void granted(PooledLeg leg) {
            learn(key, leg.facts().hello(), loop.now());
            leg.unused();
        }

        @Override
        public void refused(LegRefusal refusal) {
            if (!over) {
                notAsked(key, loop.now());
            }
        }
    }

    /** Who waits for an answer, on a loop of its own, for as long as it would for a turn. */
    final class Asker {
        private final LegKey key;
        private final EventLoop loop;
        private final Route route;
        private final InetAddress client;
        private final Consumer<Optional<Reply>> answer;
        private boolean over;
        private final Timer timer = new Timer() {
            @Override
            void fire() {
                forget(Asker.this);
                take(withLock(() -> known.last(key)));
            }
        };

        private Asker(EventLoop loop, Route route, InetAddress client, Consumer<Optional<Reply>> answer) {
            this.key = pool.key(route, client);
            this.loop = loop;
            this.route = route;
            this.client = client;
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

    /** A leg was made, and the server said what it offers: that is the answer to who waits for one. */
    void learn(LegKey key, Reply hello, long now) {
        withLock(() -> {
            known.learn(key, hello, now);
            return key;
        });
        answer(key, Optional.of(hello));
    }

    /**
     * A transaction's leg offers less than was answered for the route that its session asked for. A leg that was greeted from
     * another address, under another name or with another TLS says nothing about those of other tenants.
     */
    void learnLess(Route asked, Route leased, InetAddress client, Reply hello, long now) {
        var key = pool.key(asked, client);
        if (key.equals(pool.key(leased, client))) {
            learn(key, hello, now);
        } else {
            withLock(() -> {
                exceptions.learn(OfTenant.of(key, asked, client), hello, now);
                return key;
            });
        }
    }

    /** A leg comes back from its transaction. */
    void cameBack(LegKey key, Reply hello, long now) {
        if (!questions.isEmpty() && questions.containsKey(key)) {
            learn(key, hello, now);
        }
    }

    /** A leg is being opened, which will say what its server offers. */
    void opens(LegKey key) {
        withLock(() -> openings.merge(key, 1, Integer::sum));
    }

    /** Its server refuses, or can't be reached: a probe would hear the same. */
    void openingFailed(LegKey key, long now) {
        boolean unanswered = withLock(() -> {
            var question = questions.get(key);
            return question != null && question.probe == null && openings.getOrDefault(key, 0) == 1;
        });
        if (unanswered) {
            notAsked(key, now);
        }
        openingEnded(key);
    }

    /** It is open, or not wanted any more: then whoever waited for what it says has to ask. */
    void openingEnded(LegKey key) {
        var probe = withLock(() -> {
            openings.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
            return probeFor(key);
        });
        if (probe != null) {
            probe.loop.execute(probe::begin);
        }
    }

    /** The probe that is to be begun now; null if there is one, or none is needed. With the lock. */
    private Probe probeFor(LegKey key) {
        var question = questions.get(key);
        if (question == null || question.probe != null || openings.containsKey(key)) {
            return null;
        }
        question.probe = new Probe(question.askers.iterator().next());
        return question.probe;
    }

    /**
     * Asks what a route's server offers.
     *
     * @param answer gets it on the loop, after the present event; empty if it can't be known now
     * @return who waits for it
     */
    Asker ask(EventLoop loop, Route route, InetAddress client, Consumer<Optional<Reply>> answer) {
        var asker = new Asker(loop, route, client, answer);
        var probe = withLock(() -> {
            var exception = OfTenant.of(asker.key, route, client);
            var excepted = exceptions.isFresh(exception, loop.now());
            if (excepted || known.isFresh(asker.key, loop.now())) {
                var hello = excepted ? exceptions.last(exception) : known.last(asker.key);
                loop.defer(() -> asker.take(hello));
                return null;
            }
            loop.arm(asker.timer, loop.now() + pool.settings().patience().toNanos());
            questions.computeIfAbsent(asker.key, unknown -> new Question()).askers.add(asker);
            return probeFor(asker.key);
        });
        if (probe != null) {
            probe.begin();
        }
        return asker;
    }

    private void forget(Asker asker) {
        withLock(() -> {
            var question = questions.get(asker.key);
            if (question != null && question.askers.remove(asker) && question.askers.isEmpty() && question.probe == null) {
                questions.remove(asker.key); // a probe goes on without it
            }
            return null;
        });
    }

    private void notAsked(LegKey key, long now) {
        answer(key, withLock(() -> known.notAsked(key, now)));
    }

    private void answer(LegKey key, Optional<Reply> hello) {
        var question = withLock(() -> questions.remove(key));
        if (question == null) {
            return;
        }
        for (var asker : question.askers) {
            asker.loop.execute(() -> asker.take(hello));
        }
        if (question.probe != null) {
            question.probe.end();
        }
    }

    /** How many wait for an answer. */
    int waiting() {
        return withLock(() -> questions.values().stream().mapToInt(question -> question.askers.size()).sum());
    }

    private <T> T withLock(Supplier<T> access) {
        lock.lock();
        try {
            return access.get();
        } finally {
            lock.unlock();
        }
    }
}
