package dev.weft.tls.spi;

/**
 * What {@link TlsEngine#unwrap} and {@link TlsEngine#wrap} want next. How much was read and written is told by the positions of
 * the two buffers, whatever the result.
 */
public enum TlsResult {
    /** From {@code wrap} only: all plain bytes given are in records and the engine has nothing of its own to send. */
    OK,
    /** The engine waits for bytes from the peer; a part of a record may be left in the cipher buffer. Read more, then unwrap. */
    MORE_INPUT,
    /** The engine has something to send before it can go on: wrap, even if there is nothing to say. */
    WRAP,
    /** Costly work waits: run {@link TlsEngine#task()}, here or on another thread, then make the same call again. */
    TASK,
    /** The output buffer is too full. {@link TlsEngine#BUFFER_BYTES} free bytes are always enough for progress. */
    OUTPUT_FULL,
    /**
     * From {@code unwrap}: the peer ended its side with close_notify, or the engine is freed. From {@code wrap}: our side has
     * ended, close_notify included, and plain bytes that are left will not be sent.
     */
    CLOSED,
    /** The connection is lost: {@link TlsEngine#failure()} says why. Wrap once more for the alert, send it, close, free. */
    FAILED
}
