package dev.weft.nio;

import dev.weft.smtp.Reply;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What is known of servers' offers, and for how long; for one thread at a time. Those not asked about for longest go.
 *
 * @param <K> what the offers are told apart by
 */
final class KnownOffers<K> {

    private static final int KEPT = 10_000;
    /** A server may say 64 KiB where most say some hundred octets. */
    private static final long OCTETS_KEPT = 16 * 1024 * 1024;

    /** How long a server that could not be asked is left alone. */
    private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * @param hello what was said last; null if the server could not be asked yet
     * @param until when it is to be asked again
     */
    private record Known(Reply hello, long until) {
        int octets() {
            return hello == null ? 0 : hello.length();
        }
    }

    private final long age;
    private final LinkedHashMap<K, Known> known = new LinkedHashMap<>(16, 0.75f, true);
    private long octets;

    KnownOffers(Duration age) {
        this.age = age.toNanos();
    }

    /** A server said what it offers. */
    void learn(K key, Reply hello, long now) {
        put(key, new Known(hello, now + age));
    }

    private void put(K key, Known now) {
        var before = known.put(key, now);
        octets += now.octets() - (before == null ? 0 : before.octets());
        for (var eldest = known.entrySet().iterator(); known.size() > KEPT || octets > OCTETS_KEPT; ) {
            octets -= eldest.next().getValue().octets();
            eldest.remove();
        }
    }

    /** Whether there is no need to ask, be it that this was in vain a moment ago. */
    boolean isFresh(K key, long now) {
        var last = known.get(key);
        return last != null && now - last.until < 0;
    }

    /** A server that can't be asked now still offers what it did: many a client bounces what needs more than it sees. */
    Optional<Reply> notAsked(K key, long now) {
        var last = known.get(key);
        long until = now + FAILURE_NANOS;
        if (last == null || last.until - until <= 0) {
            put(key, new Known(last == null ? null : last.hello, until));
        }
        return last(key);
    }

    /** What was said last. */
    Optional<Reply> last(K key) {
        return Optional.ofNullable(known.get(key)).map(Known::hello);
    }
}
