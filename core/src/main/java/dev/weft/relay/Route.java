package dev.weft.relay;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Where a session goes on to, and how. Immutable; the {@code with} methods give changed copies.
 */
public final class Route {

    private final InetSocketAddress server;
    private final InetAddress source;
    private final boolean clientAddress;
    private final String ehloName;
    private final TlsPolicy tls;
    private final String serverName;
    private final Binding binding;
    private final Tenant tenant;
    private final String destination;

    private Route(Draft draft) {
        this.server = draft.server;
        this.source = draft.source;
        this.clientAddress = draft.clientAddress;
        this.ehloName = draft.ehloName;
        this.tls = draft.tls;
        this.serverName = draft.serverName;
        this.binding = draft.binding;
        this.tenant = draft.tenant;
        this.destination = draft.destination;
    }

    /** A copy in the making. */
    private static final class Draft {
        private InetSocketAddress server;
        private InetAddress source;
        private boolean clientAddress;
        private String ehloName;
        private TlsPolicy tls = TlsPolicy.none();
        private String serverName;
        private Binding binding = Binding.ON_CONNECT;
        private Tenant tenant;
        private String destination;
    }

    private Route with(Consumer<Draft> change) {
        var draft = new Draft();
        draft.server = server;
        draft.source = source;
        draft.clientAddress = clientAddress;
        draft.ehloName = ehloName;
        draft.tls = tls;
        draft.serverName = serverName;
        draft.binding = binding;
        draft.tenant = tenant;
        draft.destination = destination;
        change.accept(draft);
        return new Route(draft);
    }

    /**
     * A route to a server, from the address that the system chooses, with the client's own EHLO name (bound {@link
     * Binding#ON_MAIL}, the proxy's), without TLS.
     *
     * @param server a resolved address with a port
     * @return the route
     * @throws IllegalArgumentException if the address is unresolved, since no lookup may happen on an event loop, or the port is
     *         0
     */
    public static Route to(InetSocketAddress server) {
        var draft = new Draft();
        draft.server = requireServer(server);
        return new Route(draft);
    }

    /**
     * The server.
     *
     * @return its address
     */
    public InetSocketAddress server() {
        return server;
    }

    /**
     * The address that the server leg leaves from.
     *
     * @return the address, or empty if the system chooses, or if it is the client's own
     */
    public Optional<InetAddress> source() {
        return Optional.ofNullable(source);
    }

    /**
     * Whether the server leg leaves from the client's own address (Linux, IP_TRANSPARENT, CAP_NET_RAW).
     *
     * @return true if it does
     */
    public boolean fromClientAddress() {
        return clientAddress;
    }

    /**
     * The name that the server is greeted with.
     *
     * @return the name, or empty if the client's own passes, or bound {@link Binding#ON_MAIL} the proxy's is said
     */
    public Optional<String> ehloName() {
        return Optional.ofNullable(ehloName);
    }

    /**
     * What TLS the server leg is to have.
     *
     * @return the policy
     */
    public TlsPolicy tls() {
        return tls;
    }

    /**
     * The name that the server is asked for in the TLS handshake (SNI).
     *
     * @return the name, or empty if the one that the server announces is taken as a hint
     */
    public Optional<String> serverName() {
        return Optional.ofNullable(serverName);
    }

    /**
     * When the session gets its server leg.
     *
     * @return the binding, {@link Binding#ON_CONNECT} by default
     */
    public Binding binding() {
        return binding;
    }

    /**
     * Whom fairness counts by.
     *
     * @return the tenant, or empty for the client: its IPv4 address, or its IPv6 /64
     */
    public Optional<Tenant> tenant() {
        return Optional.ofNullable(tenant);
    }

    /**
     * What concurrency is counted by, together with the source address.
     *
     * @return a destination's name, or empty for the server's address and port
     */
    public Optional<String> destination() {
        return Optional.ofNullable(destination);
    }

    /**
     * The same route to another server.
     *
     * @param other a resolved address with a port
     * @return the changed copy
     * @throws IllegalArgumentException as {@link #to(InetSocketAddress)}
     */
    public Route withServer(InetSocketAddress other) {
        requireServer(other);
        return with(draft -> draft.server = other);
    }

    /**
     * The same route from an address of this host. If it can't be bound the client gets a 421, or bound {@link Binding#ON_MAIL} a
     * 451 at MAIL; no other address is taken in its place.
     *
     * @param address an address of this host, of the server's family
     * @return the changed copy
     */
    public Route withSource(InetAddress address) {
        Objects.requireNonNull(address, "address");
        return with(draft -> {
            draft.source = address;
            draft.clientAddress = false;
        });
    }

