package dev.weft.nio;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts connections in all and per client, across loops. An IPv6 client is its /64, since it can take any address in it. */
final class Limits {

    private static final Logger LOG = LoggerFactory.getLogger(Limits.class);

    private final int maxSessions;
    private final int maxPerClient;
    private int room = Integer.MAX_VALUE;
    private final AtomicBoolean told = new AtomicBoolean();
    private final AtomicInteger sessions = new AtomicInteger();
    private final ConcurrentHashMap<Object, Integer> perClient = new ConcurrentHashMap<>();

    Limits(int maxSessions, int maxPerClient) {
        this.maxSessions = maxSessions;
        this.maxPerClient = maxPerClient;
    }

    /** Lets in no more than the limit of open files has room for; before any loop runs. */
    void haveRoomFor(int mostSessions) {
        room = mostSessions;
    }

    boolean admit() {
        int now = sessions.incrementAndGet();
        if (now <= maxSessions && now <= room) {
            return true;
        }
        sessions.decrementAndGet();
        if (now <= maxSessions && told.compareAndSet(false, true)) {
            LOG.warn("a session was refused: the limit of open files has room for {}, not for {}; raise it (ulimit -n, LimitNOFILE)",
                    room, maxSessions);
        }
        return false;
    }

    void leave() {
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
