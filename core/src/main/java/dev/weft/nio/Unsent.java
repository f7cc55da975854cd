package dev.weft.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** What a socket did not take, in order. It holds a buffer only while there is something. */
final class Unsent {

    private ByteBuffer bytes;

    boolean none() {
        return bytes == null;
    }

    int size() {
        return bytes == null ? 0 : bytes.position();
    }

    void keep(ByteBuffer more) {
        if (bytes == null) {
            bytes = ByteBuffer.allocate(Math.max(4096, more.remaining()));
        } else if (bytes.remaining() < more.remaining()) {
            bytes = ByteBuffer.allocate(Math.max(2 * bytes.capacity(), bytes.position() + more.remaining())).put(bytes.flip());
        }
        bytes.put(more);
    }

    /** Writes what the socket takes now; true if that was all. */
    boolean writeTo(SocketChannel channel) throws IOException {
        bytes.flip();
        channel.write(bytes);
        if (bytes.hasRemaining()) {
            bytes.compact();
            return false;
        }
        bytes = null;
        return true;
    }

    void drop() {
        bytes = null;
    }
}
