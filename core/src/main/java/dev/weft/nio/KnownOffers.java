package dev.weft.nio;

import dev.weft.smtp.Reply;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What is known of servers' offers, and for how long; for one thread at a time. Those not asked about for longest go.
 *
 * @param <K> what the offers are told apart by
 */
final class KnownOffers<K> {

    private static final int KEPT = 10_000;

    /** How long a server that could not be asked is left alone. */
    private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * @param hello what was said last; null if the server could not be asked yet
     * @param until when it is to be asked again
     */
    private record Known(Reply hello, long until) {}

    private final long age;
    private final Map<K, Known> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Known> eldest) {
            return size() > KEPT;
        }
    };

    KnownOffers(Duration age) {
        this.age = age.toNanos();
    }

    /** A server said what it offers. */
    void learn(K key, Reply hello, long now) {
        known.put(key, new Known(hello, now + age));
    }

    /** Whether there is no need to ask, be it that this was in vain a moment ago. */
    boolean isFresh(K key, long now) {
        var last = known.get(key);
        return last != null && now - last.until < 0;
    }

    /** A server that can't be asked now still offers what it did: many a client bounces what needs more than it sees. */
    Optional<Reply> notAsked(K key, long now) {
        known.merge(key, new Known(null, now + FAILURE_NANOS),
                (last, failed) -> last.until - failed.until > 0 ? last : new Known(last.hello, failed.until));
        return last(key);
    }

    /** What was said last. */
    Optional<Reply> last(K key) {
        return Optional.ofNullable(known.get(key)).map(Known::hello);
    }
}
