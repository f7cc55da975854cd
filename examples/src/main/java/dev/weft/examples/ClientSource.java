package dev.weft.examples;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Verdict;

/** Lets every server leg leave from its client's own address, so that servers count each client by itself. */
final class ClientSource implements RelayHandler {

    @Override
    public Verdict<Route> connect(RelaySession session, Route proposed) {
        return Verdict.rewrite(proposed.withClientAddress());
    }
}
