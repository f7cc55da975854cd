package dev.weft.relay;

import java.nio.ByteBuffer;

/**
 * Reads a message as it passes by. Called on the session's event loop, and must not block. An exception is taken as the handler's
 * {@link RelayHandler#failureMode()} says: the message goes on without this reader, or is refused.
 */
public interface MessageReader {

    /**
     * The next piece of the message, un-stuffed; each octet comes once and in order, cut anyhow.
     *
     * @param piece read-only, and valid during the call only: copy what is needed later
     */
    void read(ByteBuffer piece);

    /**
     * The message is whole; the server waits for its end. Not called if the message ends earlier: see
     * {@link RelayHandler#transactionEnded}.
     *
     * @return proceed to let the server have it, or a refusal; now or later
     */
    Verdict<Void> end();
}
