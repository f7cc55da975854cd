package dev.weft.nio;

import dev.weft.policy.Destination;
import dev.weft.policy.DestinationSnapshot;
import dev.weft.policy.LearntLimit;
import dev.weft.policy.LegLimit;
import dev.weft.policy.ThrottleSign;
import dev.weft.policy.ThrottleSigns;
import dev.weft.relay.Binding;
import dev.weft.relay.Route;
import dev.weft.session.LegFacts;
import dev.weft.session.PoolSettings;
import dev.weft.smtp.Capabilities;
import dev.weft.smtp.Reply;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/** The server legs that are leased, of all destinations. */
public final class LegPool {

    /** How many destinations' learnt limits are kept while nobody uses them. */
    private static final int LIMITS_KEPT = 10_000;

    /**
     * What a pool is made from.
     *
     * @param binding of the routes that handlers are asked about first
     * @param settings waits and ages
     * @param limits what each destination allows
     * @param signs tells which replies speak of too many connections
     * @param onConnect whether sessions bound on connect are limited, too
     */
    public record Config(Binding binding, PoolSettings settings, Function<Destination, LegLimit> limits, ThrottleSigns signs,
            boolean onConnect) {

        static final Config DEFAULT = new Config(
                Binding.ON_CONNECT, PoolSettings.DEFAULT, destination -> LegLimit.unlimited(), ThrottleSigns.defaults(), false);
    }

    private final Engine engine;
    private final Config config;
    private final Offers offers;
    private final LegDescriptors descriptors;
    private final Map<Destination, LeaseCount> counts = new ConcurrentHashMap<>();
    private final Map<Destination, LearntLimit> limits = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Destination, LearntLimit> eldest) {
            return size() > LIMITS_KEPT;
        }
    };
    private final ReentrantLock limitsLock = new ReentrantLock();
    private volatile boolean stopped;

    LegPool(Engine engine, Config config) {
        this.engine = engine;
        this.config = config;
        this.offers = new Offers(this);
        this.descriptors = new LegDescriptors(engine.limits());
    }

    /** Whether sessions bound on connect wait for a turn, too. */
    boolean limitsOnConnect() {
        return config.onConnect();
    }

    Binding binding() {
        return config.binding();
    }

    Engine engine() {
        return engine;
    }

    PoolSettings settings() {
        return config.settings();
    }

    /** How servers are greeted where a route does not say. */
    String helloName() {
        return engine.settings().onMail().helloName();
    }

    Offers offers() {
        return offers;
    }

    LegDescriptors descriptors() {
        return descriptors;
    }

    LegKey key(Route route, InetAddress client) {
        return LegKey.of(route, client, helloName());
    }

    LeaseCount count(Route route, InetAddress client) {
        var destination = Destination.of(route, client);
        var known = counts.get(destination);
        if (known != null) {
            return known;
        }
        var made = new LeaseCount(destination, limit(destination), config.settings(), descriptors, this::forget);
        var first = counts.putIfAbsent(destination, made);
        return first != null ? first : made;
    }

    /** What was learnt of the limit, or its beginning; the host is asked without the lock. */
    private LearntLimit limit(Destination destination) {
        var known = withLimits(all -> all.get(destination));
        if (known != null) {
            return known;
        }
        var settings = config.limits().apply(destination);
        var made = settings.start();
        if (!settings.learns() || destination.ofClient()) {
            return made; // clients' addresses are many, and must not drive out what was learnt of shared destinations
        }
        var first = withLimits(all -> all.putIfAbsent(destination, made));
        return first != null ? first : made;
    }

    /** How many legs each destination was found to allow, of those whose limit is learnt. */
    Map<Destination, Integer> learnt() {
        var copy = withLimits(LinkedHashMap::new);
        var legs = new HashMap<Destination, Integer>();
        copy.forEach((destination, limit) -> {
            var count = counts.get(destination);
            legs.put(destination, count != null ? count.limit() : limit.legs());
        });
        return Map.copyOf(legs);
    }

    private <T> T withLimits(Function<Map<Destination, LearntLimit>, T> access) {
        limitsLock.lock();
        try {
            return access.apply(limits);
        } finally {
            limitsLock.unlock();
        }
    }

    /** A count that has nothing to remember is made anew when it is needed; what was learnt of its limit stays. */
    void forget(LeaseCount count) {
        counts.remove(count.destination(), count);
    }

    /** How many transactions a leg may carry, by the settings and by what the server says (RFC 9422 §4.1). */
    int mostTransactions(LegFacts facts) {
        return Math.min(settings().messages(), limitOf(facts.hello(), "MAILMAX"));
    }

    private static int limitOf(Reply hello, String name) {
        var limits = Capabilities.parse(hello).parameter("LIMITS").orElse("");
        for (var each : limits.toUpperCase(Locale.ROOT).split("[ \t]+")) {
            if (each.matches(name + "=[1-9][0-9]{0,5}")) {
                return Integer.parseInt(each.substring(name.length() + 1));
            }
        }
        return Integer.MAX_VALUE;
    }

    /** Whether a server's words mean that there are too many connections. */
    boolean crowded(Reply reply) {
        return config.signs().read(reply) == ThrottleSign.TOO_MANY_CONNECTIONS;
    }

    boolean stopped() {
        return stopped;
    }

    /** Keeps no leg any more; those that are idle say QUIT. */
    void stop() {
        stopped = true;
        counts.values().forEach(count -> count.stop(System.nanoTime()));
    }

    /** Whether no server can see a connection of the pool any more. */
    boolean isEmpty() {
        return counts.values().stream().allMatch(count -> count.open() == 0);
    }

    List<DestinationSnapshot> snapshot() {
        return counts.values().stream().map(count -> count.snapshot(System.nanoTime())).toList();
    }
}
