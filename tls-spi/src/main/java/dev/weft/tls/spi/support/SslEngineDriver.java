package dev.weft.tls.spi.support;

import static javax.net.ssl.SSLEngineResult.HandshakeStatus.FINISHED;
import static javax.net.ssl.SSLEngineResult.HandshakeStatus.NEED_TASK;
import static javax.net.ssl.SSLEngineResult.HandshakeStatus.NEED_WRAP;
import static javax.net.ssl.SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING;

import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsFacts;
import dev.weft.tls.spi.TlsFailure;
import dev.weft.tls.spi.TlsFailure.Kind;
import dev.weft.tls.spi.TlsResult;
import java.nio.ByteBuffer;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * Drives an {@link SSLEngine} for the two backends. It evens out where the JDK's and Conscrypt's engines differ: when the
 * handshake is done, which status can be believed, what a closed engine still does, how an alert comes out after an exception.
 */
public final class SslEngineDriver implements TlsEngine {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    /**
     * A Conscrypt server sends its tickets together with the first data, and puts all out at once or, for want of room, never:
     * so the first data is short.
     */
    private static final int SHORT = 1024;

    private final SSLEngine engine;
    private final boolean worksInCalls;
    private final BufferPool pool;
    private final Handshake handshake;
    private final Runnable onRefusedSession;

    private TlsFacts facts;
    private TlsFailure failure;
    private boolean spoken;
    private boolean plainHeld; // Conscrypt may have taken a record in and given out only part of it
    private boolean inboundClosed;
    private boolean closing;
    private boolean outboundDone;
    private boolean freed;

    private SslEngineDriver(SSLEngine engine, boolean worksInCalls, Handshake handshake, BufferPool pool,
            Runnable onRefusedSession) {
        this.engine = engine;
        this.worksInCalls = worksInCalls;
        this.handshake = handshake;
        this.pool = pool;
        this.onRefusedSession = onRefusedSession;
    }

    /** Takes over an engine that is set up but not started; it is freed if it can't start. */
    public static TlsEngine start(SSLEngine engine, boolean worksInCalls, Optional<String> serverName, BufferPool pool)
            throws TlsException {
        return start(engine, worksInCalls, serverName, pool, () -> { });
    }

    /** The same, with what to do when a handshake was full though a session may have been offered. */
    public static TlsEngine start(SSLEngine engine, boolean worksInCalls, Optional<String> serverName, BufferPool pool,
            Runnable onRefusedSession) throws TlsException {
        var handshake = engine.getUseClientMode() ? Handshake.client(serverName)
                : Handshake.server(engine.getNeedClientAuth() || engine.getWantClientAuth());
        var driver = new SslEngineDriver(engine, worksInCalls, handshake, pool, onRefusedSession);
        try {
            engine.beginHandshake();
            return driver;
        } catch (SSLException | RuntimeException e) {
            driver.free();
            throw new TlsException("the engine did not start: " + Failures.of(e).reason(), e);
        }
    }

    @Override
    public TlsResult unwrap(ByteBuffer cipher, ByteBuffer plain) {
        if (freed || inboundClosed || closing && facts == null) {
            return TlsResult.CLOSED; // Conscrypt would go on with a handshake whose end nobody waits for
        }
        while (failure == null) {
            var waiting = beforeUnwrap(cipher, plain);
            if (waiting != null) {
                return waiting;
            }
            int from = cipher.position();
            int room = plain.remaining();
            SSLEngineResult result;
            try {
                handshake.beforeUnwrap(cipher, worksInCalls);
                result = engine.unwrap(cipher, plain);
            } catch (SSLException | RuntimeException e) {
                return fail(Failures.of(e));
            } finally {
                handshake.afterCall(worksInCalls);
            }
            handshake.received(cipher, from);
            boolean moved = cipher.position() > from || plain.remaining() < room;
            noteFinished(result);
            var last = afterUnwrap(result, moved, cipher);
            if (last != null) {
                return last;
            }
        }
        return TlsResult.FAILED;
    }

    /** What keeps the engine from taking the next record; null if nothing does. */
    private TlsResult beforeUnwrap(ByteBuffer cipher, ByteBuffer plain) {
        var status = engine.getHandshakeStatus();
        if (status == NEED_TASK) {
            return TlsResult.TASK;
        }
        if (status == NEED_WRAP) {
            return TlsResult.WRAP;
        }
        if (!plainHeld) {
            var wrong = RecordHeader.complaint(cipher, facts);
            if (wrong.isPresent()) {
                engine.closeOutbound(); // it has no failure of its own from which to make an alert
                return fail(wrong.get());
            }
            if (!RecordHeader.isWholeRecord(cipher)) {
                return TlsResult.MORE_INPUT; // the engines say the same, but not before they have asked for buffers
            }
        }
        return facts != null && !plain.hasRemaining() ? TlsResult.OUTPUT_FULL : null;
    }

