package dev.weft.policy;

import dev.weft.relay.Route;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.function.Function;

/** Describes a {@link ThrottleMonitor}. Not for several threads at once. */
public final class ThrottleMonitorBuilder {

    private static final Duration LONGEST = Duration.ofDays(3650);

    Function<Route, String> destination = Keys::destination;
    ThrottleSigns signs = ThrottleSigns.defaults();
    Duration recent = Duration.ofMinutes(5);
    Duration usual = Duration.ofDays(1);
    double slowFactor = 3;
    Duration slowAtLeast = Duration.ofSeconds(1);
    Duration blockedFor = Duration.ofHours(1);
    InstantSource time = InstantSource.system();
    int most = 10_000;
    ThrottleMonitor.Listener listener = (before, now) -> {};

    ThrottleMonitorBuilder() {}

    /** So that what is built does not change with its builder. */
    ThrottleMonitorBuilder(ThrottleMonitorBuilder copied) {
        destination = copied.destination;
        signs = copied.signs;
        recent = copied.recent;
        usual = copied.usual;
        slowFactor = copied.slowFactor;
        slowAtLeast = copied.slowAtLeast;
        blockedFor = copied.blockedFor;
        time = copied.time;
        most = copied.most;
        listener = copied.listener;
    }

    /**
     * Says what counts as one destination; the route's by default, which is the server's address and port if it names none.
     *
     * @param name gives the destination of a route; called on event loops, so it must not wait
     * @return this builder
     */
    public ThrottleMonitorBuilder destination(Function<Route, String> name) {
        destination = Objects.requireNonNull(name, "name");
        return this;
    }

    /**
     * What replies mean; {@link ThrottleSigns#defaults()} by default.
     *
     * @param table the table
     * @return this builder
     */
    public ThrottleMonitorBuilder signs(ThrottleSigns table) {
        signs = Objects.requireNonNull(table, "table");
        return this;
    }

    /**
     * How fast figures fade.
     *
     * @param lately the half-life of counts and recent means, 1 s or more; 5 min by default
     * @param usually the half-life of the means that they are compared with, longer, up to 3650 days; a day by default
     * @return this builder
     * @throws IllegalArgumentException if one is out of its range
     */
    public ThrottleMonitorBuilder halfLives(Duration lately, Duration usually) {
        if (usually.compareTo(lately) <= 0) {
            throw new IllegalArgumentException("half-lives " + lately + " and " + usually
                    + ": give a longer one for what is usual");
        }
        recent = Keys.between("half-life", lately, Duration.ofSeconds(1), LONGEST);
        usual = Keys.between("half-life", usually, Duration.ofSeconds(1), LONGEST);
        return this;
    }

    /**
     * When a step counts as slowing: its recent mean must be so much above the usual one, by factor and by time. Both are sums of
     * what the server took, the way there and back included.
     *
     * @param factor above 1; 3 by default
     * @param least up to a day; 1 s by default
     * @return this builder
     * @throws IllegalArgumentException if the factor is not above 1, or the time is negative or longer
     */
    public ThrottleMonitorBuilder slowing(double factor, Duration least) {
        if (!(factor > 1)) {
            throw new IllegalArgumentException("slowing from " + factor + " times: give a factor above 1, such as 3");
        }
        slowFactor = factor;
        slowAtLeast = Keys.between("slowing by", least, Duration.ZERO, Duration.ofDays(1));
        return this;
    }

    /**
     * How long a refusal of the address counts, if nothing is accepted meanwhile.
     *
     * @param time 1 s to 365 days; 1 h by default
     * @return this builder
     * @throws IllegalArgumentException if it is out of its range
     */
    public ThrottleMonitorBuilder blockedFor(Duration time) {
        blockedFor = Keys.between("blocked for", time, Duration.ofSeconds(1), Duration.ofDays(365));
        return this;
    }

    /**
     * Who is told of changes; nobody by default.
     *
     * @param told called on event loops, so it must not wait
     * @return this builder
     */
    public ThrottleMonitorBuilder listener(ThrottleMonitor.Listener told) {
        listener = Objects.requireNonNull(told, "told");
        return this;
    }

    /**
     * Where the time comes from.
     *
     * @param source the system's clock by default
     * @return this builder
     */
    public ThrottleMonitorBuilder time(InstantSource source) {
        time = Objects.requireNonNull(source, "source");
        return this;
    }

    /**
     * How many pairs of address and destination are remembered.
     *
     * @param pairs 1 or more; 10,000 by default
     * @return this builder
     */
    public ThrottleMonitorBuilder most(int pairs) {
        most = pairs;
        return this;
    }

    /**
     * Makes the monitor.
     *
     * @return a monitor that has seen nothing
     * @throws IllegalArgumentException if nothing is to be remembered
     */
    public ThrottleMonitor build() {
        return new ThrottleMonitor(new ThrottleMonitorBuilder(this));
    }
}
