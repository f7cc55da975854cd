package dev.weft.examples;

import dev.weft.SmtpProxy;
import dev.weft.SmtpProxyBuilder;
import dev.weft.intercept.Interception;
import dev.weft.intercept.Network;
import dev.weft.policy.Refusal;
import dev.weft.policy.Reputation;
import dev.weft.policy.ReputationFigures;
import dev.weft.policy.SourceAddress;
import dev.weft.policy.SourceAddresses;
import dev.weft.policy.SourcePool;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Keeps those whose mail is often refused away from the good addresses: a tenant of whose recipients more than a tenth don't
 * exist, or are refused by policy, leaves from another address, until its figures are better again. They fade by half in a
 * week.
 *
 * <pre>java -Dgood=192.0.2.1 -Dpoor=192.0.2.99 -cp weft-proxy.jar dev.weft.examples.SourceByReputation 127.0.0.1 2525
 * mx.example.com</pre>
 */
public final class SourceByReputation {

    /** A single typo is no bad list. */
    private static final double LEAST_RECIPIENTS = 20;
    private static final double MOST_REFUSED = 0.1;

    private final Reputation reputation = Reputation.builder().build();
    private final SourceAddresses sources;

    /**
     * Takes the addresses from the host.
     *
     * @param good for most
     * @param poor for those whose mail is often refused
     */
    public SourceByReputation(InetAddress good, InetAddress poor) {
        var goodPool = SourcePool.of("good", SourceAddress.of(good));
        var poorPool = SourcePool.of("poor", SourceAddress.of(poor));
        sources = SourceAddresses.from(request -> {
            var figures = reputation.tenant(request.tenant()); // both count by the route's tenant
            return Optional.of(isPoor(figures) ? poorPool : goodPool);
        }).build();
    }

    private static boolean isPoor(ReputationFigures figures) {
        return figures.recipients() >= LEAST_RECIPIENTS && figures.share(Refusal.ADDRESS, Refusal.POLICY) > MOST_REFUSED;
    }

    /**
     * Has a proxy choose so.
     *
     * @param builder the proxy
     * @return the builder
     */
    public SmtpProxyBuilder addTo(SmtpProxyBuilder builder) {
        return builder.handler(sources).handler(reputation); // last, so that only what servers refuse counts
    }

    /**
     * Runs a proxy until it is ended.
     *
     * @param arguments where to listen, host and port; the server
     * @throws IOException if it can't listen there
     */
    public static void main(String[] arguments) throws IOException {
        var addresses = new SourceByReputation(address("good"), address("poor"));
        var proxy = addresses.addTo(SmtpProxy.builder())
                .listen(arguments[0], Integer.parseInt(arguments[1]))
                .intercept(Interception.fixed(new InetSocketAddress(arguments[2], 25)))
                .build();
        proxy.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> proxy.stop(Duration.ofSeconds(30))));
    }

    private static InetAddress address(String property) {
        var text = Objects.requireNonNull(System.getProperty(property), () -> "give -D" + property + "=ADDRESS");
        return Network.parse(text).address();
    }
}
