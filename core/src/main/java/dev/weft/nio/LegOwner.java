package dev.weft.nio;

import dev.weft.tls.spi.TlsFacts;
import java.io.IOException;
import java.nio.ByteBuffer;

/** What a leg tells its owner, on the loop. */
interface LegOwner {
    /** Connected, after a connect that took time. */
    void connected(LegChannel leg);

    /** Could not connect. */
    void notConnected(LegChannel leg, IOException why);

    /** Bytes were read. */
    void bytes(LegChannel leg, ByteBuffer in);

    /** How many bytes may be read at once; 0 if none. */
    int room(LegChannel leg);

    /** The peer sends no more; it may still read. */
    void endOfInput(LegChannel leg);

    /** The connection is broken. */
    void broken(LegChannel leg, IOException why);

    /** All that was written has left; told only after {@link LegChannel#takesNoMore} was true. */
    void drained(LegChannel leg);

    /** The channel is closed, after {@link LegChannel#close}. */
    void closed(LegChannel leg);

    /** The TLS handshake is done. */
    default void secured(LegChannel leg, TlsFacts facts) {}

    /**
     * The TLS handshake failed: the connection is of no use any more.
     *
     * @param ours whether the fault lies on this side, and says nothing about the peer
     */
    default void notSecured(LegChannel leg, String why, boolean ours) {}

    /** What was written outside an event of the owner's is to be sent, and what came of it to be told. */
    default void flushed(LegChannel leg) {}

    /** Something failed that should not. */
    void failed(LegChannel leg, Throwable failure);
}
