package dev.weft.policy;

import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import java.util.Objects;

/**
 * What throttling is counted by, since a server counts each address of ours by itself.
 *
 * @param source the address that server legs leave from, or {@link #SYSTEM}
 * @param destination the server's address and port, or what the host groups servers by
 */
public record ThrottleKey(String source, String destination) {

    /** The source where the system chooses it. */
    public static final String SYSTEM = "system";

    /**
     * Checks that nothing is null.
     *
     * @param source the address that server legs leave from, or {@link #SYSTEM}
     * @param destination the server's address and port, or what the host groups servers by
     */
    public ThrottleKey {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(destination, "destination");
    }

    static ThrottleKey of(RelaySession session, Route route, String destination) {
        var source = route.fromClientAddress()
                ? session.client().getAddress().getHostAddress()
                : route.source().map(address -> address.getHostAddress()).orElse(SYSTEM);
        return new ThrottleKey(source, Keys.bounded(destination));
    }
}
