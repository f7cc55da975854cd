package dev.weft.examples.bench;

import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A non-blocking connection that may change over to TLS, for the clients and sinks of benchmarks. One thread. */
final class TlsWire implements AutoCloseable {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SocketChannel channel;
    private final Buffers buffers;
    private TlsEngine engine;

    /** What a connection reads to and writes from; a next connection may take them over when this one is closed. */
    static final class Buffers {
        private final ByteBuffer in = ByteBuffer.allocateDirect(2 * TlsEngine.BUFFER_BYTES);
        private final ByteBuffer out = ByteBuffer.allocateDirect(4 * TlsEngine.BUFFER_BYTES);
    }

    TlsWire(SocketChannel channel, Buffers buffers) {
        this.channel = channel;
        this.buffers = buffers;
        buffers.in.clear();
        buffers.out.clear();
    }

    SocketChannel channel() {
        return channel;
    }

    boolean inTls() {
        return engine != null;
    }

    boolean handshakeDone() {
        return engine != null && engine.handshakeDone();
    }

    boolean resumed() {
        return engine != null && engine.facts().map(facts -> facts.resumed()).orElse(false);
    }

    /** Starts TLS; a client's first words leave at once. */
    void secure(TlsEngine fresh, boolean speaksFirst) throws IOException {
        engine = fresh;
        if (speaksFirst) {
            wrap(NOTHING);
            flush();
        }
    }

    /**
     * Reads what has come. To be called again while it gives something, since there may be more than {@code plain} took.
     *
     * @return how much, 0 if there is nothing for now, -1 at the end
     */
    int read(ByteBuffer plain) throws IOException {
        if (engine == null) {
            return channel.read(plain);
        }
        int before = plain.position();
        int count = channel.read(buffers.in);
        buffers.in.flip();
        boolean more = unwrap(plain);
        buffers.in.compact();
        flush();
        int taken = plain.position() - before;
        return taken > 0 || count >= 0 && more ? taken : -1;
    }

    private boolean unwrap(ByteBuffer plain) throws IOException {
        while (true) {
            switch (engine.unwrap(buffers.in, plain)) {
                case WRAP -> wrap(NOTHING);
                case TASK -> engine.task().ifPresent(Runnable::run);
                case FAILED -> throw failed();
                case CLOSED -> {
                    return false;
                }
                default -> {
                    return true;
                }
            }
        }
    }

    /**
     * Takes as much as the connection does.
     *
     * @return whether all of it has left; if not, what remains is to be given again when the connection is writable
     */
    boolean write(ByteBuffer plain) throws IOException {
        if (engine == null) {
            channel.write(plain);
            return !plain.hasRemaining();
        }
        do {
            wrap(plain);
        } while (flush() && plain.hasRemaining());
        return buffers.out.position() == 0 && !plain.hasRemaining();
    }

    /** Whether records wait until the connection is writable. */
    boolean holdsRecords() {
        return engine != null && buffers.out.position() > 0;
    }

    private void wrap(ByteBuffer plain) throws IOException {
        while (buffers.out.remaining() >= TlsEngine.BUFFER_BYTES) {
            switch (engine.wrap(plain, buffers.out)) {
                case TASK -> engine.task().ifPresent(Runnable::run);
                case FAILED -> throw failed();
                case WRAP, OUTPUT_FULL -> { }
                case CLOSED -> {
                    if (plain.hasRemaining()) {
                        throw new IOException("TLS was ended before all was said");
                    }
                    return;
                }
                default -> {
                    return;
                }
            }
        }
    }

    private boolean flush() throws IOException {
        buffers.out.flip();
        channel.write(buffers.out);
        buffers.out.compact();
        return buffers.out.position() == 0;
    }

    private IOException failed() {
        return new IOException("TLS failed: " + engine.failure().map(TlsFailure::toString).orElse("no reason is known"));
    }

    @Override
    public void close() throws IOException {
        if (engine != null) {
            engine.free();
        }
        channel.close();
    }
}
