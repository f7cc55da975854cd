package dev.weft.examples.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Many sessions that say EHLO and then nothing, from several addresses of the loopback network. */
final class IdleSessions implements AutoCloseable {

    /** What a process needs besides its sessions: jars, selectors, listeners, logs. */
    private static final int OTHER_DESCRIPTORS = 500;

    private static final int AT_ONCE = 128;
    private static final int SOURCES = 10;
    private static final ByteBuffer EHLO = StandardCharsets.US_ASCII.encode("EHLO idle.example\r\n").asReadOnlyBuffer();

    private final Selector selector = Selector.open();
    private final ByteBuffer buffer = ByteBuffer.allocate(4096);
    private final List<Idle> sessions = new ArrayList<>();
    private final InetSocketAddress server;
    private int ready;
    private int ended;

    IdleSessions(int port) throws IOException {
        server = new InetSocketAddress("127.0.0.1", port);
    }

    /** How many sessions a proxy can hold under this process's limit of descriptors, each with two. */
    static int most() {
        return (ProcFs.descriptorLimit() - OTHER_DESCRIPTORS) / 2;
    }

    /** How many sessions bound on mail: between transactions they have no server leg. */
    static int mostOnMail() {
        return ProcFs.descriptorLimit() - OTHER_DESCRIPTORS;
    }

    /** What to tell a user who wanted more than {@link #most}. */
    static String tooMany(int wanted, int taken) {
        return "A proxy with " + wanted + " sessions bound on connect needs " + (2 * wanted + OTHER_DESCRIPTORS) + " descriptors, the limit"
                + " here is " + ProcFs.descriptorLimit() + " (`ulimit -n`): " + taken + " sessions in their place.";
    }

    /** One session; knows where in a reply it is. */
    private static final class Idle {
        private final SocketChannel channel;
        private int column;
        private boolean lastLine;
        private int replies;

        Idle(SocketChannel channel) {
            this.channel = channel;
        }

        /** Takes one octet, and says whether it completes a reply. */
        boolean completes(byte octet) throws IOException {
            if (column == 0 && octet != '2') {
                throw new IOException("a session was refused with a reply that begins with " + (char) octet);
            }
            if (column == 3) {
                lastLine = octet == ' ';
            }
            column = octet == '\n' ? 0 : column + 1;
            return column == 0 && lastLine;
        }
    }

    /**
     * Opens further sessions until there are so many.
     *
     * @throws IOException if one is refused or ended, or the time is up
     */
    void raiseTo(int count, Duration limit) throws IOException {
        long end = System.nanoTime() + limit.toNanos();
        while (ready < count) {
            while (sessions.size() < count && sessions.size() - ready < AT_ONCE) {
                open();
            }
            selector.select(this::serve, 1000);
            requireAllOpen();
            if (System.nanoTime() > end) {
                throw new IOException("only " + ready + " of " + count + " idle sessions were ready within " + limit);
            }
        }
    }

    /** Checks that no session has ended. */
    void requireAllOpen() throws IOException {
        selector.selectNow(this::serve);
        if (ended > 0) {
            throw new IOException(ended + " of " + sessions.size() + " idle sessions were ended by the other side");
        }
    }

    private void open() throws IOException {
        var channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        byte[] source = {127, 0, 0, (byte) (2 + sessions.size() % SOURCES)};
        channel.bind(new InetSocketAddress(InetAddress.getByAddress(source), 0));
        var session = new Idle(channel);
        sessions.add(session);
        channel.register(selector, SelectionKey.OP_CONNECT, session);
        if (channel.connect(server)) {
            channel.keyFor(selector).interestOps(SelectionKey.OP_READ);
        }
    }

    private void serve(SelectionKey key) {
        var session = (Idle) key.attachment();
        try {
            if (key.isConnectable()) {
                session.channel.finishConnect();
                key.interestOps(SelectionKey.OP_READ);
            } else if (!read(session)) {
                key.cancel();
                ended++;
            }
        } catch (IOException e) {
            key.cancel();
            ended++;
            System.err.println("idle session: " + e.getMessage());
        }
    }

    /** Reads what there is; false at the end of the stream. */
    private boolean read(Idle session) throws IOException {
        int count = session.channel.read(buffer.clear());
        for (int i = 0; i < count; i++) {
            if (session.completes(buffer.get(i))) {
                session.replies++;
                if (session.replies == 1) {
                    // A new connection always takes so few bytes.
                    session.channel.write(EHLO.duplicate());
                } else {
                    ready++;
                }
            }
        }
        return count >= 0;
    }

    @Override
    public void close() throws IOException {
        for (var session : sessions) {
            session.channel.close();
        }
        selector.close();
    }
}
