package dev.weft.nio;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts connections in all and per client, across loops. An IPv6 client is its /64, since it can take any address in it. */
final class Limits {

    private final int maxSessions;
    private final int maxPerClient;
    private final AtomicInteger sessions = new AtomicInteger();
    private final ConcurrentHashMap<Object, Integer> perClient = new ConcurrentHashMap<>();

    Limits(int maxSessions, int maxPerClient) {
        this.maxSessions = maxSessions;
        this.maxPerClient = maxPerClient;
    }

    boolean admit() {
        if (sessions.incrementAndGet() > maxSessions) {
            sessions.decrementAndGet();
            return false;
        }
        return true;
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
