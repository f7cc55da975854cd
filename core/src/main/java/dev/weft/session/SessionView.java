package dev.weft.session;

import dev.weft.relay.Attributes;
import dev.weft.relay.LegTls;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import java.net.InetSocketAddress;
import java.util.Optional;

/** What handlers see of a session. */
final class SessionView implements RelaySession {

    private final SmtpSession session;
    private Attributes attributes;

    SessionView(SmtpSession session) {
        this.session = session;
    }

    @Override
    public String id() {
        return session.arrival.sessionId();
    }

    @Override
    public InetSocketAddress client() {
        return session.arrival.client();
    }

    @Override
    public InetSocketAddress originalDestination() {
        return session.arrival.originalDestination();
    }

    @Override
    public Optional<Route> route() {
        return session.routed ? Optional.of(session.route) : Optional.empty();
    }

    @Override
    public Optional<String> ehloName() {
        return Optional.ofNullable(session.helloName);
    }

    @Override
    public Optional<LegTls> clientTls() {
        return session.clientTls.tls();
    }

    @Override
    public Optional<LegTls> serverTls() {
        return session.serverTls.tls();
    }

    @Override
    public Optional<Transaction> transaction() {
        return Optional.ofNullable(session.transaction);
    }

    @Override
    public Attributes attributes() {
        if (attributes == null) {
            attributes = new Attributes();
        }
        return attributes;
    }
}
