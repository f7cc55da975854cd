package dev.weft.nio;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts connections in all and per client, across loops, and the descriptors that are held for sessions and for server legs that
 * they share. An IPv6 client is its /64, since it can take any address in it.
 */
final class Limits {

    private static final Logger LOG = LoggerFactory.getLogger(Limits.class);

    /** Once server legs are shared, so much of the room is theirs, however many sessions there are: an eighth. */
    private static final int LEGS_PART = 8;

    /**
     * The descriptors that are held.
     *
     * @param sessions for sessions, server legs of their own among them
     * @param legs for server legs that are shared
     * @param legCount how many these are
     */
    private record Held(long sessions, long legs, int legCount) {}

    private final int maxSessions;
    private final int maxPerClient;
    private long room = Long.MAX_VALUE;
    private long most;
    private long legsShare;
    private volatile boolean sharesLegs;
    private final AtomicReference<Held> held = new AtomicReference<>(new Held(0, 0, 0));
    /** Is told when descriptors are given back, or a session finds none. */
    private LegDescriptors watcher;
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
     * @param mostOfLeg how many a shared server leg may take
     */
    void haveRoomFor(long descriptors, long mostOfOne, long mostOfLeg) {
        room = descriptors;
        most = mostOfOne;
        legsShare = Math.max(mostOfLeg, descriptors / LEGS_PART);
    }

    /** Before any loop runs. */
    void watcher(LegDescriptors told) {
        watcher = told;
    }

    boolean admit() {
        int now = sessions.incrementAndGet();
        if (now > maxSessions) {
            sessions.decrementAndGet();
            return false;
        }
        if (!holdSession(now == 1)) {
            sessions.decrementAndGet();
            if (told.compareAndSet(false, true)) {
                LOG.warn("a session was refused beside {} others and {} shared server legs: the limit of open files has room for"
                        + " {} more descriptors, a session may take {}; raise it (ulimit -n, LimitNOFILE)",
                        now - 1, held.get().legCount, room, most);
            }
            if (watcher != null) {
                watcher.sessionRefused();
            }
            return false;
        }
        return true;
    }

    /** @param anyway one is let in at least, however few there are */
    private boolean holdSession(boolean anyway) {
        Held now;
        Held next;
        do {
            now = held.get();
            next = new Held(now.sessions + most, now.legs, now.legCount);
            if (!anyway && next.sessions + (sharesLegs ? Math.max(legsShare, now.legs) : 0) > room) {
                return false;
            }
        } while (!held.compareAndSet(now, next));
        return true;
    }

    /** How many descriptors are held for a session that was admitted. */
    long most() {
        return most;
    }

    /** A session turned out to take fewer. */
    void takesFewer(long spared) {
        giveBack(now -> new Held(now.sessions - spared, now.legs, now.legCount));
    }

    /** A session is over, for which so many descriptors were held. */
    void leave(long descriptors) {
        sessions.decrementAndGet();
        takesFewer(descriptors);
    }

    /**
     * Holds descriptors for a server leg that is to be opened and shared; calls nobody.
     *
     * @return false if there are too few; one leg can be had at least, however few there are
     */
    boolean holdLeg(long descriptors) {
        sharesLegs = true;
        Held now;
        Held next;
        do {
            now = held.get();
            next = new Held(now.sessions, now.legs + descriptors, now.legCount + 1);
            if (now.legCount > 0 && next.sessions + next.legs > room) {
                return false;
            }
        } while (!held.compareAndSet(now, next));
        return true;
    }

    /** Holds more for a leg; false if there are too few, as above. */
    boolean holdMore(long descriptors) {
        Held now;
        Held next;
        do {
            now = held.get();
            next = new Held(now.sessions, now.legs + descriptors, now.legCount);
            if (now.legCount > 1 && next.sessions + next.legs > room) {
                return false;
            }
        } while (!held.compareAndSet(now, next));
        return true;
    }

    /** A leg turned out to take fewer. */
    void legTakesFewer(long spared) {
        giveBack(now -> new Held(now.sessions, now.legs - spared, now.legCount));
    }

    /** The socket of a leg is closed, for which so many descriptors were held. */
    void legLeaves(long descriptors) {
        giveBack(now -> new Held(now.sessions, now.legs - descriptors, now.legCount - 1));
    }

    private void giveBack(UnaryOperator<Held> change) {
        held.updateAndGet(change);
        if (watcher != null) {
            watcher.wake();
        }
    }

    /** How many descriptors are held now. */
    long held() {
        var now = held.get();
        return now.sessions + now.legs;
    }

    /** How many there are still; less than 0 where some were had though there were none. */
    long free() {
        return room - held();
    }

    /** How many of them are held for shared server legs. */
    long heldForLegs() {
        return held.get().legs;
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
