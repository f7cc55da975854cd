package dev.weft.relay;

import dev.weft.smtp.Command;
import dev.weft.smtp.Path;
import java.util.List;
import java.util.Optional;

/**
 * A handler's live view of a transaction: MAIL up to the reply after end-of-data, or RSET. For use on the session's event loop
 * only.
 */
public interface Transaction {

    /**
     * The session.
     *
     * @return the session that this transaction is part of
     */
    RelaySession session();

    /**
     * Counts the transactions of a session.
     *
     * @return 1 for the first
     */
    int number();

    /**
     * The MAIL command, as it was passed on.
     *
     * @return the command
     */
    Command mail();

    /**
     * Where it goes.
     *
     * @return the session's route, or where it is bound {@link Binding#ON_MAIL} the one that {@link RelayHandler#mailRoute} and
     *         {@link RelayHandler#recipientRoute} made of it, as far as they were asked
     */
    Optional<Route> route();

    /**
     * The reverse-path.
     *
     * @return the path: {@link Path.Null} for a bounce, {@link Path.Unparsed} if it follows no grammar
     */
    default Path sender() {
        return mail().path();
    }

    /**
     * The recipients so far, in order, refused ones too. Beyond a session's bookkeeping limit further ones are relayed but not
     * listed.
     *
     * @return an immutable copy
     */
    List<Recipient> recipients();

    /**
     * Values that handlers keep for the transaction.
     *
     * @return the attributes
     */
    Attributes attributes();
}
