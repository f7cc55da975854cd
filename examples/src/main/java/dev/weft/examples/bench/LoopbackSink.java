package dev.weft.examples.bench;

import dev.weft.tls.spi.TlsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A server on a loopback port of its own, whose one thread serves all its connections until it is closed. */
abstract class LoopbackSink implements AutoCloseable {

    /** One connection. */
    interface Peer {

        /** Something came, or the end. A failure closes the connection, and is the peer's own affair. */
        void read() throws IOException, TlsException;

        void close() throws IOException;
    }

    private final Selector selector = Selector.open();
    private final ServerSocketChannel listener = ServerSocketChannel.open();
    private volatile IOException failure;

    LoopbackSink() throws IOException {
        listener.bind(new InetSocketAddress("127.0.0.1", 0), 4096);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** Begins to serve, once what {@link #greet} needs is there. */
    final void start(String threadName) {
        var thread = new Thread(this::serve, threadName);
        thread.setDaemon(true);
        thread.start();
    }

    /** Greets who connected. */
    abstract Peer greet(SocketChannel channel) throws IOException;

    final int port() {
        return listener.socket().getLocalPort();
    }

    /** What ended the sink's work, or null. */
    final IOException failure() {
        return failure;
    }

    private void serve() {
        try {
            while (selector.isOpen()) {
                selector.select(this::serve);
            }
        } catch (IOException e) {
            failure = e;
        } catch (ClosedSelectorException e) {
            // Closed by its owner.
        }
    }

    private void serve(SelectionKey key) {
        if (key.isAcceptable()) {
            accept();
            return;
        }
        var peer = (Peer) key.attachment();
        try {
            peer.read();
        } catch (IOException | TlsException e) {
            close(peer);
        }
    }

    private void accept() {
        try {
            for (var channel = listener.accept(); channel != null; channel = listener.accept()) {
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.register(selector, SelectionKey.OP_READ, greet(channel));
            }
        } catch (IOException e) {
            failure = e;
        }
    }

    private static void close(Peer peer) {
        try {
            peer.close();
        } catch (IOException e) {
            // It was as good as closed.
        }
    }

    @Override
    public final void close() throws IOException {
        listener.close();
        selector.close();
    }
}
