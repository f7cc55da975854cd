package dev.weft.nio;

import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsFacts;
import dev.weft.tls.spi.TlsFailure;
import dev.weft.tls.spi.TlsResult;
import dev.weft.tls.spi.TlsServerContext;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** An engine that is counted until it is freed, and of which a test can make what it wants. */
class WatchedEngine implements TlsEngine {

    /** How many engines were made and freed, on both legs. */
    static final class Count {
        final AtomicInteger made = new AtomicInteger();
        final AtomicInteger open = new AtomicInteger();
        final AtomicInteger freedTwice = new AtomicInteger();
    }

    private final TlsEngine real;
    private final Count count;
    private boolean freed;

    WatchedEngine(TlsEngine real, Count count) {
        this.real = real;
        this.count = count;
        count.made.incrementAndGet();
        count.open.incrementAndGet();
    }

    static TlsClientContext client(TlsClientContext real, UnaryOperator<TlsEngine> watch) {
        return new TlsClientContext() {
            @Override
            public TlsEngine engine(Optional<String> serverName, Optional<String> sessionKey) throws TlsException {
                return watch.apply(real.engine(serverName, sessionKey));
            }

            @Override
            public void maintain() throws TlsException {
                real.maintain();
            }

            @Override
            public int descriptorsPerEngine() {
                return real.descriptorsPerEngine();
            }

            @Override
            public void close() {
                real.close();
            }
        };
    }

    static TlsServerContext server(TlsServerContext real, UnaryOperator<TlsEngine> watch) {
        return new TlsServerContext() {
            @Override
            public TlsEngine engine() throws TlsException {
                return watch.apply(real.engine());
            }

            @Override
            public void maintain() throws TlsException {
                real.maintain();
            }

            @Override
            public int descriptorsPerEngine() {
                return real.descriptorsPerEngine();
            }

            @Override
            public void close() {
                real.close();
            }
        };
    }

    @Override
    public TlsResult unwrap(ByteBuffer cipher, ByteBuffer plain) {
        return real.unwrap(cipher, plain);
    }

    @Override
    public TlsResult wrap(ByteBuffer plain, ByteBuffer cipher) {
        return real.wrap(plain, cipher);
    }

    @Override
    public Optional<Runnable> task() {
        return real.task();
    }

    @Override
    public boolean worksInCalls() {
        return real.worksInCalls();
    }

    @Override
    public boolean handshakeDone() {
        return real.handshakeDone();
    }

    @Override
    public Optional<TlsFacts> facts() {
        return real.facts();
    }

    @Override
    public Optional<TlsFailure> failure() {
        return real.failure();
    }

    @Override
    public void closeOutbound() {
        real.closeOutbound();
    }

    @Override
    public boolean inboundClosed() {
        return real.inboundClosed();
    }

    @Override
    public void free() {
        if (freed) {
            count.freedTwice.incrementAndGet();
        } else {
            freed = true;
            count.open.decrementAndGet();
        }
        real.free();
    }
}
