package dev.weft.nio;

import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsFailure;
import dev.weft.tls.spi.TlsResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS between a leg's socket and its owner. Records are opened and made in buffers of the loop; what the layer keeps for itself
 * is a part of a record, if one has come. Costly handshake work runs on the workers: meanwhile the leg is not read, and the
 * engine is nobody else's.
 */
final class TlsLayer {

    private static final Logger LOG = LoggerFactory.getLogger(TlsLayer.class);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final EventLoop loop;
    private final LegChannel leg;
    private final TlsEngine engine;
    private final Executor workers;

    /** Bytes of a record that is not complete, ready to be read; null if there are none. */
    private ByteBuffer begun;

    private boolean doneTold;
    private boolean working;
    /** Read by workers too, for whom nothing is left to do then. */
    private volatile boolean freed;
    private boolean failed;
    private boolean alerted;
    /** What the engine threw, which it never should; null as long as it keeps its promise. */
    private Throwable broke;

    TlsLayer(EventLoop loop, LegChannel leg, TlsEngine engine, Executor workers) {
        this.loop = loop;
        this.leg = leg;
        this.engine = engine;
        this.workers = workers;
    }

    /** The layer of a leg that moved to another loop: the engine is this one's now. */
    TlsLayer(EventLoop loop, LegChannel leg, TlsLayer former) {
        this(loop, leg, former.engine, former.workers);
        begun = former.begun;
        doneTold = former.doneTold;
        former.begun = null;
        former.freed = true;
    }

    /** Whether the handshake is over and nobody works on it. */
    boolean quiet() {
        return doneTold && !working && !failed && !freed;
    }

    /** Says what the engine has to say first: a client its hello, a server nothing. */
    void begin() {
        send(NOTHING);
    }

    /** A worker has the engine: nothing is to be read. */
    boolean working() {
        return working;
    }

    /** An alert went out that says why it failed. */
    boolean alerted() {
        return alerted;
    }

    /** Puts the record that has begun before what is about to be read. */
    void prepend(ByteBuffer in) {
        if (begun != null) {
            in.put(begun);
            begun = null;
        }
    }

    /** Takes the record that has begun back, since nothing was read behind it. */
    void nothingRead(ByteBuffer in) {
        keep(in.flip());
    }

    /** Opens the records that came from the peer; a part of one is kept until the rest comes. */
    void open(ByteBuffer cipher) {
        var plain = loop.plainBuffer();
        while (!freed) {
            var result = unwrap(cipher, plain);
            tellDone();
            deliver(plain);
            if (leg.closing()) {
                return;
            }
            switch (result) {
                case WRAP -> send(NOTHING);
                case TASK -> {
                    keep(cipher);
                    work();
                    return;
                }
                case OUTPUT_FULL -> { }
                case OK, MORE_INPUT -> {
                    keep(cipher);
                    return;
                }
                case CLOSED -> {
                    leg.inputEnded();
                    return;
                }
                case FAILED -> {
                    fail();
                    return;
                }
            }
            if (working) {
                keep(cipher);
                return;
            }
        }
    }

    private void keep(ByteBuffer cipher) {
        if (cipher.hasRemaining()) {
            var kept = ByteBuffer.allocate(cipher.remaining());
            begun = kept.put(cipher).flip();
        }
    }

    private void deliver(ByteBuffer plain) {
        if (plain.position() > 0 && !leg.closing()) {
            leg.deliver(plain.flip());
        }
        plain.clear();
    }

    private void tellDone() {
        if (!doneTold && engine.handshakeDone()) {
            doneTold = true;
            if (!leg.closing()) {
                leg.secured(engine.facts().orElseThrow());
            }
        }
    }

    // A backend may be anybody's: what it throws ends this leg as a failure would, and nobody else's.

    private TlsResult unwrap(ByteBuffer cipher, ByteBuffer plain) {
        try {
            return engine.unwrap(cipher, plain);
        } catch (Throwable thrown) {
            return broke(thrown);
        }
    }

    private TlsResult wrap(ByteBuffer plain, ByteBuffer cipher) {
        try {
            return engine.wrap(plain, cipher);
        } catch (Throwable thrown) {
            return broke(thrown);
        }
    }

    private TlsResult broke(Throwable thrown) {
        LOG.error("a TLS engine broke", thrown);
        broke = thrown;
        return TlsResult.FAILED;
    }

    /** Makes records of bytes and sends them; what the engine has to say of its own goes first. */
    void send(ByteBuffer plain) {
        send(plain, loop.cipherBuffer());
    }

