package dev.weft.examples.bench;

import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
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
import java.util.Arrays;

/**
 * A server with STARTTLS that takes messages and throws them away. One thread; knows just the SMTP that a proxy's server leg
 * speaks.
 */
final class TlsSink implements AutoCloseable {

    private static final byte[] END = "\r\n.\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Selector selector = Selector.open();
    private final ServerSocketChannel listener = ServerSocketChannel.open();
    private final ByteBuffer plain = ByteBuffer.allocateDirect(64 * 1024);
    private final TlsServerContext tls;
    private volatile IOException failure;

    TlsSink(TlsServerContext tls) throws IOException {
        this.tls = tls;
        listener.bind(new InetSocketAddress("127.0.0.1", 0), 4096);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        var thread = new Thread(this::serve, "tls-sink");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return listener.socket().getLocalPort();
    }

    /** What ended the sink's work, or null. */
    IOException failure() {
        return failure;
    }

    /** One connection, with the line that it is in, or the end of the message that has come so far. */
    private static final class Peer {
        private final TlsWire wire;
        private final StringBuilder line = new StringBuilder();
        private final byte[] tail = new byte[END.length];
        private boolean message;

        Peer(TlsWire wire) {
            this.wire = wire;
        }

        /** Takes a part of a message; its sender waits for the reply, so that nothing follows the end. */
        boolean ends(ByteBuffer part) {
            int fresh = Math.min(part.remaining(), tail.length);
            System.arraycopy(tail, fresh, tail, 0, tail.length - fresh);
            part.get(part.limit() - fresh, tail, tail.length - fresh, fresh);
            part.position(part.limit());
            return Arrays.equals(tail, END);
        }
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
            int count;
            while ((count = peer.wire.read(plain.clear())) > 0) {
                take(peer, plain.flip());
            }
            if (count < 0) {
                peer.wire.close();
            }
        } catch (IOException | TlsException e) {
            close(peer.wire); // the peer's own affair
        }
    }

    private void accept() {
        try {
            for (var channel = listener.accept(); channel != null; channel = listener.accept()) {
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                var peer = new Peer(new TlsWire(channel, new TlsWire.Buffers()));
                channel.register(selector, SelectionKey.OP_READ, peer);
                say(peer, "220 sink.example ESMTP");
            }
        } catch (IOException e) {
            failure = e;
        }
    }

    private void take(Peer peer, ByteBuffer part) throws IOException, TlsException {
        while (part.hasRemaining()) {
            if (peer.message) {
                if (peer.ends(part)) {
                    peer.message = false;
                    say(peer, "250 2.0.0 taken");
                }
                continue;
            }
            char octet = (char) (part.get() & 0xff);
            if (octet != '\n') {
                peer.line.append(octet);
                continue;
            }
            var line = peer.line.toString();
            peer.line.setLength(0);
            command(peer, line.substring(0, Math.min(4, line.length())));
        }
    }

    private void command(Peer peer, String verb) throws IOException, TlsException {
        switch (verb) {
            case "EHLO" -> say(peer, peer.wire.inTls() ? "250 sink.example" : "250-sink.example\r\n250 STARTTLS");
            case "STAR" -> {
                say(peer, "220 2.0.0 go on");
                peer.wire.secure(tls.engine(), false);
            }
            case "DATA" -> {
                say(peer, "354 go on");
                Arrays.fill(peer.tail, (byte) 0);
                peer.message = true;
            }
            case "QUIT" -> {
                say(peer, "221 2.0.0 bye");
                peer.wire.channel().shutdownOutput();
            }
            default -> say(peer, "250 2.0.0 ok");
        }
    }

    private static void say(Peer peer, String reply) throws IOException {
        if (!peer.wire.write(StandardCharsets.US_ASCII.encode(reply + "\r\n"))) {
            throw new IOException("the peer does not read its replies");
        }
    }

    private static void close(TlsWire wire) {
        try {
            wire.close();
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
