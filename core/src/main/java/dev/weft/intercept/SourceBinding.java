package dev.weft.intercept;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Opens server legs from a chosen source address, without running out of ports.
 *
 * <p>A plain bind to port 0 takes a port for all servers at once: about 28,000 connections a source address in all. So the port
 * is chosen when the server is known: by the kernel where IP_BIND_ADDRESS_NO_PORT can be set, otherwise here, at random, with
 * further tries when the four-tuple is taken. Then the limit is about 28,000 to each server. Another address than the one asked
 * for is never used.
 */
public final class SourceBinding {
    /**
     * A try costs some 20 microseconds on the event loop; while a tenth of the ports is free, one in a million connects needs
     * more than these.
     */
    private static final int TRIES = 128;

    private static final String MORE_PORTS =
            "add source addresses, widen net.ipv4.ip_local_port_range, or lower the concurrency to this server";

    private static final PortRange PORTS = PortRange.ofThisHost();

    private SourceBinding() {
    }

    /**
     * Looks whether server legs can leave as asked; to be called before the proxy starts (it also reads the host's port range,
     * which no event loop should).
     *
     * @param transparent whether server legs leave under addresses that are not this host's
     * @throws IllegalStateException if that can't be, with what is missing and what to do
     */
    public static void check(boolean transparent) {
        SocketOptionHelper.bindsLate();
        if (transparent) {
            SocketOptionHelper.transparentUnavailable().ifPresent(why -> {
                throw new IllegalStateException("server legs can't leave under the client's address: " + why);
            });
        }
    }

    /**
     * Opens a channel and begins to connect it. The connection may be there at once ({@link SocketChannel#isConnected}, on
     * loopback); usually a selector has to say when to finish it.
     *
     * @param server where to go
     * @param source the address to leave from; empty for the kernel's choice
     * @param transparent whether the source is not an address of this host, usually the client's own. The port is another than
     *     the client's in all likelihood, being the kernel's choice, and the answers must be routed through this host
     * @return the channel, non-blocking, with TCP_NODELAY
     * @throws IllegalArgumentException if the server is unresolved or its port 0, or if there is no source to be transparent with
     * @throws BindException if one can't leave from the source address, with the reason and the mend
     * @throws IOException if the connection is refused at once
     */
    public static SocketChannel connect(InetSocketAddress server, Optional<InetAddress> source, boolean transparent)
            throws IOException {
        if (server.isUnresolved() || server.getPort() == 0) {
            throw new IllegalArgumentException("server " + Addresses.text(server)
                    + " needs a resolved address and a port between 1 and 65535");
        }
        if (source.isEmpty()) {
            if (transparent) {
                throw new IllegalArgumentException("a transparent server leg to " + Addresses.text(server)
                        + " needs the source address to leave from");
            }
            return connectFromAnywhere(server);
        }
        var from = Addresses.unmapped(source.get());
        if (!Addresses.sameFamily(from, Addresses.unmapped(server.getAddress()))) {
            throw new BindException("source address " + from.getHostAddress() + " and server " + Addresses.text(server)
                    + " are not of the same family; give a source address of the server's");
        }
        return transparent || SocketOptionHelper.bindsLate()
                ? connectWithKernelsPort(server, from, transparent)
                : connectWithOwnPort(server, from, PORTS);
    }

    /**
     * The local address of a server leg. Where the port is chosen when connecting, the channel itself does not know it before
     * it has finished that.
     *
     * @param channel a channel that {@link #connect} gave
     * @return the address with its port; empty if it can't be known yet
     * @throws IOException if the channel is closed
     */
    public static Optional<InetSocketAddress> localAddress(SocketChannel channel) throws IOException {
        var known = SocketOptionHelper.unavailable().isEmpty()
                ? SocketOptionHelper.localAddress(channel)
                : (InetSocketAddress) channel.getLocalAddress();
        return known == null || known.getPort() == 0 ? Optional.empty() : Optional.of(Addresses.unmapped(known));
    }

    private static SocketChannel connectFromAnywhere(InetSocketAddress server) throws IOException {
        var channel = open();
        try {
            begin(channel, server);
            return channel;
        } catch (BindException e) {
            abandon(channel, e);
            throw explained("can't leave for server " + Addresses.text(server) + " (" + e.getMessage()
                    + "): no free port was found, or a route prohibits it; " + MORE_PORTS, e);
        } catch (IOException | RuntimeException e) {
            abandon(channel, e);
            throw e;
        }
    }

