package dev.weft.examples;

import dev.weft.policy.LocalAccount;
import dev.weft.relay.FailureMode;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs which user of this host sent each message, for a hosting panel whose scripts speak SMTP themselves: Linux knows whose
 * socket it is, whatever the message says.
 *
 * <pre>java -jar weft-proxy.jar --listen 127.0.0.1:2525 --to mx.example.com:25 --handler dev.weft.examples.LocalAccountLog</pre>
 */
public final class LocalAccountLog implements RelayHandler {

    private static final Logger LOG = LoggerFactory.getLogger(LocalAccountLog.class);

    private final LocalAccount account = LocalAccount.withOwnThread();

    /** For {@code --handler}. */
    public LocalAccountLog() {}

    /** The session waits while another thread looks. */
    @Override
    public Verdict<Route> connect(RelaySession session, Route proposed) {
        return account.connect(session, proposed);
    }

    @Override
    public void transactionEnded(RelaySession session, TransactionRecord transaction) {
        var uid = LocalAccount.uid(session);
        LOG.info("{} {} sent {} to {} recipients: {}", session.id(),
                uid.isPresent() ? "user " + uid.getAsLong() : "an unknown user",
                transaction.sender(), transaction.recipientCount(), transaction.outcome());
    }

    /** A user that can't be found in time stays unknown; the mail goes on. */
    @Override
    public Duration deadline() {
        return account.deadline();
    }

    @Override
    public FailureMode failureMode() {
        return FailureMode.OPEN;
    }
}
