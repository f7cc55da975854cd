package dev.weft.examples;

import dev.weft.SmtpProxy;
import dev.weft.SmtpProxyBuilder;
import dev.weft.intercept.Interception;
import dev.weft.intercept.Network;
import dev.weft.policy.SourceAddress;
import dev.weft.policy.SourceAddresses;
import dev.weft.policy.SourcePool;
import dev.weft.relay.RelaySession;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Gives each tenant, known by its network, source addresses of its own, each with the EHLO name that fits it. At one
 * destination a tenant always leaves from the same address; one that the destination refuses rests there, and another of the
 * tenant's own takes over. Clients that are no tenants leave from the address that the system chooses.
 *
 * <pre>java -Dtenants=10.1.0.0/16=192.0.2.1/out1.example.com+192.0.2.2/out2.example.com,10.2.0.0/16=192.0.2.3 \
 *     -cp weft-proxy.jar dev.weft.examples.SourceByTenant 127.0.0.1 2525 mx.example.com</pre>
 */
public final class SourceByTenant {

    private record Tenant(Network network, SourcePool pool) {}

    private final List<Tenant> tenants = new ArrayList<>();
    private final SourceAddresses sources = SourceAddresses
            .from(request -> tenant(request.session()).map(Tenant::pool))
            .tenant(session -> tenant(session).map(tenant -> tenant.pool.name()).orElse("none"))
            .takeOver(request -> true)
            .build();

    /**
     * Takes the list from the host.
     *
     * @param text {@code network=address/name+address/name,...}; the names may be left away
     * @throws IllegalArgumentException if the list can't be read
     */
    public SourceByTenant(String text) {
        for (var entry : text.split(",")) {
            var parts = entry.split("=", 2);
            if (parts.length < 2) {
                throw new IllegalArgumentException("tenants \"" + entry
                        + "\": write network=address, such as 10.1.0.0/16=192.0.2.1");
            }
            var addresses = new ArrayList<SourceAddress>();
            for (var address : parts[1].split("\\+")) {
                var named = address.split("/", 2);
                var source = SourceAddress.of(Network.parse(named[0]).address());
                addresses.add(named.length < 2 ? source : source.as(named[1]));
            }
            tenants.add(new Tenant(Network.parse(parts[0]), new SourcePool(parts[0], addresses)));
        }
    }

    private Optional<Tenant> tenant(RelaySession session) {
        return tenants.stream().filter(tenant -> tenant.network.contains(session.client().getAddress())).findFirst();
    }

    /**
     * Has a proxy choose so.
     *
     * @param builder the proxy
     * @return the builder
     */
    public SmtpProxyBuilder addTo(SmtpProxyBuilder builder) {
        return builder.handler(sources);
    }

    /**
     * Runs a proxy until it is ended.
     *
     * @param arguments where to listen, host and port; the server
     * @throws IOException if it can't listen there
     */
    public static void main(String[] arguments) throws IOException {
        var proxy = new SourceByTenant(System.getProperty("tenants", "")).addTo(SmtpProxy.builder())
                .listen(arguments[0], Integer.parseInt(arguments[1]))
                .intercept(Interception.fixed(new InetSocketAddress(arguments[2], 25)))
                .build();
        proxy.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> proxy.stop(Duration.ofSeconds(30))));
    }
}
