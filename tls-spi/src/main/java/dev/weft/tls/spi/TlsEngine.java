package dev.weft.tls.spi;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * TLS for one connection, from buffer to buffer. It does no I/O, holds no buffer of the caller's after a call, never blocks on
 * the peer and throws nothing that the peer can cause.
 *
 * <p><b>Buffers.</b> Input is read from position to limit; output is written from position to limit. With
 * {@link #BUFFER_BYTES} free an output buffer is always large enough; a cipher buffer for input must be able to hold
 * as much, since only whole records are consumed. Direct buffers for cipher bytes are the quickest.
 *
 * <p><b>Driving it.</b> On bytes from the peer call {@code unwrap} and obey the result: {@code WRAP} (wrap and send, then unwrap
 * again), {@code TASK}, {@code OUTPUT_FULL} (use what is in {@code plain}, unwrap again, even with no further input),
 * {@code MORE_INPUT}, {@code CLOSED}, {@code FAILED}. Whatever the result, {@code plain} may have got data and the handshake may
 * now be done: look at {@link #handshakeDone()}, and wrap what waited for it. A client starts with {@code wrap}. Plain bytes
 * given to {@code wrap} before the handshake is done are left where they are.
 *
 * <p><b>Silence</b> is not a failure: an engine that waits says {@code MORE_INPUT} for ever, so the caller keeps a timer.
 *
 * <p><b>After the handshake</b> things may still fail: a TLS 1.3 client that must show a certificate learns only afterwards
 * that the server refused it. Session tickets travel in wraps and unwraps that move no plain bytes.
 *
 * <p><b>Closing.</b> {@link #closeOutbound()}, then {@code wrap} until {@code CLOSED}; the peer's data is still delivered until
 * its own close_notify. A connection that ends (end of stream) while {@link #inboundClosed()} is false was cut: whatever came
 * last may be incomplete. Whatever happened, the last call is {@link #free()}.
 *
 * <p><b>Threads.</b> One at a time, with a happens-before edge between two of them. While a task runs nobody else may call.
 */
public interface TlsEngine {

    /** The bytes that a buffer must have free to take any one record, in clear or not. */
    int BUFFER_BYTES = 16_709;

    /**
     * Takes records from the peer, as many as there are, and gives out what they held.
     *
     * @param cipher bytes from the peer; whole records are consumed, a part of one is left
     * @param plain where data goes; the caller's use of it is in clear
     * @return what the engine wants next, never {@link TlsResult#OK}
     */
    TlsResult unwrap(ByteBuffer cipher, ByteBuffer plain);

    /**
     * Makes records: first what the engine itself has to say, then the data given.
     *
     * @param plain data for the peer; may be empty. Untouched before the handshake is done and after closeOutbound
     * @param cipher where records go
     * @return what the engine wants next
     */
    TlsResult wrap(ByteBuffer plain, ByteBuffer cipher);

    /**
     * The work that a result of {@link TlsResult#TASK} announced. Run it once, on any thread.
     *
     * @return the work; empty if none waits
     */
    Optional<Runnable> task();

    /**
     * Whether this engine does its costly handshake work inside {@code unwrap} and {@code wrap}, and never asks for a task. A
     * caller that wants such work off its thread moves the whole call, with buffers that go along.
     *
     * @return true if so
     */
    boolean worksInCalls();

    /**
     * Whether the handshake is done. Once true it stays true.
     *
     * @return true once data can flow
     */
    boolean handshakeDone();

    /**
     * What the handshake came to.
     *
     * @return empty until the handshake is done
     */
    Optional<TlsFacts> facts();

    /**
     * Why the connection failed.
     *
     * @return empty unless a call returned {@link TlsResult#FAILED}
     */
    Optional<TlsFailure> failure();

    /** Ends our side: the next wraps give close_notify. Data not yet wrapped is not sent; an unfinished handshake is given up. */
    void closeOutbound();

    /**
     * Whether the peer ended its side with close_notify.
     *
     * @return true once {@code unwrap} came to it
     */
    boolean inboundClosed();

    /**
     * Gives back all that the engine holds, native memory and file descriptors included, at once. Not while a task runs. What was
     * not yet wrapped is lost, alert and close_notify too. May be called again; later calls of {@code unwrap} and {@code wrap}
     * return {@link TlsResult#CLOSED}, while facts, failure and the two flags stay readable.
     */
    void free();
}
