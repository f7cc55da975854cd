package dev.weft.testkit;

import dev.weft.relay.MessagePath;
import dev.weft.relay.Notice;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Transaction;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Lets all pass and keeps what it is told, one line an event:
 *
 * <pre>
 * connect mx.example.net/192.0.2.25:25
 * greeting 220 mx.example.net ESMTP
 * command MAIL FROM:&lt;a@example.com&gt;
 * mail 1 &lt;a@example.com&gt;
 * rcpt 1 &lt;b@example.net&gt;
 * message 1 1
 * reply MAIL 250 2.1.0 Ok
 * notice EARLY_TALKER
 * transaction 1 &lt;a@example.com&gt; to &lt;b@example.net&gt;=250 : 120 octets ACCEPTED 250 2.0.0 queued
 * session QUIT 1
 * </pre>
 *
 * <p>The line of {@code message} ends in the number of recipients so far; the one of {@code session} in the number of
 * transactions and, after a colon, the detail if there is one. Thread-safe.
 */
public final class RecordingHandler implements RelayHandler {

    private final List<String> lines = new ArrayList<>();
    private final List<TransactionRecord> transactions = new ArrayList<>();
    private SessionRecord session;

    /** Makes a recorder that has recorded nothing. */
    public RecordingHandler() {}

    /**
     * All lines so far.
     *
     * @return a copy
     */
    public synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /**
     * The lines of some kinds.
     *
     * @param kinds first words
     * @return the lines, in order
     */
    public List<String> lines(String... kinds) {
        var wanted = List.of(kinds);
        return lines().stream().filter(line -> wanted.contains(line.split(" ", 2)[0])).toList();
    }

    /**
     * The records of all transactions that ended.
     *
     * @return a copy
     */
    public synchronized List<TransactionRecord> transactions() {
        return List.copyOf(transactions);
    }

    /**
     * The record of the session that ended last.
     *
     * @return the record, null before
     */
    public synchronized SessionRecord session() {
        return session;
    }

    private synchronized void line(String line) {
        lines.add(line.stripTrailing());
    }

    @Override
    public Verdict<Route> connect(RelaySession session, Route proposed) {
        line("connect " + proposed.server());
        return Verdict.proceed();
    }

    @Override
    public void greeting(RelaySession session, Reply greeting) {
        line("greeting " + greeting);
    }

    @Override
    public Verdict<Command> command(RelaySession session, Command command) {
        line("command " + command.text());
        return Verdict.proceed();
    }

    @Override
    public Verdict<Command> mail(Transaction transaction, Command command) {
        line("mail " + transaction.number() + " " + command.path());
        return Verdict.proceed();
    }

    @Override
    public Verdict<Command> rcpt(Transaction transaction, Command command) {
        line("rcpt " + transaction.number() + " " + command.path());
        return Verdict.proceed();
    }

    @Override
    public MessagePath message(Transaction transaction) {
        line("message " + transaction.number() + " " + transaction.recipients().size());
        return MessagePath.stream();
    }

    @Override
    public void reply(RelaySession session, Command command, Reply reply) {
        line("reply " + command.verbText() + " " + reply);
    }

    @Override
    public void notice(RelaySession session, Notice notice) {
        line("notice " + notice.kind() + " " + notice.detail());
    }

    @Override
    public synchronized void transactionEnded(RelaySession session, TransactionRecord transaction) {
        transactions.add(transaction);
        line("transaction " + transaction.number() + " " + transaction.sender() + " to "
                + transaction.recipients().stream()
                        .map(each -> each.path() + "=" + each.reply().map(reply -> String.valueOf(reply.code())).orElse("?"))
                        .collect(Collectors.joining(" "))
                + " : " + transaction.messageBytes() + " octets " + transaction.outcome()
                + transaction.reply().map(reply -> " " + reply).orElse(""));
    }

    @Override
    public synchronized void sessionClosed(RelaySession closed, SessionRecord record) {
        if (session != null && session.sessionId().equals(record.sessionId())) {
            throw new IllegalStateException("session " + record.sessionId() + " was closed twice");
        }
        session = record;
        line("session " + record.end() + " " + record.transactions() + (record.detail().isEmpty() ? "" : " : " + record.detail()));
    }
}
