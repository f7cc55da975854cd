package dev.weft.tls.spi.support;

import dev.weft.tls.spi.TlsEngine;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/** A few direct buffers of record size, lent for the length of one call, so that no engine keeps one of its own. */
public final class BufferPool {
    private final ArrayBlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(8);

    public ByteBuffer take() {
        var buffer = free.poll();
        return buffer == null ? ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES) : buffer.clear();
    }

    public void giveBack(ByteBuffer buffer) {
        free.offer(buffer); // one too many is left to the garbage collector
    }
}
