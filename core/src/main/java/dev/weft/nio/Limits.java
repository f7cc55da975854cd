package dev.weft.nio;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts connections in all and per client, across loops. An IPv6 client is its /64, since it can take any address in it. */
final class Limits {

    private static final Logger LOG = LoggerFactory.getLogger(Limits.class);

    private final int maxSessions;
    private final int maxPerClient;
    private long room = Long.MAX_VALUE;
    private long most;
    private final AtomicLong held = new AtomicLong();
    private final AtomicBoolean told = new AtomicBoolean();
    private final AtomicInteger sessions = new AtomicInteger();
    private final ConcurrentHashMap<Object, Integer> perClient = new ConcurrentHashMap<>();

    Limits(int maxSessions, int maxPerClient) {
        this.maxSessions = maxSessions;
        this.maxPerClient = maxPerClient;
    }

    /**
     * Lets in no more than there are descriptors for; before any loop runs.
     *
     * @param descriptors how many there are
     * @param mostOfOne how many a session may take, which are held for it until it is known what it does take
     */
    void haveRoomFor(long descriptors, long mostOfOne) {
        room = descriptors;
        most = mostOfOne;
    }

    boolean admit() {
        int now = sessions.incrementAndGet();
        if (now > maxSessions) {
            sessions.decrementAndGet();
            return false;
        }
        if (held.addAndGet(most) > room && now > 1) { // one at least, however few there are
            leave(most);
            if (told.compareAndSet(false, true)) {
                LOG.warn("a session was refused beside {} others: the limit of open files has room for {} more descriptors, a session"
                        + " may take {}; raise it (ulimit -n, LimitNOFILE)", now - 1, room, most);
            }
            return false;
        }
        return true;
    }

    /** How many descriptors are held for a session that was admitted. */
    long most() {
        return most;
    }

    /** A session turned out to take fewer. */
    void takesFewer(long spared) {
        held.addAndGet(-spared);
    }

    /** A session is over, for which so many descriptors were held. */
    void leave(long descriptors) {
        held.addAndGet(-descriptors);
        sessions.decrementAndGet();
    }

    /** How many connections are admitted now, those that still linger included. */
    int admitted() {
        return sessions.get();
    }

    boolean admitClient(InetAddress client) {
        if (maxPerClient == Integer.MAX_VALUE) {
            return true;
        }
        if (perClient.merge(key(client), 1, Integer::sum) > maxPerClient) {
            leaveClient(client);
            return false;
        }
        return true;
    }

    void leaveClient(InetAddress client) {
        if (maxPerClient != Integer.MAX_VALUE) {
            perClient.computeIfPresent(key(client), (address, count) -> count == 1 ? null : count - 1);
        }
    }

    /** How many clients are counted now. */
    int clients() {
        return perClient.size();
    }

    private static Object key(InetAddress client) {
        return client instanceof Inet6Address ? new Prefix(Arrays.copyOf(client.getAddress(), 8)) : client;
    }

    private record Prefix(byte[] bytes) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Prefix that && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }
}
