package dev.weft.policy;

import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import java.util.Objects;
import java.util.Optional;

/**
 * Who needs a source address, and where to. For use on the session's event loop only.
 *
 * @param session the session
 * @param transaction the transaction, if the address is chosen for it alone; empty at connect, when there is no sender yet
 * @param proposed the route so far
 * @param tenant whose mail it is
 * @param destination where it goes
 */
public record SourceRequest(
        RelaySession session,
        Optional<Transaction> transaction,
        Route proposed,
        String tenant,
        String destination) {

    /**
     * Checks that nothing is null.
     *
     * @param session the session
     * @param transaction the transaction, if the address is chosen for it alone
     * @param proposed the route so far
     * @param tenant whose mail it is
     * @param destination where it goes
     */
    public SourceRequest {
        Objects.requireNonNull(session, "session");
        Objects.requireNonNull(transaction, "transaction");
        Objects.requireNonNull(proposed, "proposed");
        Objects.requireNonNull(tenant, "tenant");
        Objects.requireNonNull(destination, "destination");
    }

    /**
     * The domain of the reverse-path.
     *
     * @return in lower case; empty at connect, for bounces, and where there is none
     */
    public Optional<String> senderDomain() {
        return transaction.flatMap(known -> Keys.domain(known.sender()));
    }
}
