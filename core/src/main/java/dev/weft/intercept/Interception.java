package dev.weft.intercept;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Optional;

/** How the original destination of a connection is found. */
public sealed interface Interception {

    /**
     * TPROXY, or policy routing to a transparent listener: the accepted connection's own local address is where the client
     * wanted to go. Needs no flag and no privilege when the listener is inherited; works on every JDK.
     *
     * @return the interception
     */
    static Interception localAddress() {
        return new LocalAddress();
    }

    /**
     * REDIRECT or DNAT on this host: connection tracking is asked. Needs Linux, JDK 22 or later, and two flags that
     * {@link #check} prints.
     *
     * @return the interception
     */
    static Interception redirect() {
        return new Redirect();
    }

    /**
     * A balancer in front sends the PROXY protocol. Every connection must start with its header.
     *
     * @param trusted the peers whose header is believed; connections of others are to be refused
     * @return the interception
     * @throws IllegalArgumentException if the list is empty
     */
    static Interception proxyProtocol(List<Network> trusted) {
        return new ProxyProtocol(trusted);
    }

    /**
     * No interception: all connections go to one server.
     *
     * @param server the server, with its address resolved
     * @return the interception
     * @throws IllegalArgumentException if nothing can be connected there
     */
    static Interception fixed(InetSocketAddress server) {
        return new Fixed(server);
    }

    /**
     * Looks whether this JVM and platform have what is needed; to be called before the proxy starts.
     *
     * @throws IllegalStateException if something is missing, with its name and what to do
     */
    default void check() {
    }

    /**
     * Finds the original destination of an accepted connection; quick enough for an event loop. An IPv4-mapped address comes as
     * IPv4. Whether the destination is the proxy itself is for {@link LoopGuard} to say.
     *
     * @param accepted the connection
     * @return the destination; empty if the connection's first bytes tell it ({@link ProxyHeaderReader})
     * @throws IOException if the connection has no original destination, or is closed
     */
    Optional<InetSocketAddress> destination(SocketChannel accepted) throws IOException;

    /** The local address is the original destination. */
    record LocalAddress() implements Interception {
        @Override
        public Optional<InetSocketAddress> destination(SocketChannel accepted) throws IOException {
            var local = (InetSocketAddress) accepted.getLocalAddress();
            if (local == null) {
                throw new IOException("the accepted connection has no local address: it is not connected");
            }
            return Optional.of(Addresses.unmapped(local));
        }
    }

    /** Connection tracking knows the original destination. */
    record Redirect() implements Interception {
        @Override
        public void check() {
            OriginalDestinationOption.unavailable().ifPresent(why -> {
                throw new IllegalStateException("interception by redirect is not available: " + why);
            });
        }

        @Override
        public Optional<InetSocketAddress> destination(SocketChannel accepted) throws IOException {
            return Optional.of(OriginalDestinationOption.read(accepted));
        }
    }

    /**
     * The PROXY protocol's header tells the original destination.
     *
     * @param trusted the peers whose header is believed
     */
    record ProxyProtocol(List<Network> trusted) implements Interception {
        /**
         * Checks and copies the list.
         *
         * @param trusted the peers whose header is believed
         * @throws IllegalArgumentException if the list is empty
         */
        public ProxyProtocol {
            trusted = List.copyOf(trusted);
            if (trusted.isEmpty()) {
                throw new IllegalArgumentException("the PROXY protocol needs at least one trusted network, since whoever"
                        + " sends its header names the client; list the balancers' addresses");
            }
        }

        /**
         * Whether a peer may send the header.
         *
         * @param peer the address that the connection came from
         * @return true if one of the networks has it
         */
        public boolean trusts(InetAddress peer) {
            for (var network : trusted) {
                if (network.contains(peer)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public Optional<InetSocketAddress> destination(SocketChannel accepted) {
            return Optional.empty();
        }
    }

    /**
     * Every connection goes to one server.
     *
     * @param server the server
     */
    record Fixed(InetSocketAddress server) implements Interception {
        /**
         * Checks the server.
         *
         * @param server the server
         * @throws IllegalArgumentException if its address is unresolved or a wildcard, or its port 0
         */
        public Fixed {
            if (server.isUnresolved()) {
                throw new IllegalArgumentException("fixed server " + Addresses.text(server)
                        + " is not resolved; give an IP address, or a name that resolves on this host");
            }
            if (server.getPort() == 0) {
                throw new IllegalArgumentException("fixed server " + Addresses.text(server)
                        + " needs a port between 1 and 65535");
            }
            if (server.getAddress().isAnyLocalAddress()) {
                throw new IllegalArgumentException("fixed server " + Addresses.text(server)
                        + " is a wildcard; give the server's own address, such as 127.0.0.1 for this host");
            }
            server = Addresses.unmapped(server);
        }

        @Override
        public Optional<InetSocketAddress> destination(SocketChannel accepted) {
            return Optional.of(server);
        }
    }
}
