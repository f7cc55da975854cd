package dev.weft.policy;

import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Describes a {@link Reputation}. Not for several threads at once. */
public final class ReputationBuilder {
    BiFunction<RelaySession, Optional<Route>, String> tenant = Keys::tenant;
    Duration halfLife = Duration.ofDays(7);
    InstantSource time = InstantSource.system();
    String name = "reputation";
    int most = 100_000;

    ReputationBuilder() {}

    /**
     * Says whose mail it is; the route's tenant by default, who is the client's address if it names none.
     *
     * @param name gives the tenant; called on the session's event loop, so it must not wait
     * @return this builder
     */
    public ReputationBuilder tenant(Function<RelaySession, String> name) {
        Objects.requireNonNull(name, "name");
        tenant = (session, route) -> name.apply(session);
        return this;
    }

    /**
     * In which time a count loses half of itself.
     *
     * @param time 1 s to 3650 days; 7 days by default
     * @return this builder
     * @throws IllegalArgumentException if it is out of its range
     */
    public ReputationBuilder halfLife(Duration time) {
        halfLife = Keys.between("half-life", time, Duration.ofSeconds(1), Duration.ofDays(3650));
        return this;
    }

    /**
     * Where the time comes from.
     *
     * @param source the system's clock by default
     * @return this builder
     */
    public ReputationBuilder time(InstantSource source) {
        time = Objects.requireNonNull(source, "source");
        return this;
    }

    /**
     * The name in a state file, {@code reputation} by default.
     *
     * @param word letters, digits and {@code -}
     * @return this builder
     */
    public ReputationBuilder stateName(String word) {
        name = Objects.requireNonNull(word, "word");
        return this;
    }

    /**
     * How many are remembered.
     *
     * @param each tenants, and as many senders; 1 or more, 100,000 by default
     * @return this builder
     */
    public ReputationBuilder most(int each) {
        most = each;
        return this;
    }

    /**
     * Makes it.
     *
     * @return a reputation that knows nobody
     * @throws IllegalArgumentException if nobody is to be remembered
     */
    public Reputation build() {
        return new Reputation(this);
    }
}
