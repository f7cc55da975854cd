package dev.weft.policy;

import dev.weft.relay.Route;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;

/**
 * An address of this host that server legs may leave from.
 *
 * @param address the address; it must be one of this host's when it is used, or sessions over it get a 421 (bound on mail,
 *        transactions a 451): no other takes its place for that
 * @param ehloName the name that servers are greeted with, best the one that the address resolves to; empty to pass the client's
 *        own, or bound on mail the proxy's
 * @param weight its share beside others of a pool, 1 to 1000
 * @param warmUp how much it may send while it is new; empty for no limit
 */
public record SourceAddress(InetAddress address, Optional<String> ehloName, int weight, Optional<WarmUp> warmUp) {

    /**
     * Checks the parts.
     *
     * @param address the address
     * @param ehloName the name that servers are greeted with
     * @param weight its share beside others of a pool, 1 to 1000
     * @param warmUp how much it may send while it is new
     * @throws IllegalArgumentException if the address is a wildcard or for multicast, the name can't stand in an EHLO command, or
     *        the weight is out of its range
     */
    public SourceAddress {
        Objects.requireNonNull(warmUp, "warmUp");
        if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
            throw new IllegalArgumentException("source address " + address.getHostAddress()
                    + ": give one of this host's own addresses");
        }
        if (weight < 1 || weight > 1000) {
            throw new IllegalArgumentException("weight " + weight + " of " + address.getHostAddress() + ": give 1 to 1000");
        }
        ehloName.ifPresent(Route.to(new InetSocketAddress(address, 25))::withEhloName);
    }

    /**
     * An address of weight 1 without an EHLO name of its own.
     *
     * @param address the address
     * @return without a warm-up
     * @throws IllegalArgumentException if it is a wildcard or for multicast
     */
    public static SourceAddress of(InetAddress address) {
        return new SourceAddress(address, Optional.empty(), 1, Optional.empty());
    }

    /**
     * The same with an EHLO name.
     *
     * @param name such as {@code out1.example.com}
     * @return the changed copy
     * @throws IllegalArgumentException if the name can't stand in an EHLO command
     */
    public SourceAddress as(String name) {
        return new SourceAddress(address, Optional.of(name), weight, warmUp);
    }

    /**
     * The same with another weight.
     *
     * @param share 1 to 1000
     * @return the changed copy
     * @throws IllegalArgumentException if the weight is out of its range
     */
    public SourceAddress weighing(int share) {
        return new SourceAddress(address, ehloName, share, warmUp);
    }

    /**
     * The same with a warm-up.
     *
     * @param plan how much it may send on which day
     * @return the changed copy
     */
    public SourceAddress warming(WarmUp plan) {
        return new SourceAddress(address, ehloName, weight, Optional.of(plan));
    }

    Route on(Route route) {
        var from = route.withSource(address);
        return ehloName.map(from::withEhloName).orElse(from);
    }
}
