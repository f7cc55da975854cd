package dev.weft.intercept;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.util.Optional;

/**
 * The listener that the parent process hands over as descriptor 0, usually systemd with {@code Transparent=yes}. The parent has
 * the privilege; the JVM needs neither a flag nor a capability.
 *
 * <p><b>Never close it before the very end.</b> When the JDK closes an inherited channel it turns descriptors 0, 1 and 2 to
 * {@code /dev/null}: whatever the process then writes to standard output and standard error is lost. To stop accepting, cancel
 * the channel's selection keys, and leave the closing to the end of the process. {@link #isInherited} tells such a channel.
 */
public final class InheritedListener {
    private static final String MEND = "start the process from a systemd socket unit (ListenStream=2525, BindIPv6Only=both,"
            + " Transparent=yes) whose service says StandardInput=socket, StandardOutput=journal and StandardError=journal,"
            + " or from a parent that puts an AF_INET6 listener with IPV6_V6ONLY=0 on descriptor 0";

    private InheritedListener() {
    }

    /**
     * The inherited listener; every call gives the same one. Hand over an AF_INET6 socket: {@link #advice} says why.
     *
     * @return the listener, in blocking mode
     * @throws IllegalStateException if descriptor 0 is no listening TCP socket, with what to do
     */
    public static ServerSocketChannel get() {
        Channel channel;
        try {
            channel = System.inheritedChannel();
        } catch (IOException e) {
            throw new IllegalStateException("descriptor 0 can't be taken over (" + e.getMessage() + "); " + MEND, e);
        }
        if (channel == null) {
            throw new IllegalStateException("no listener was inherited: descriptor 0 is no socket; " + MEND);
        }
        if (channel instanceof ServerSocketChannel listener) {
            return listener;
        }
        throw new IllegalStateException("descriptor 0 is a socket, but no listening TCP socket (the JDK takes it for a "
                + channel.getClass().getSimpleName() + "); " + MEND + "; with Accept=no and ListenStream= in the socket unit");
    }

    /**
     * Whether a channel is the inherited listener, whose closing would silence standard output and standard error.
     *
     * @param listener any listener
     * @return true if it came by descriptor 0
     */
    public static boolean isInherited(ServerSocketChannel listener) {
        try {
            return System.inheritedChannel() == listener;
        } catch (IOException e) {
            return false; // nothing could be taken over, so this one was not
        }
    }

    /**
     * What is unwise about an inherited listener, though it works: an IPv4 socket leaves IPv6 traffic unintercepted, and on JDK
     * 17 the whole JVM loses IPv6 when descriptor 0 is an AF_INET socket.
     *
     * @param listener the inherited listener
     * @return a text for the log, with the mend; empty if all is well
     * @throws IOException if the channel is closed
     */
    public static Optional<String> advice(ServerSocketChannel listener) throws IOException {
        if (listener.getLocalAddress() instanceof InetSocketAddress local && local.getAddress() instanceof Inet4Address) {
            return Optional.of("the inherited listener " + Addresses.text(local) + " is an IPv4 socket: IPv6 clients are not"
                    + " intercepted, and JDK 17 loses IPv6 altogether; " + MEND);
        }
        return Optional.empty();
    }
}
