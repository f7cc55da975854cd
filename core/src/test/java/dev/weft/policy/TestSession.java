package dev.weft.policy;

import dev.weft.relay.Attributes;
import dev.weft.relay.LegTls;
import dev.weft.relay.Recipient;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Stage;
import dev.weft.relay.Transaction;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** A session without a proxy: what handlers are shown of it is what the test sets. */
final class TestSession implements RelaySession {

    final Attributes attributes = new Attributes();
    private final InetSocketAddress client;
    Route route;
    Transaction transaction;
    private int transactions;

    TestSession(String client, String server) {
        this.client = new InetSocketAddress(ip(client), 40_000);
        route = Route.to(new InetSocketAddress(ip(server), 25));
    }

    static InetAddress ip(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** {@code 450-4.7.1 a|450 4.7.1 b} */
    static Reply reply(String lines) {
        return Reply.parse((lines.replace("|", "\r\n") + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    static String text(Verdict<?> verdict) {
        if (verdict instanceof Verdict.Reject<?> reject) {
            return reject.reply().toString();
        }
        return verdict instanceof Verdict.Rewrite<?> rewrite ? rewrite.value().toString() : verdict.getClass().getSimpleName();
    }

    TestTransaction mail(String sender) {
        var opened = new TestTransaction(this, ++transactions, Command.of("MAIL FROM:<" + sender + ">"));
        transaction = opened;
        return opened;
    }

    SessionRecord closed(SessionRecord.End end, String detail, Map<Stage, Duration> stages) {
        return new SessionRecord(id(), client, originalDestination(), route(), Optional.empty(), transactions, 0, 0,
                Optional.empty(), Optional.empty(), Optional.empty(), false, Duration.ZERO, end, detail, stages);
    }

    /** A transaction that a test leads to its end. */
    static final class TestTransaction implements Transaction {
        private final TestSession session;
        private final int number;
        private final Command mail;
        private final Attributes attributes = new Attributes();
        final List<Recipient> recipients = new ArrayList<>();
        final EnumMap<Stage, Duration> stages = new EnumMap<>(Stage.class);
        long bytes;

        TestTransaction(TestSession session, int number, Command mail) {
            this.session = session;
            this.number = number;
            this.mail = mail;
        }

        TestTransaction took(Stage stage, long millis) {
            stages.put(stage, Duration.ofMillis(millis));
            return this;
        }

        TestTransaction rcpt(String to, String reply) {
            recipients.add(new Recipient(Command.of("RCPT TO:<" + to + ">"), Optional.of(reply(reply))));
            return this;
        }

        @Override
        public Optional<Route> route() {
            return session.route();
        }

        TransactionRecord ended(TransactionRecord.Outcome outcome, String reply) {
            session.transaction = null;
            return new TransactionRecord(session.id(), number, session.route, Optional.empty(), OptionalInt.empty(), mail,
                    recipients, recipients.size(), bytes, outcome, Optional.of(reply(reply)), stages);
        }

        @Override
        public RelaySession session() {
            return session;
        }

        @Override
        public int number() {
            return number;
        }

        @Override
        public Command mail() {
            return mail;
        }

        @Override
        public List<Recipient> recipients() {
            return List.copyOf(recipients);
        }

        @Override
        public Attributes attributes() {
            return attributes;
        }
    }

    @Override
    public String id() {
        return "test";
    }

    @Override
    public InetSocketAddress client() {
        return client;
    }

    @Override
    public InetSocketAddress originalDestination() {
        return route.server();
    }

    @Override
    public Optional<Route> route() {
        return Optional.of(route);
    }

    @Override
    public Optional<String> ehloName() {
        return Optional.empty();
    }

    @Override
    public Optional<LegTls> clientTls() {
        return Optional.empty();
    }

    @Override
    public Optional<LegTls> serverTls() {
        return Optional.empty();
    }

    @Override
    public Optional<Transaction> transaction() {
        return Optional.ofNullable(transaction);
    }

    @Override
    public Attributes attributes() {
        return attributes;
    }
}
