package dev.weft.examples.bench;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** The socket of a {@link TrialPeer}, and how it ends. */
final class TrialWire {

    private static final int LINGER_MS = 1000;

    private final TrialServer server;
    private final SocketChannel channel;
    private boolean counted = true;
    private boolean ending;
    private boolean closed;

    TrialWire(TrialServer server, SocketChannel channel) {
        this.server = server;
        this.channel = channel;
    }

    boolean closed() {
        return closed;
    }

    /** Whether nothing is said any more. */
    boolean over() {
        return ending || closed;
    }

    /**
     * Reads what has come.
     *
     * @return how much; -1 at the end, however it came
     */
    int read(ByteBuffer into) {
        try {
            return channel.read(into);
        } catch (IOException e) {
            return -1;
        }
    }

    /** Says something, unless it is closed; false if the other side does not read. */
    boolean say(String reply) {
        if (over()) {
            return true;
        }
        try {
            return channel.write(StandardCharsets.ISO_8859_1.encode(reply + "\r\n")) == reply.length() + 2;
        } catch (IOException e) {
            close();
            return true;
        }
    }

    /**
     * All is said. It counts no more, but is closed a little later, lest what was not read turn the close into a reset that takes
     * the last reply with it.
     */
    void end() {
        try {
            if (!over()) {
                ending = true;
                channel.shutdownOutput();
                uncount();
                server.later(LINGER_MS, this::close);
            }
        } catch (IOException e) {
            close();
        }
    }

    void reset() {
        try {
            if (!closed) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException e) {
            // It is closed anyhow.
        }
        close();
    }

    void close() {
        if (closed) {
            return;
        }
        closed = true;
        uncount();
        try {
            channel.close();
        } catch (IOException e) {
            // It was as good as closed.
        }
    }

    private void uncount() {
        if (counted) {
            counted = false;
            server.left();
        }
    }
}