    /** What to return after a call; null to go on with the next record. */
    private TlsResult afterUnwrap(SSLEngineResult result, boolean moved, ByteBuffer cipher) {
        switch (result.getStatus()) {
            case BUFFER_OVERFLOW -> {
                plainHeld |= moved;
                return TlsResult.OUTPUT_FULL;
            }
            case BUFFER_UNDERFLOW -> {
                plainHeld = false;
                return TlsResult.MORE_INPUT;
            }
            case CLOSED -> {
                plainHeld = false;
                if (engine.isInboundDone()) {
                    if (facts == null) {
                        return fail(new TlsFailure(Kind.CLOSED_IN_HANDSHAKE, "the peer ended the connection in the handshake"));
                    }
                    inboundClosed = true;
                    return TlsResult.CLOSED;
                }
                // Conscrypt says so once our side has ended, and yet gives out data.
                return moved ? null : TlsResult.MORE_INPUT;
            }
            default -> {
                plainHeld = false;
                if (facts != null && !cipher.hasRemaining() && asksNothing(result)) {
                    return TlsResult.MORE_INPUT;
                }
                // An engine that asks for something says so at the next look at its status.
                boolean asks = result.getHandshakeStatus() == NEED_WRAP || result.getHandshakeStatus() == NEED_TASK;
                return moved || asks ? askedNow(result) : TlsResult.MORE_INPUT;
            }
        }
    }

    private static boolean asksNothing(SSLEngineResult result) {
        return result.getHandshakeStatus() == NOT_HANDSHAKING;
    }

    /** Conscrypt's own status may have forgotten what its result asked for. */
    private TlsResult askedNow(SSLEngineResult result) {
        return result.getHandshakeStatus() == NEED_WRAP && facts == null ? TlsResult.WRAP : null;
    }

    @Override
    public TlsResult wrap(ByteBuffer plain, ByteBuffer cipher) {
        if (freed) {
            return TlsResult.CLOSED;
        }
        while (failure == null) {
            var waiting = beforeWrap(plain, cipher);
            if (waiting != null) {
                return waiting;
            }
            var data = facts == null || closing ? NOTHING : plain;
            int from = cipher.position();
            int size = data.remaining();
            int limit = data.limit();
            SSLEngineResult result;
            try {
                handshake.beforeWrap(worksInCalls);
                if (worksInCalls && !spoken && size > SHORT) {
                    data.limit(data.position() + SHORT);
                }
                result = engine.wrap(data, cipher);
            } catch (SSLException | RuntimeException e) {
                handshake.sent(cipher, from);
                fail(Failures.of(e));
                break;
            } finally {
                handshake.afterCall(worksInCalls);
                data.limit(limit);
            }
            handshake.sent(cipher, from);
            noteFinished(result);
            boolean moved = cipher.position() > from || data.remaining() < size;
            spoken |= data.remaining() < size;
            switch (result.getStatus()) {
                case BUFFER_OVERFLOW -> {
                    return TlsResult.OUTPUT_FULL;
                }
                case CLOSED -> {
                    outboundDone = engine.isOutboundDone() || !moved;
                    if (outboundDone) {
                        return TlsResult.CLOSED;
                    }
                }
                default -> {
                    if (facts != null && !closing && !plain.hasRemaining() && asksNothing(result)) {
                        return TlsResult.OK; // its own status would say the same, at the price of a lock and a native call
                    }
                    if (!moved && result.getHandshakeStatus() != FINISHED && engine.getHandshakeStatus() != NEED_TASK) {
                        outboundDone = closing;
                        return closing ? TlsResult.CLOSED : TlsResult.MORE_INPUT;
                    }
                }
            }
        }
        outboundDone = outboundDone || Ending.lastWords(engine, cipher);
        return TlsResult.FAILED;
    }

    /** What keeps the engine from making a record; null if nothing does. */
    private TlsResult beforeWrap(ByteBuffer plain, ByteBuffer cipher) {
        if (outboundDone || engine.isOutboundDone()) {
            return TlsResult.CLOSED;
        }
        var status = engine.getHandshakeStatus();
        if (status == NEED_TASK) {
            return TlsResult.TASK;
        }
        // Once our side is ended, Conscrypt does not ask for the wrap that says so.
        if (status != NEED_WRAP && !closing) {
            if (facts == null) {
                return TlsResult.MORE_INPUT;
            }
            if (!plain.hasRemaining()) {
                return TlsResult.OK;
            }
        }
        return cipher.remaining() < BUFFER_BYTES ? TlsResult.OUTPUT_FULL : null; // what the JDK asks for, however little it says
    }

    private void noteFinished(SSLEngineResult result) {
        if (facts != null || result.getHandshakeStatus() != FINISHED) {
            return; // the JDK's clients say so again for each ticket
        }
        var session = engine.getSession();
        handshake.facts(session).ifPresentOrElse(known -> facts = known,
                () -> fail(new TlsFailure(Kind.ENGINE, "the engine agreed to an unknown protocol, " + session.getProtocol())));
        handshake.end();
        if (facts != null && handshake.refusedSession(facts.version())) {
            onRefusedSession.run();
        }
    }

    private TlsResult fail(TlsFailure why) {
        failure = why;
        return TlsResult.FAILED;
    }

    @Override
    public Optional<Runnable> task() {
        if (freed || engine.getHandshakeStatus() != NEED_TASK) {
            return Optional.empty();
        }
        return Optional.of(() -> {
            for (var task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                task.run();
            }
        });
    }

    @Override
    public boolean worksInCalls() {
        return worksInCalls;
    }

    @Override
    public boolean handshakeDone() {
        return facts != null;
    }

    @Override
    public Optional<TlsFacts> facts() {
        return Optional.ofNullable(facts);
    }

    @Override
    public Optional<TlsFailure> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public void closeOutbound() {
        if (!freed && !closing) {
            closing = true;
            engine.closeOutbound();
        }
    }

    @Override
    public boolean inboundClosed() {
        return inboundClosed;
    }

    @Override
    public void free() {
        if (!freed) {
            freed = true;
            Ending.free(engine, pool);
        }
    }
}
