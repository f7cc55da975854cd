package dev.weft.tls.conscrypt;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Gives each session key a number of its own. Never two keys the same number: a session must not reach another's server. */
final class SessionKeys {
    private final int most;
    private final AtomicInteger lastKnown = new AtomicInteger();
    private final AtomicInteger lastUnused = new AtomicInteger();
    private final ConcurrentHashMap<String, Integer> numbers = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Integer, String> keys = new ConcurrentHashMap<>();

    SessionKeys(int cachedSessions) {
        most = (int) Math.min(2L * cachedSessions + 1000, Integer.MAX_VALUE);
    }

    int number(String key) {
        var known = numbers.get(key);
        if (known != null) {
            return known;
        }
        if (numbers.size() >= most) { // more than the cache holds sessions: forgetting costs a few full handshakes
            numbers.clear();
            keys.clear();
        }
        return numbers.computeIfAbsent(key, k -> {
            int number = lastKnown.incrementAndGet();
            keys.put(number, k);
            return number;
        });
    }

    /** Gives a key another number, so that what Conscrypt remembers under the present one is not offered again. */
    void renumber(String key, int present) {
        int fresh = lastKnown.incrementAndGet();
        keys.put(fresh, key); // the present number stays known: connections that have it may still leave sessions behind
        if (!numbers.replace(key, present, fresh)) {
            keys.remove(fresh);
        }
        if (keys.size() > 4L * most) {
            numbers.clear();
            keys.clear();
        }
    }

    /** A number that stands for no key, so that its session is never found again: long forgotten when the numbers come round. */
    int unused() {
        return -2 - (lastUnused.getAndIncrement() & 0x3fffffff); // -1 means "no port"
    }

    Optional<String> key(int number) {
        return Optional.ofNullable(keys.get(number));
    }
}
