package dev.weft.relay;

import java.io.IOException;
import java.io.InputStream;

/** A body that a handler puts in the place of a message's own. */
@FunctionalInterface
public interface MessageBody {

    /**
     * Opens the body for one reading; called on a worker thread, as are the stream's methods. What fails here fails the message
     * for now: 451.
     *
     * @return what follows the empty line behind the header, not dot-stuffed, lines ended by CRLF
     * @throws IOException if it can't be read
     */
    InputStream open() throws IOException;
}
