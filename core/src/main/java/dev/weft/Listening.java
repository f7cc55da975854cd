package dev.weft;

import dev.weft.intercept.InheritedListener;
import dev.weft.intercept.TransparentListener;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;

/** How a listener comes to be. */
sealed interface Listening {

    ServerSocketChannel open(int backlog) throws IOException;

    /** Whether clients begin with a TLS handshake. */
    default boolean implicitTls() {
        return false;
    }

    /** An ordinary socket. */
    record Plain(InetSocketAddress address) implements Listening {

        /** As it is written for {@code listen}, without the JDK's slash, and with brackets around an IPv6 address. */
        private String text() {
            var host = address.getAddress().getHostAddress();
            return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
        }

        @Override
        public ServerSocketChannel open(int backlog) throws IOException {
            var channel = ServerSocketChannel.open();
            try {
                return channel.bind(address, backlog);
            } catch (BindException e) {
                channel.close();
                var clearer = new BindException("can't listen on " + text() + ": " + e.getMessage());
                clearer.initCause(e);
                throw clearer;
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        }
    }

    /** An ordinary socket whose clients begin with a TLS handshake. */
    record Secure(Plain plain) implements Listening {
        @Override
        public ServerSocketChannel open(int backlog) throws IOException {
            return plain.open(backlog);
        }

        @Override
        public boolean implicitTls() {
            return true;
        }
    }

    /** A socket that takes connections to foreign addresses. */
    record Transparent(InetSocketAddress address) implements Listening {
        @Override
        public ServerSocketChannel open(int backlog) throws IOException {
            return TransparentListener.open(address, backlog);
        }
    }

    /** The socket that the process was started with. */
    record Inherited() implements Listening {
        @Override
        public ServerSocketChannel open(int backlog) {
            return InheritedListener.get();
        }
    }

    /** A socket that the host application opened and bound. */
    record Given(ServerSocketChannel channel) implements Listening {
        @Override
        public ServerSocketChannel open(int backlog) {
            return channel;
        }
    }
}