    /** The same, behind the records that the loop's buffer holds already. */
    private void send(ByteBuffer plain, ByteBuffer cipher) {
        while (!freed) {
            if (working) {
                plain.position(plain.limit()); // in a handshake there is nothing that the peer could be told
                return;
            }
            var result = wrap(plain, cipher);
            alerted |= cipher.flip().hasRemaining() && result == TlsResult.FAILED; // the last words may come with the failure
            leg.sendRaw(cipher);
            cipher.clear();
            tellDone();
            switch (result) {
                case OUTPUT_FULL -> { }
                case TASK -> {
                    work();
                    return;
                }
                case FAILED -> {
                    plain.position(plain.limit());
                    fail();
                    return;
                }
                case WRAP -> { }
                case OK, MORE_INPUT, CLOSED -> {
                    if (result != TlsResult.OK || !plain.hasRemaining()) {
                        plain.position(plain.limit());
                        return;
                    }
                }
            }
        }
        plain.position(plain.limit());
    }

    private void work() {
        var task = engine.task().orElse(null);
        if (task == null) {
            resume();
            return;
        }
        working = true;
        leg.interestChanged();
        try {
            workers.execute(() -> atWork(task));
        } catch (RejectedExecutionException e) {
            LOG.debug("TLS handshake given up: the proxy stops", e);
            working = false;
            fail();
        }
    }

    /** On a worker, who alone has the engine now. */
    private void atWork(Runnable task) {
        try {
            if (!freed) {
                task.run();
            }
        } catch (Throwable thrown) {
            LOG.error("a TLS handshake task failed", thrown); // and the engine says so itself, or waits until the handshake's time is up
        } finally {
            if (!loop.execute(this::back)) {
                release(); // the loop has ended, and the leg with it
            }
        }
    }

    private void back() {
        working = false;
        if (freed) {
            release();
            return;
        }
        try {
            if (leg.closing()) {
                leg.closeGoesOn();
            } else {
                leg.interestChanged();
                resume();
                leg.flushed();
            }
        } catch (Throwable failure) {
            LOG.error("TLS could not go on after a handshake task", failure);
            leg.failed(failure);
        }
    }

    private void resume() {
        var cipher = begun == null ? NOTHING.duplicate() : begun;
        begun = null;
        if (engine.handshakeDone() || cipher.hasRemaining()) {
            open(cipher);
        } else {
            send(NOTHING);
            if (!freed && !working && !leg.closing()) {
                open(cipher);
            }
        }
    }

    /** The alert that says why, if there is one, goes out; nothing else does any more. */
    private void fail() {
        if (failed || freed) {
            return;
        }
        failed = true;
        var failure = engine.failure();
        var reason = broke != null ? "the TLS engine broke: " + broke : failure.map(TlsFailure::reason).orElse("TLS failed");
        if (broke == null) {
            var cipher = loop.cipherBuffer();
            wrap(NOTHING, cipher);
            alerted |= cipher.flip().hasRemaining();
            leg.sendRaw(cipher);
        }
        leg.nothingToRead();
        boolean ours = broke != null || failure.isEmpty() || failure.get().kind() == TlsFailure.Kind.ENGINE;
        // Afterwards, since it may be the owner who just writes.
        loop.defer(() -> {
            if (leg.closing()) {
                return;
            }
            if (doneTold) {
                leg.broken(new IOException(reason));
            } else {
                leg.notSecured(reason, ours);
            }
        });
    }

    /**
     * Ends our side: close_notify goes out after all that was sent, in one write with the last of it. What still comes is not opened
     * any more, so a leg that waits for its peer's end keeps no engine.
     *
     * @param last what is to be said before
     * @return false if a worker has the engine: {@link LegChannel#closeGoesOn} is called when it is back
     */
    boolean closeOutput(ByteBuffer last) {
        var cipher = loop.cipherBuffer();
        boolean ready = doneTold && !failed && !freed && !working;
        if (last.hasRemaining() && !(ready && wrap(last, cipher) == TlsResult.OK)) {
            leg.sendRaw(cipher.flip());
            send(last);
            cipher = loop.cipherBuffer();
        }
        if (working) {
            return false;
        }
        if (!freed && !failed) {
            try {
                engine.closeOutbound();
            } catch (Throwable thrown) {
                broke(thrown);
            }
            send(NOTHING, cipher);
        }
        free();
        return true;
    }

    /** Lets go of the engine and of all that it holds outside the heap. */
    void free() {
        if (!freed) {
            freed = true;
            begun = null;
            if (!working) {
                release();
            }
        }
    }

    /** Never keeps the socket from being closed. */
    private void release() {
        try {
            engine.free();
        } catch (Throwable thrown) {
            broke(thrown);
        }
    }
}