    /**
     * The same route from the client's own address, so that a server's limits and reputation count each client by itself. The
     * return traffic must pass this host.
     *
     * @return the changed copy
     */
    public Route withClientAddress() {
        return with(draft -> {
            draft.source = null;
            draft.clientAddress = true;
        });
    }

    /**
     * The same route, greeting the server with this name.
     *
     * @param name a domain or address literal: no blanks or control characters, ASCII, at most 255 octets
     * @return the changed copy
     * @throws IllegalArgumentException if the name can't stand in an EHLO command
     */
    public Route withEhloName(String name) {
        if (name.isEmpty() || name.length() > 255 || name.chars().anyMatch(c -> c <= ' ' || c >= 0x7f)) {
            throw new IllegalArgumentException("EHLO name \"" + name.replaceAll("[^\\x20-\\x7e]", "?")
                    + "\": give a domain such as mx1.example.com or an address literal such as [192.0.2.1]");
        }
        return with(draft -> draft.ehloName = name);
    }

    /**
     * The same route with another TLS policy.
     *
     * @param policy what TLS the server leg is to have
     * @return the changed copy
     */
    public Route withTls(TlsPolicy policy) {
        Objects.requireNonNull(policy, "policy");
        return with(draft -> draft.tls = policy);
    }

    /**
     * The same route, asking the server for the certificate of this name (SNI). What is verified is the policy's names, not this
     * one.
     *
     * @param name the mail exchanger's host name; a trailing dot is dropped
     * @return the changed copy
     * @throws IllegalArgumentException if it is no host name
     */
    public Route withServerName(String name) {
        var plain = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        if (!plain.matches("(?i)(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\\.[a-z0-9_][a-z0-9_-]{0,62})*")
                || plain.matches("[0-9.]+")) {
            throw new IllegalArgumentException("server name \"" + name.replaceAll("[^\\x20-\\x7e]", "?")
                    + "\": give a host name such as mx1.example.com, no address");
        }
        return with(draft -> draft.serverName = plain.toLowerCase(Locale.ROOT));
    }

    /**
     * The same route with another binding. Decided at connect; a transaction's route keeps it.
     *
     * @param when when the session gets its server leg
     * @return the changed copy
     */
    public Route withBinding(Binding when) {
        Objects.requireNonNull(when, "when");
        return with(draft -> draft.binding = when);
    }

    /**
     * The same route for this tenant, instead of the one that the client's address tells. Of effect where server legs are leased,
     * {@link Binding#ON_MAIL}, and in the parts of {@code dev.weft.policy} that count by tenants.
     *
     * @param counted whom fairness counts by
     * @return the changed copy
     */
    public Route withTenant(Tenant counted) {
        Objects.requireNonNull(counted, "counted");
        return with(draft -> draft.tenant = counted);
    }

    /**
     * The same route, counted among all routes to this destination from the same source address: where one provider counts the
     * connections to all its mail exchangers together. A leg is used again only towards its own server.
     *
     * @param group the destination's name, such as the provider's domain: 1 to 255 characters without control characters
     * @return the changed copy
     * @throws IllegalArgumentException if the name is anything else
     */
    public Route withDestination(String group) {
        if (group.isBlank() || group.length() > 255 || group.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("destination \"" + group.replaceAll("\\p{Cntrl}", "?")
                    + "\": give 1 to 255 characters, not all blank, no control characters, such as the provider's domain");
        }
        return with(draft -> draft.destination = group);
    }

    private static InetSocketAddress requireServer(InetSocketAddress server) {
        if (server.isUnresolved() || server.getPort() == 0) {
            throw new IllegalArgumentException("server " + server + ": give a resolved address and a port from 1 to 65535");
        }
        return server;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Route that
                && server.equals(that.server)
                && Objects.equals(source, that.source)
                && clientAddress == that.clientAddress
                && Objects.equals(ehloName, that.ehloName)
                && tls.equals(that.tls)
                && Objects.equals(serverName, that.serverName)
                && binding == that.binding
                && Objects.equals(tenant, that.tenant)
                && Objects.equals(destination, that.destination);
    }

    @Override
    public int hashCode() {
        return Objects.hash(server, source, clientAddress, ehloName, tls, serverName, binding, tenant, destination);
    }

    @Override
    public String toString() {
        return "to " + server
                + (source != null ? " from " + source.getHostAddress() : "")
                + (clientAddress ? " from the client's address" : "")
                + (ehloName != null ? " as " + ehloName : "")
                + (tls.wanted() ? " with TLS " + tls : "")
                + (binding == Binding.ON_MAIL ? " on mail" : "")
                + (tenant != null ? " for " + tenant.name() : "")
                + (destination != null ? " of " + destination : "");
    }
}
