package dev.weft.session;

import dev.weft.relay.Attributes;
import dev.weft.relay.Recipient;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.TransactionRecord.Outcome;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A transaction as it goes: opened by a MAIL that passes, ended once, recorded when the last reply that belongs to it was given.
 */
final class TransactionState implements Transaction {

    private final RelaySession session;
    private final int number;
    private final int recipientsListed;
    /** MAIL as the client said it, before handlers and the proxy changed what it tells the server. */
    private final Command mailSaid;
    private final StageTimes times = new StageTimes();
    private final List<Recipient> recipients = new ArrayList<>(2);
    private Attributes attributes;
    private Command mail;
    private int recipientCount;
    private int recipientsAnswered;
    /** What a recipient was refused with: the last 4xx, else the last 5xx. */
    private Reply recipientRefusal;
    private Outcome outcome;
    private Reply lastReply;

    /** The transaction that a nested MAIL tried to replace: it goes on if the server refuses the nested one. */
    TransactionState replaced;
    /** Where it goes, if it has a route of its own: where the session is bound on mail. */
    Route route;
    /** What its own leg left from, where it has a route of its own. */
    InetSocketAddress source;
    /** How many transactions that leg had carried before. */
    int reused;
    /** MAIL was accepted. */
    boolean open;
    /** Entries of the reply queue that belong to it and are not answered yet. */
    int entries;

    /** A chunk has passed: sender, recipients and the message's path stand. */
    boolean chunksBegan;
    /** A chunk was refused: what comes behind it is not the whole message. */
    boolean chunkRefused;
    /** RSET has passed: whatever comes belongs to it no more. */
    boolean resetAsked;
    /** How its message is carried, if not simply streamed. */
    MessagePlan plan;
    /** The server accepted a recipient. */
    boolean recipientAccepted;
    long messageBytes;
    /** End-of-data left: from now on only the server knows. */
    boolean messageSent;

    boolean recorded;

