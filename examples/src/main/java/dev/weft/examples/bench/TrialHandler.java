package dev.weft.examples.bench;

import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageReader;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import java.nio.ByteBuffer;

/**
 * Lets tenants differ, and takes down what the proxy says of each transaction. Half of the tenants need legs of another name, and
 * so the one half's idle legs are in the other's way; a quarter has its messages held, another only their ends.
 */
final class TrialHandler implements RelayHandler {

    private final TrialLedger ledger;

    TrialHandler(TrialLedger ledger) {
        this.ledger = ledger;
    }

    private static int kind(RelaySession session) {
        return session.client().getAddress().getAddress()[3] & 7;
    }

    @Override
    public Verdict<Route> connect(RelaySession session, Route proposed) {
        return Verdict.rewrite(proposed.withEhloName("kind" + (kind(session) & 1) + ".example"));
    }

    @Override
    public MessageUse messageUse(RelaySession session) {
        return kind(session) < 4 ? MessageUse.none() : MessageUse.look();
    }

    @Override
    public MessagePath message(Transaction transaction) {
        int kind = kind(transaction.session());
        return kind < 4 ? MessagePath.stream() : kind < 6 ? MessagePath.hold(message -> Verdict.proceed())
                : MessagePath.holdTheDot(new Glance());
    }

    @Override
    public void transactionEnded(RelaySession session, TransactionRecord record) {
        ledger.recorded(TrialPeer.idOf(record.mail().toString()), record.outcome());
    }

    /** Looks at nothing, and lets all pass. */
    private static final class Glance implements MessageReader {
        @Override
        public void read(ByteBuffer piece) {}

        @Override
        public Verdict<Void> end() {
            return Verdict.proceed();
        }
    }
}
