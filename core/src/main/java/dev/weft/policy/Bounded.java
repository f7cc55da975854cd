package dev.weft.policy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A map that forgets what was used longest ago. Values are changed and read under a lock that is held for that only, and shared
 * with a part of the keys: no code of a host's may run there, nor any that takes time.
 */
final class Bounded<K, V> {

    private static final int STRIPES = 64;
    /** Below this a stripe would be too small to tell old from new. */
    private static final int WORTH_STRIPES = 64 * STRIPES;

    private final List<Stripe<K, V>> stripes = new ArrayList<>();

    Bounded(int cap) {
        if (cap < 1) {
            throw new IllegalArgumentException("at most " + cap + " entries: give 1 or more");
        }
        int count = cap < WORTH_STRIPES ? 1 : STRIPES;
        for (int i = 0; i < count; i++) {
            stripes.add(new Stripe<>(cap / count + (i < cap % count ? 1 : 0)));
        }
    }

    /** Changes a value, a fresh one if there is none. */
    <R> R update(K key, Supplier<V> fresh, Function<V, R> change) {
        return stripe(key).locked(map -> {
            var value = map.get(key);
            if (value == null) {
                value = fresh.get();
                map.put(key, value);
            }
            return change.apply(value);
        });
    }

    /** Looks at a value if there is one. */
    <R> Optional<R> read(K key, Function<V, R> view) {
        return stripe(key).locked(map -> Optional.ofNullable(map.get(key)).map(view));
    }

    void remove(K key) {
        stripe(key).locked(map -> map.remove(key));
    }

    /** Visits all, a stripe at a time, the longest unused first within each. What changes meanwhile may be seen or not. */
    void forEach(BiConsumer<K, V> visitor) {
        for (var stripe : stripes) {
            stripe.locked(map -> {
                map.forEach(visitor);
                return null;
            });
        }
    }

    int size() {
        return stripes.stream().mapToInt(stripe -> stripe.locked(Map::size)).sum();
    }

    private Stripe<K, V> stripe(K key) {
        int hash = key.hashCode() * 0x9E3779B9; // spreads keys whose hashes differ in few bits, as addresses' do
        return stripes.get((hash >>> 16) % stripes.size());
    }

    private static final class Stripe<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1;

        private final transient ReentrantLock lock = new ReentrantLock();
        private final int cap;

        Stripe(int cap) {
            super(16, 0.75f, true);
            this.cap = cap;
        }

        <R> R locked(Function<Map<K, V>, R> action) {
            lock.lock();
            try {
                return action.apply(this);
            } finally {
                lock.unlock();
            }
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > cap;
        }
    }
}
