package dev.weft.policy;

import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/** Describes {@link SourceAddresses}. Not for several threads at once. */
public final class SourceAddressesBuilder {

    final Function<SourceRequest, Optional<SourcePool>> pools;
    BiFunction<RelaySession, Optional<Route>, String> tenant = Keys::tenant;
    Function<Route, String> destination = Keys::destination;
    Predicate<SourceRequest> takeOver = request -> false;
    ThrottleMonitor monitor;
    ThrottleLevel avoided = ThrottleLevel.BLOCKED;
    ThrottleSigns signs = ThrottleSigns.defaults();
    Duration rest = Duration.ofHours(1);
    InstantSource time = InstantSource.system();
    String name = "source-addresses";
    int most = 10_000;

    SourceAddressesBuilder(Function<SourceRequest, Optional<SourcePool>> pools) {
        this.pools = Objects.requireNonNull(pools, "pools");
    }

    /** So that what is built does not change with its builder. */
    SourceAddressesBuilder(SourceAddressesBuilder copied) {
        pools = copied.pools;
        tenant = copied.tenant;
        destination = copied.destination;
        takeOver = copied.takeOver;
        monitor = copied.monitor;
        avoided = copied.avoided;
        signs = copied.signs;
        rest = copied.rest;
        time = copied.time;
        name = copied.name;
        most = copied.most;
    }

    /**
     * Says whose mail it is; the route's tenant by default, who is the client's address if it names none, in IPv6 its /64.
     *
     * @param tenantName gives the tenant of a session; called on its event loop, so it must not wait
     * @return this builder
     */
    public SourceAddressesBuilder tenant(Function<RelaySession, String> tenantName) {
        Objects.requireNonNull(tenantName, "tenantName");
        tenant = (session, route) -> tenantName.apply(session);
        return this;
    }

    /**
     * Says what counts as one destination; the route's destination by default, which is the
     * server's address and port if it names none. A group of servers that share what they
     * know, such as one provider's, is better one.
     *
     * @param destinationName gives the destination of a route; called on event loops, so it must not wait
     * @return this builder
     */
    public SourceAddressesBuilder destination(Function<Route, String> destinationName) {
        destination = Objects.requireNonNull(destinationName, "destinationName");
        return this;
    }

    /**
     * Allows another address of the pool to take over where the tenant's own rests. Without this nobody's does, and the client is
     * told to try later: mail that one address was refused for may spoil the next one.
     *
     * @param allowed says for which requests; called on event loops, so it must not wait
     * @return this builder
     */
    public SourceAddressesBuilder takeOver(Predicate<SourceRequest> allowed) {
        takeOver = Objects.requireNonNull(allowed, "allowed");
        return this;
    }

    /**
     * Also lets an address rest while a monitor finds it treated this badly.
     *
     * @param watched the monitor, which has to be given to the proxy too
     * @param from the level from which on it rests, such as {@link ThrottleLevel#THROTTLED}
     * @return this builder
     * @throws IllegalArgumentException if the level is {@link ThrottleLevel#CLEAR}
     */
    public SourceAddressesBuilder avoid(ThrottleMonitor watched, ThrottleLevel from) {
        if (from == ThrottleLevel.CLEAR) {
            throw new IllegalArgumentException("avoid from CLEAR on would avoid every address:"
                    + " give SLOWING, THROTTLED or BLOCKED");
        }
        monitor = Objects.requireNonNull(watched, "watched");
        avoided = Objects.requireNonNull(from, "from");
        return this;
    }

    /**
     * What replies mean; {@link ThrottleSigns#defaults()} by default.
     *
     * @param table the table
     * @return this builder
     */
    public SourceAddressesBuilder signs(ThrottleSigns table) {
        signs = Objects.requireNonNull(table, "table");
        return this;
    }

    /**
     * How long an address rests at a destination that says {@link ThrottleSign#SOURCE_BLOCKED}. Where it is refused again after a
     * rest, and within as long a time, the next rest is twice as long, up to 16 times this one.
     *
     * @param first 1 s to 30 days; 1 h by default
     * @return this builder
     * @throws IllegalArgumentException if it is out of its range
     */
    public SourceAddressesBuilder rest(Duration first) {
        rest = Keys.between("rest of", first, Duration.ofSeconds(1), Duration.ofDays(30));
        return this;
    }

    /**
     * Where the time comes from.
     *
     * @param source the system's clock by default
     * @return this builder
     */
    public SourceAddressesBuilder time(InstantSource source) {
        time = Objects.requireNonNull(source, "source");
        return this;
    }

    /**
     * The name in a state file, {@code source-addresses} by default.
     *
     * @param word letters, digits and {@code -}
     * @return this builder
     */
    public SourceAddressesBuilder stateName(String word) {
        name = Objects.requireNonNull(word, "word");
        return this;
    }

    /**
     * How much is remembered.
     *
     * @param each addresses in their warm-up, and as many rests; 1 or more, 10,000 by default
     * @return this builder
     */
    public SourceAddressesBuilder most(int each) {
        most = each;
        return this;
    }

    /**
     * Makes the handler.
     *
     * @return source addresses that are all fresh
     * @throws IllegalArgumentException if nothing is to be remembered
     */
    public SourceAddresses build() {
        return new SourceAddresses(new SourceAddressesBuilder(this));
    }
}