    private static SocketChannel connectWithKernelsPort(InetSocketAddress server, InetAddress from, boolean transparent)
            throws IOException {
        var channel = open();
        try {
            if (transparent) {
                SocketOptionHelper.setTransparent(channel);
            }
            if (SocketOptionHelper.bindsLate()) {
                SocketOptionHelper.setBindAddressNoPort(channel);
            }
            try {
                bind(channel, from, 0);
            } catch (BindException e) {
                throw transparent || bindable(from) ? usedUp(from, server, e) : notHere(from, e);
            }
            try {
                begin(channel, server);
            } catch (BindException e) {
                throw usedUp(from, server, e);
            }
            return channel;
        } catch (IOException | RuntimeException e) {
            abandon(channel, e);
            throw e;
        }
    }

    static SocketChannel connectWithOwnPort(InetSocketAddress server, InetAddress from, PortRange ports) throws IOException {
        var walk = ports.walk(ThreadLocalRandom.current());
        BindException clash = null;
        for (int i = 0; i < Math.min(TRIES, ports.size()); i++) {
            int port = walk.applyAsInt(i);
            // A socket that connects to its very own address is connected with itself.
            if (port < 0 || port == server.getPort() && from.equals(server.getAddress())) {
                continue;
            }
            // A failed connect closes the channel, so every try has its own.
            var channel = open();
            try {
                // Without it the port would be taken for all servers at once.
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                bind(channel, from, port);
            } catch (BindException e) {
                channel.close();
                if (clash == null && !bindable(from)) {
                    throw notHere(from, e);
                }
                clash = e;
                continue;
            } catch (IOException | RuntimeException e) {
                abandon(channel, e);
                throw e;
            }
            try {
                begin(channel, server);
                return channel;
            } catch (BindException e) {
                channel.close();
                clash = e;
            } catch (IOException | RuntimeException e) {
                abandon(channel, e);
                throw e;
            }
        }
        throw usedUp(from, server, clash);
    }

    private static SocketChannel open() throws IOException {
        var channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return channel;
        } catch (IOException e) {
            abandon(channel, e);
            throw e;
        }
    }

    private static void bind(SocketChannel channel, InetAddress from, int port) throws IOException {
        try {
            channel.bind(new InetSocketAddress(from, port));
        } catch (UnsupportedAddressTypeException e) {
            throw noIpv6(from, e);
        }
    }

    private static void begin(SocketChannel channel, InetSocketAddress server) throws IOException {
        try {
            channel.connect(server);
        } catch (UnsupportedAddressTypeException e) {
            throw noIpv6(server.getAddress(), e);
        }
    }

    /**
     * UDP ports are no scarce good here: what can't be bound is no address of this host. The texts of BindException depend on
     * the locale.
     */
    private static boolean bindable(InetAddress from) {
        try (var trial = DatagramChannel.open()) {
            trial.bind(new InetSocketAddress(from, 0));
            return true;
        } catch (BindException e) {
            return false;
        } catch (IOException | UnsupportedAddressTypeException e) {
            return true; // it says nothing about the address
        }
    }

    private static BindException notHere(InetAddress from, BindException cause) {
        return explained("source address " + from.getHostAddress() + " is not an address of this host (" + cause.getMessage()
                + "); add it to an interface, or correct the route's source", cause);
    }

    private static BindException usedUp(InetAddress from, InetSocketAddress server, BindException cause) {
        return explained("can't leave from source address " + from.getHostAddress() + " for server " + Addresses.text(server)
                + " (" + (cause == null ? "all ports are reserved" : cause.getMessage())
                + "): no free port was found, or a route prohibits it; " + MORE_PORTS, cause);
    }

    private static SocketException noIpv6(InetAddress address, UnsupportedAddressTypeException cause) {
        var exception = new SocketException("this JVM has no IPv6 to reach or leave from " + address.getHostAddress()
                + "; is java.net.preferIPv4Stack set, or (JDK 17) an IPv4 listener inherited?");
        exception.initCause(cause);
        return exception;
    }

    private static BindException explained(String text, BindException cause) {
        var exception = new BindException(text);
        exception.initCause(cause);
        return exception;
    }

    private static void abandon(SocketChannel channel, Exception why) {
        try {
            channel.close();
        } catch (IOException e) {
            why.addSuppressed(e);
        }
    }
}
