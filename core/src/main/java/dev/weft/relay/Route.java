package dev.weft.relay;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

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

    private Route(InetSocketAddress server, InetAddress source, boolean clientAddress, String ehloName, TlsPolicy tls, String serverName) {
        this.server = server;
        this.source = source;
        this.clientAddress = clientAddress;
        this.ehloName = ehloName;
        this.tls = tls;
        this.serverName = serverName;
    }

    /**
     * A route to a server, from the address that the system chooses, with the client's own EHLO name.
     *
     * @param server a resolved address with a port
     * @return the route
     * @throws IllegalArgumentException if the address is unresolved, since no lookup may happen on an event loop, or the port is
     *         0
     */
    public static Route to(InetSocketAddress server) {
        return new Route(requireServer(server), null, false, null, TlsPolicy.none(), null);
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
     * The name that the server is greeted with in place of the client's own.
     *
     * @return the name, or empty if the client's own passes
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
     * The same route to another server.
     *
     * @param other a resolved address with a port
     * @return the changed copy
     * @throws IllegalArgumentException as {@link #to(InetSocketAddress)}
     */
    public Route withServer(InetSocketAddress other) {
        return new Route(requireServer(other), source, clientAddress, ehloName, tls, serverName);
    }

    /**
     * The same route from an address of this host. If it can't be bound the client gets a 421; no other address is taken in its
     * place.
     *
     * @param address an address of this host, of the server's family
     * @return the changed copy
     */
    public Route withSource(InetAddress address) {
        return new Route(server, Objects.requireNonNull(address, "address"), false, ehloName, tls, serverName);
    }

    /**
     * The same route from the client's own address, so that a server's limits and reputation count each client by itself. The
     * return traffic must pass this host.
     *
     * @return the changed copy
     */
    public Route withClientAddress() {
        return new Route(server, null, true, ehloName, tls, serverName);
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
        return new Route(server, source, clientAddress, name, tls, serverName);
    }

    /**
     * The same route with another TLS policy.
     *
     * @param policy what TLS the server leg is to have
     * @return the changed copy
     */
    public Route withTls(TlsPolicy policy) {
        return new Route(server, source, clientAddress, ehloName, Objects.requireNonNull(policy, "policy"), serverName);
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
        if (!plain.matches("(?i)(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\\.[a-z0-9_][a-z0-9_-]{0,62})*") || plain.matches("[0-9.]+")) {
            throw new IllegalArgumentException("server name \"" + name.replaceAll("[^\\x20-\\x7e]", "?")
                    + "\": give a host name such as mx1.example.com, no address");
        }
        return new Route(server, source, clientAddress, ehloName, tls, plain.toLowerCase(Locale.ROOT));
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
                && Objects.equals(serverName, that.serverName);
    }

    @Override
    public int hashCode() {
        return Objects.hash(server, source, clientAddress, ehloName, tls, serverName);
    }

    @Override
    public String toString() {
        return "to " + server
                + (source != null ? " from " + source.getHostAddress() : "")
                + (clientAddress ? " from the client's address" : "")
                + (ehloName != null ? " as " + ehloName : "")
                + (tls.wanted() ? " with TLS " + tls : "");
    }
}
