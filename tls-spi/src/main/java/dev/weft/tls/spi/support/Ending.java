package dev.weft.tls.spi.support;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/** The end of an engine. */
final class Ending {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final int TRIES = 8;

    private Ending() {}

    /** Takes the alert out of a failed engine: whatever its status says, the next wrap or two have it. True: no more. */
    static boolean lastWords(SSLEngine engine, ByteBuffer cipher) {
        for (int i = 0; i < TRIES && cipher.remaining() >= SslEngineDriver.BUFFER_BYTES; i++) {
            try {
                if (engine.wrap(NOTHING, cipher).bytesProduced() == 0) {
                    return true;
                }
            } catch (SSLException | RuntimeException e) {
                if (i > 0) { // the first may be the known failure, thrown once more by the call after a task
                    return true;
                }
            }
        }
        return false;
    }

    /** Conscrypt gives native memory and descriptors back only after both sides are closed and all is wrapped. */
    static void free(SSLEngine engine, BufferPool pool) {
        engine.closeOutbound();
        try {
            engine.closeInbound();
        } catch (SSLException e) {
            // The JDK's way to say that there was no close_notify, which inboundClosed() tells.
        }
        if (engine.isOutboundDone()) {
            return;
        }
        var scratch = pool.take();
        for (int i = 0; i < TRIES && !engine.isOutboundDone(); i++) {
            try {
                if (engine.wrap(NOTHING, scratch.clear()).bytesProduced() == 0) {
                    break;
                }
            } catch (SSLException | RuntimeException e) {
                break;
            }
        }
        pool.giveBack(scratch);
    }
}
