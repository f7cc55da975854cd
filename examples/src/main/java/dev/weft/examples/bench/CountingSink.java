package dev.weft.examples.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A server that counts how often each recipient got a complete message, so that a lost and a doubled one don't cancel out. One
 * thread; knows just the SMTP that smtp-source speaks, and no pipelining.
 */
final class CountingSink implements AutoCloseable {

    private static final String GREETING = "220 sink.example ESMTP";

    private final Selector selector = Selector.open();
    private final ServerSocketChannel listener = ServerSocketChannel.open();
    private final ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
    private final Map<String, Integer> deliveries = new ConcurrentHashMap<>();
    private final Thread thread = new Thread(this::serve, "sink");
    private final boolean closesFirst;
    private volatile IOException failure;

    /**
     * Starts one on a port of its own.
     *
     * @param closesFirst whether it closes after its reply to QUIT, as most servers do, or leaves that to the client
     */
    CountingSink(boolean closesFirst) throws IOException {
        this.closesFirst = closesFirst;
        listener.bind(new InetSocketAddress("127.0.0.1", 0), 4096);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return listener.socket().getLocalPort();
    }

    /** How many messages came, counted once for each recipient. */
    long messages() {
        return deliveries.values().stream().mapToLong(Integer::longValue).sum();
    }

    /** How many different recipients got a message. */
    int recipients() {
        return deliveries.size();
    }

    /** What ended the sink's work, or null. */
    IOException failure() {
        return failure;
    }

    /** One connection, with the line that it is in. */
    private static final class Peer {
        private final StringBuilder line = new StringBuilder();
        private String recipient = "";
        private boolean message;
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
        var channel = (SocketChannel) key.channel();
        try {
            int count = channel.read(buffer.clear());
            if (count < 0) {
                channel.close();
                return;
            }
            take((Peer) key.attachment(), channel);
        } catch (IOException e) {
            // The peer's own affair: a message that was cut so is not counted.
            close(channel);
        }
    }

    private void accept() {
        try {
            for (var channel = listener.accept(); channel != null; channel = listener.accept()) {
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.register(selector, SelectionKey.OP_READ, new Peer());
                say(channel, GREETING);
            }
        } catch (IOException e) {
            failure = e;
        }
    }

    private void take(Peer peer, SocketChannel channel) throws IOException {
        for (buffer.flip(); buffer.hasRemaining();) {
            char c = (char) (buffer.get() & 0xff);
            if (c != '\n') {
                peer.line.append(c);
                continue;
            }
            var line = peer.line.toString();
            peer.line.setLength(0);
            if (peer.message) {
                if (line.equals(".\r")) {
                    peer.message = false;
                    deliveries.merge(peer.recipient, 1, Integer::sum);
                    say(channel, "250 2.0.0 taken");
                }
            } else if (!command(peer, channel, line.strip())) {
                return;
            }
        }
    }

    /** Answers a command; false if the connection is closed. */
    private boolean command(Peer peer, SocketChannel channel, String line) throws IOException {
        switch (line.substring(0, Math.min(4, line.length()))) {
            case "QUIT" -> {
                say(channel, "221 2.0.0 bye");
                if (closesFirst) {
                    channel.close();
                }
                return !closesFirst;
            }
            case "DATA" -> {
                peer.message = true;
                say(channel, "354 go on");
            }
            case "RCPT" -> {
                peer.recipient = line;
                say(channel, "250 2.1.5 ok");
            }
            default -> say(channel, "250 ok");
        }
        return true;
    }

    private static void say(SocketChannel channel, String reply) throws IOException {
        var bytes = StandardCharsets.US_ASCII.encode(reply + "\r\n");
        if (channel.write(bytes) < reply.length() + 2) {
            throw new IOException("the peer does not read its replies");
        }
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // It was as good as closed.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        selector.close();
    }
}
