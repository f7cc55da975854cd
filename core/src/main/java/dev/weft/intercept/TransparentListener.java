package dev.weft.intercept;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;

/** Opens listeners that take connections to addresses that are not this host's. */
public final class TransparentListener {

    private TransparentListener() {
    }

    /**
     * Opens a listener with IP_TRANSPARENT set before it is bound, for TPROXY or policy routing. On the wildcard address it
     * takes IPv4 and IPv6 alike; a listener for one family leaves the other's traffic unintercepted. Needs the flag and the
     * capability that {@link SocketOptionHelper} tells of; {@link InheritedListener} needs neither.
     *
     * @param bind where to listen; port 0 for any
     * @param backlog how many connections may wait to be accepted; the kernel's somaxconn caps it
     * @return the listener, in blocking mode
     * @throws IllegalArgumentException if the address is unresolved or the backlog not positive
     * @throws IOException if the option or the address is refused, with the reason and the mend
     */
    public static ServerSocketChannel open(InetSocketAddress bind, int backlog) throws IOException {
        if (bind.isUnresolved()) {
            throw new IllegalArgumentException("listener address " + Addresses.text(bind)
                    + " is not resolved; give an IP address of this host");
        }
        if (backlog < 1) {
            throw new IllegalArgumentException("backlog " + backlog + " of " + Addresses.text(bind) + " must be 1 or more");
        }
        var listener = ServerSocketChannel.open();
        try {
            setTransparent(listener);
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listener.bind(bind, backlog);
            return listener;
        } catch (BindException e) {
            throw closing(listener, new BindException("can't listen on " + Addresses.text(bind) + " (" + e.getMessage()
                    + "): is another program listening there?"
                    + (bind.getPort() > 0 && bind.getPort() < 1024 ? " A port below 1024 needs CAP_NET_BIND_SERVICE." : "")), e);
        } catch (IOException e) {
            throw closing(listener, new IOException("can't listen on " + Addresses.text(bind) + ": " + e.getMessage()), e);
        } catch (RuntimeException e) {
            throw closing(listener, new IOException("can't listen on " + Addresses.text(bind)
                    + ": this JVM has no sockets of that family; is java.net.preferIPv4Stack set?"), e);
        }
    }

    private static void setTransparent(ServerSocketChannel listener) throws IOException {
        try {
            SocketOptionHelper.setTransparent(listener);
        } catch (IOException e) {
            throw new IOException(e.getMessage()
                    + "; or hand over an inherited listener, which needs neither flag nor privilege", e);
        }
    }

    private static <E extends IOException> E closing(ServerSocketChannel listener, E exception, Exception cause)
            throws IOException {
        listener.close();
        exception.initCause(cause);
        return exception;
    }
}
