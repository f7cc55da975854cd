package dev.weft.examples;

import dev.weft.intercept.Network;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Verdict;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Chooses the address that the server leg leaves from by the client's network, so that each group of senders has a reputation
 * of its own. The first network that holds the client counts; clients in none leave from the address that the system chooses.
 *
 * <pre>java -Dsources=10.1.0.0/16=192.0.2.1,10.2.0.0/16=192.0.2.2 -jar weft-proxy.jar --listen *:2525 --to mx.example.com:25 \
 *     --handler dev.weft.examples.SourceByNetwork</pre>
 */
public final class SourceByNetwork implements RelayHandler {

    private final Map<Network, InetAddress> sources;

    /** Takes the list from the system property {@code sources}: {@code network=address,...}. */
    public SourceByNetwork() {
        this(parse(System.getProperty("sources", "")));
    }

    /**
     * Takes the list from the host.
     *
     * @param sources the source address of each client network, asked in order
     */
    public SourceByNetwork(Map<Network, InetAddress> sources) {
        this.sources = new LinkedHashMap<>(sources);
    }

    @Override
    public Verdict<Route> connect(RelaySession session, Route proposed) {
        for (var entry : sources.entrySet()) {
            if (entry.getKey().contains(session.client().getAddress())) {
                return Verdict.rewrite(proposed.withSource(entry.getValue()));
            }
        }
        return Verdict.proceed();
    }

    private static Map<Network, InetAddress> parse(String text) {
        var sources = new LinkedHashMap<Network, InetAddress>();
        for (var pair : text.isEmpty() ? new String[0] : text.split(",")) {
            var parts = pair.split("=", 2);
            if (parts.length < 2) {
                throw new IllegalArgumentException("sources \"" + pair
                        + "\": write network=address, such as 10.1.0.0/16=192.0.2.1");
            }
            sources.put(Network.parse(parts[0]), Network.parse(parts[1]).address());
        }
        return sources;
    }
}
