package dev.weft.tls.conscrypt;

import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.support.BufferPool;
import java.nio.ByteBuffer;
import org.conscrypt.AllocatedBuffer;
import org.conscrypt.BufferAllocator;

/** Lends Conscrypt a buffer for the length of a call that has heap buffers; otherwise each engine would keep one of 16 KB. */
final class LentBuffers extends BufferAllocator {
    private final BufferPool pool;

    LentBuffers(BufferPool pool) {
        this.pool = pool;
    }

    @Override
    public AllocatedBuffer allocateDirectBuffer(int capacity) {
        return capacity > TlsEngine.BUFFER_BYTES ? AllocatedBuffer.wrap(ByteBuffer.allocateDirect(capacity)) : new Lent(pool);
    }

    private static final class Lent extends AllocatedBuffer {
        private final BufferPool pool;
        private ByteBuffer buffer;

        Lent(BufferPool pool) {
            this.pool = pool;
            this.buffer = pool.take();
        }

        @Override
        public ByteBuffer nioBuffer() {
            return buffer;
        }

        @Override
        public AllocatedBuffer release() {
            if (buffer != null) {
                pool.giveBack(buffer);
                buffer = null;
            }
            return this;
        }
    }
}
