package dev.weft.nio;

import dev.weft.relay.Route;
import dev.weft.relay.TlsPolicy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * All that must be equal for a leg to serve another transaction. What was verified is part of the policy, which names it.
 *
 * @param server where it goes
 * @param source the address that it leaves from; empty if the system chooses
 * @param transparent the source is the client's own
 * @param helloName how the server was greeted
 * @param tls the policy that the leg meets
 * @param serverName what the route wants the server to be asked for
 */
record LegKey(
        InetSocketAddress server, Optional<InetAddress> source, boolean transparent, String helloName, TlsPolicy tls,
        Optional<String> serverName) {

    static LegKey of(Route route, InetAddress client, String helloName) {
        return new LegKey(route.server(), source(route, client), route.fromClientAddress(), route.ehloName().orElse(helloName),
                route.tls(), route.serverName());
    }

    static Optional<InetAddress> source(Route route, InetAddress client) {
        return route.fromClientAddress() ? Optional.of(client) : route.source();
    }
}
