package dev.weft.policy;

import dev.weft.relay.Route;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;

/**
 * What concurrency is counted by: the server, or the name that a route gives to several, together with the address of ours that
 * it sees.
 *
 * @param source the address that legs leave from; empty if the system chooses
 * @param ofClient the source is a client's own address, with which nobody else shares anything
 * @param server the server; empty if the route names the destination
 * @param name the name that routes gave; empty if the server stands for itself
 */
public record Destination(Optional<InetAddress> source, boolean ofClient, Optional<InetSocketAddress> server, String name) {

    /**
     * Checks that nothing is null.
     *
     * @param source the address that legs leave from
     * @param ofClient the source is a client's own address
     * @param server the server
     * @param name the name that routes gave
     */
    public Destination {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(server, "server");
        Objects.requireNonNull(name, "name");
    }

    /**
     * The destination of a route.
     *
     * @param route the route
     * @param client the client's address, for a route that leaves from it
     * @return the destination
     */
    public static Destination of(Route route, InetAddress client) {
        var named = route.destination();
        return new Destination(route.fromClientAddress() ? Optional.of(client) : route.source(), route.fromClientAddress(),
                named.isPresent() ? Optional.empty() : Optional.of(route.server()), named.orElse(""));
    }

    /**
     * For replies and logs.
     *
     * @return the name, or the server's address and port, such as {@code 192.0.2.25:25} or {@code [2001:db8:0:0:0:0:0:25]:25};
     *         then {@code from} and the source address, if the system does not choose it
     */
    @Override
    public String toString() {
        return server.map(Keys::text).orElse(name)
                + source.map(address -> " from " + address.getHostAddress()).orElse("");
    }
}
