package dev.weft.examples;

import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;

/**
 * Keeps every message whole before the server hears of it, and relays it unchanged: what {@code --hold} does. For a client that
 * is slow or breaks off, the server is spared; the message is still accepted only when the server has accepted it.
 */
public final class HoldMessages implements RelayHandler {

    /** For {@code --handler}. */
    public HoldMessages() {}

    @Override
    public MessageUse messageUse(RelaySession session) {
        return MessageUse.look();
    }

    @Override
    public MessagePath message(Transaction transaction) {
        return MessagePath.hold(message -> Verdict.proceed());
    }
}