    TransactionState(RelaySession session, int number, Command mail, int recipientsListed) {
        this.session = session;
        this.number = number;
        this.mailSaid = mail;
        this.mail = mail;
        this.recipientsListed = recipientsListed;
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
    public Optional<Route> route() {
        return route != null ? Optional.of(route) : session.route();
    }

    Command mailSaid() {
        return mailSaid;
    }

    void mail(Command passed) {
        mail = passed;
    }

    @Override
    public List<Recipient> recipients() {
        return List.copyOf(recipients);
    }

    @Override
    public Attributes attributes() {
        if (attributes == null) {
            attributes = new Attributes();
        }
        return attributes;
    }

    StageTimes times() {
        return times;
    }

    /** What a refused nested MAIL leaves: the transaction that it tried to replace, if that is not over by now. */
    TransactionState stillReplaced() {
        var former = replaced;
        while (former != null && former.finished()) {
            former = former.replaced;
        }
        return former;
    }

    /**
     * Takes over the recipients and the chunks of a nested transaction that came to nothing: the server counts them to this one.
     */
    void adopt(TransactionState nested) {
        nested.recipients.stream().limit(Math.max(0, recipientsListed - recipients.size())).forEach(recipients::add);
        recipientCount += nested.recipientCount;
        recipientsAnswered += nested.recipientsAnswered;
        recipientRefused(nested.recipientRefusal);
        chunksBegan |= nested.chunksBegan;
        chunkRefused |= nested.chunkRefused;
        plan = plan != null ? plan : nested.plan;
        recipientAccepted |= nested.recipientAccepted;
        messageBytes += nested.messageBytes;
        messageSent |= nested.messageSent;
        lastReply = nested.lastReply != null ? nested.lastReply : lastReply;
        nested.recipients.clear();
        nested.recipientCount = 0;
        nested.recipientsAnswered = 0;
        nested.recipientRefusal = null;
        nested.messageBytes = 0;
        nested.messageSent = false;
    }

    /** A RCPT passed or was refused locally; it is listed at once, its reply is filled in when it comes. */
    void recipient(Command rcpt) {
        recipientCount++;
        if (recipients.size() < recipientsListed) {
            recipients.add(new Recipient(rcpt, Optional.empty()));
        }
    }

    /** Whether all recipients are kept here, so that they can be said again. */
    boolean allListed() {
        return recipientCount == recipients.size();
    }

    void recipientReply(Command rcpt, Reply reply) {
        recipientAccepted |= reply.isPositive();
        recipientsAnswered++;
        recipientRefused(reply);
        for (int i = 0; i < recipients.size(); i++) {
            var recipient = recipients.get(i);
            if (recipient.command() == rcpt && recipient.reply().isEmpty()) {
                recipients.set(i, new Recipient(rcpt, Optional.of(reply)));
                return;
            }
        }
    }

    private void recipientRefused(Reply reply) {
        var decides = recipientRefusal == null || !recipientRefusal.isTransient();
        if (reply != null && !reply.isPositive() && (decides || reply.isTransient())) {
            recipientRefusal = reply;
        }
    }

    /**
     * Whether there are recipients, and each was refused: that is what became of it then, and what DATA or an empty message gets
     * for want of recipients is but an echo of it.
     */
    private boolean allRefused() {
        return recipientCount > 0 && recipientsAnswered == recipientCount && !recipientAccepted;
    }

    /** A refusal that leaves the transaction open for RSET: DATA answered 4xx or 5xx, a refused chunk. */
    void refused(Reply reply) {
        if (outcome == null) {
            lastReply = reply;
        }
        chunkRefused |= chunksBegan;
    }

    /** RSET has passed, for this one and all that it tried to replace. */
    void resetAsked() {
        for (var each = this; each != null; each = each.replaced) {
            each.resetAsked = true;
        }
    }

    /** Whether chunks of its message have passed, and more may come. */
    boolean begun() {
        return chunksBegan && !resetAsked;
    }

    /** Whether its MAIL came within another transaction, and the server has not said yet which of the two it is. */
    boolean nested() {
        var former = stillReplaced();
        return former != null && !former.resetAsked;
    }

    boolean finished() {
        return outcome != null;
    }

    /** Ends it by the reply to MAIL or to the message. */
    void finish(Reply reply) {
        if (outcome == null) {
            decided(reply.isPositive() || !allRefused() ? reply : recipientRefusal);
        }
    }

    /** Ends it without a message: an earlier refusal, if there was one, is what became of it. */
    void abandon() {
        if (outcome != null) {
            return;
        }
        if (messageSent) {
            outcome = Outcome.UNCERTAIN;
        } else if (allRefused()) {
            decided(recipientRefusal);
        } else if (lastReply != null) {
            decided(lastReply);
        } else {
            outcome = Outcome.ABANDONED;
        }
    }

    private void decided(Reply reply) {
        lastReply = reply;
        outcome = reply.isPositive() ? Outcome.ACCEPTED : reply.isPermanent() ? Outcome.REFUSED : Outcome.DEFERRED;
    }

    /** Ends it with the message sent and its reply lost (RFC 1047). */
    void uncertain(Reply told) {
        if (outcome == null) {
            lastReply = told;
            outcome = Outcome.UNCERTAIN;
        }
    }

    /** @param carried how many transactions the session's own leg has carried */
    TransactionRecord record(Route ofSession, InetSocketAddress ofSessionsLeg, int carried) {
        var from = Optional.ofNullable(route != null ? source : ofSessionsLeg);
        return new TransactionRecord(
                session.id(), number, route != null ? route : ofSession, from,
                from.isEmpty() ? OptionalInt.empty() : OptionalInt.of(route != null ? reused : carried),
                mail, recipients, recipientCount, messageBytes, outcome, Optional.ofNullable(lastReply), times.toMap());
    }
}
