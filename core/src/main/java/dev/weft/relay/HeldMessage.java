package dev.weft.relay;

import dev.weft.smtp.Headers;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;

/** A message that is kept whole. May be used on any thread, until the verdict is given or is too late. */
public interface HeldMessage {

    /**
     * The header. Fields behind the first 256 KiB of a message count to its body.
     *
     * @return its fields, octet for octet
     */
    Headers headers();

    /**
     * The message's size, un-stuffed.
     *
     * @return octets; empty if a judge before this one replaced the body
     */
    OptionalLong size();

    /**
     * Reads the message from its beginning, un-stuffed. May be called several times. The stream may wait for a disk: read it on a
     * thread of your own, never on the event loop.
     *
     * @return a stream that throws once the message is no longer kept
     * @throws IOException if it can't be read
     */
    InputStream open() throws IOException;
}
