package dev.weft.intercept;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Tells when the proxy would talk to itself: a client dialled the proxy's own listener, or routing handed the proxy one of its
 * own server legs. Either would go round without end. May be used from any thread; nothing waits for a lock.
 */
public final class LoopGuard {
    private static final long SNAPSHOT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * Counted, since several listeners may share an address (SO_REUSEPORT), and a server leg's address can be used again at
     * once.
     */
    private final Map<InetSocketAddress, Integer> listeners = new ConcurrentHashMap<>();
    private final Map<Leg, Integer> legs = new ConcurrentHashMap<>();
    private final LongSupplier nanoClock;
    private final Supplier<Set<InetAddress>> hostAddresses;
    private final AtomicLong snapshotTaken = new AtomicLong();
    private volatile Set<InetAddress> snapshot;

    private record Leg(InetSocketAddress local, InetSocketAddress server) {
    }

    /** A guard on the system's clock, which knows no listener yet. */
    public LoopGuard() {
        this(System::nanoTime);
    }

    /**
     * A guard on a clock of the caller's, which knows no listener yet.
     *
     * @param nanoClock nanoseconds from any fixed moment on
     */
    public LoopGuard(LongSupplier nanoClock) {
        this(nanoClock, LoopGuard::interfaceAddresses);
    }

    LoopGuard(LongSupplier nanoClock, Supplier<Set<InetAddress>> hostAddresses) {
        this.nanoClock = nanoClock;
        this.hostAddresses = hostAddresses;
    }

    /**
     * Makes a listener known. The host's own addresses are read here too, so that the first connection need not wait for that.
     *
     * @param bound the address that the listener is bound to
     */
    public void add(InetSocketAddress bound) {
        listeners.merge(Addresses.unmapped(bound), 1, Integer::sum);
        if (bound.getAddress().isAnyLocalAddress()) {
            hostAddressesNow();
        }
    }

    /**
     * Forgets a listener; unknown ones are ignored.
     *
     * @param bound the address that it was bound to
     */
    public void remove(InetSocketAddress bound) {
        listeners.computeIfPresent(Addresses.unmapped(bound), LoopGuard::oneLess);
    }

    /**
     * Whether an original destination is the proxy itself: a listener's address, or, at the port of a listener on the wildcard
     * address, any address of this host. The host's addresses are looked at only if the port is a listener's, and are up to 10
     * s old.
     *
     * @param destination where a client wanted to go
     * @return empty if one may connect there, otherwise the reason to refuse
     */
    public Optional<String> refusal(InetSocketAddress destination) {
        for (var listener : listeners.keySet()) {
            if (listener.getPort() == destination.getPort() && reaches(destination, listener)) {
                return Optional.of("destination " + Addresses.text(destination) + " is the proxy's own listener "
                        + Addresses.text(listener));
            }
        }
        return Optional.empty();
    }

    /**
     * Remembers a server leg as long as it is open, so that {@link #refusalOfClient} knows it.
     *
     * @param local the server leg's local address ({@link SourceBinding#localAddress})
     * @param server where it goes
     */
    public void leaving(InetSocketAddress local, InetSocketAddress server) {
        legs.merge(leg(local, server), 1, Integer::sum);
    }

    /**
     * Forgets a server leg that was closed; unknown ones are ignored.
     *
     * @param local the local address that {@link #leaving} was given
     * @param server the server that {@link #leaving} was given
     */
    public void left(InetSocketAddress local, InetSocketAddress server) {
        legs.computeIfPresent(leg(local, server), LoopGuard::oneLess);
    }

    /**
     * Whether an accepted connection is one of the proxy's own server legs, come back by a routing loop. Both ends are
     * compared, for a server leg under the client's own address may have the same port as another connection of that client to
     * another server.
     *
     * @param client where the connection came from
     * @param destination its original destination
     * @return empty if it is someone else's, otherwise the reason to refuse
     */
    public Optional<String> refusalOfClient(InetSocketAddress client, InetSocketAddress destination) {
        return legs.containsKey(leg(client, destination))
                ? Optional.of("connection of " + Addresses.text(client) + " to " + Addresses.text(destination)
                        + " is the proxy's own server leg: the interception rules catch the proxy's own traffic;"
                        + " exempt its user id, mark or addresses")
                : Optional.empty();
    }

    private boolean reaches(InetSocketAddress destination, InetSocketAddress listener) {
        var address = Addresses.unmapped(destination.getAddress());
        if (address.equals(listener.getAddress())) {
            return true;
        }
        // To connect to the wildcard address is to connect to this host.
        if (address.isAnyLocalAddress()) {
            return listener.getAddress().isAnyLocalAddress() || listener.getAddress().isLoopbackAddress();
        }
        return listener.getAddress().isAnyLocalAddress() && (address.isLoopbackAddress() || hostAddressesNow().contains(address));
    }

    /** One thread renews a stale snapshot; the others go on with the old one meanwhile. */
    private Set<InetAddress> hostAddressesNow() {
        long now = nanoClock.getAsLong();
        long taken = snapshotTaken.get();
        var known = snapshot;
        if (known != null && (now - taken < SNAPSHOT_NANOS || !snapshotTaken.compareAndSet(taken, now))) {
            return known;
        }
        var fresh = hostAddresses.get();
        if (known == null) {
            snapshotTaken.set(now);
        }
        snapshot = fresh;
        return fresh;
    }

    private static Leg leg(InetSocketAddress local, InetSocketAddress server) {
        return new Leg(Addresses.unmapped(local), Addresses.unmapped(server));
    }

    private static <K> Integer oneLess(K key, Integer count) {
        return count == 1 ? null : count - 1;
    }

    private static Set<InetAddress> interfaceAddresses() {
        try {
            return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                    .collect(Collectors.toUnmodifiableSet());
        } catch (SocketException e) {
            return Set.of(); // no interface at all; loopback is known without them
        }
    }
}
