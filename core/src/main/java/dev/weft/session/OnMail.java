package dev.weft.session;

import dev.weft.relay.Stage;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;
import java.time.Duration;

/**
 * The server leg of a session that is bound on mail: leased at MAIL, told of MAIL with the first recipient, given back once the
 * server has answered all. Whatever happens to the leg costs the client no more than a 451 for this transaction: a 421 would
 * suspend the whole destination in the queue of many a sender.
 */
final class OnMail {

    private final SmtpSession session;
    final LeasedOffer offer;
    private boolean bound;
    /** The transaction that holds the lease, or asks for it; null between transactions. */
    private TransactionState served;
    private LegFacts leg;
    /** MAIL, once the leg was told; null before. */
    private Command said;
    private long saidAt;
    /** What the rest of the transaction gets: the server refused MAIL, or the leg was lost. */
    private Reply failure;
    /** The leg is done with the transaction, since it refused its MAIL. */
    private boolean mailRefused;
    /** The server was told of a transaction, and has not forgotten it since. */
    private boolean open;
    /** The client was given a reply of this leg's: what it was told can't be said again on another. */
    private boolean heard;
    private boolean retried;
    private long asked;
    private long leased;
    private int refusals;

    OnMail(SmtpSession session) {
        this.session = session;
        this.offer = new LeasedOffer(session);
    }

    boolean bound() {
        return bound;
    }

    void bind() {
        bound = true;
    }

    /** Whether a leg is leased. */
    boolean leased() {
        return bound && session.server.phase == ServerPhase.READY;
    }

    /** What every further recipient gets; null if each is the server's to judge. */
    Reply failure() {
        return served == session.transaction ? failure : null;
    }

    /** Whether the server was told of the transaction, or is to be told again, so that it can't go another way any more. */
    boolean told() {
        return said != null || failure() != null || retrying();
    }

    /** Why a message may not pass now; null if it may. */
    Reply messageRefusal() {
        var transaction = session.transaction;
        if (transaction == null) {
            return Answers.NO_TRANSACTION;
        }
        if (failure() != null) {
            return transaction.recipientAccepted ? failure : Answers.NO_RECIPIENTS;
        }
        return served != transaction || said == null && !retrying() ? Answers.NO_RECIPIENTS : null;
    }

    /** Why a chunk may not pass now; null if it may. */
    Reply chunkRefusal(Command bdat) {
        var refusal = messageRefusal();
        return refusal != null ? refusal : offer.lackingFor(bdat);
    }

    private boolean retrying() {
        return retried && session.server.phase == ServerPhase.LEASING;
    }

    /** Whether a command has to wait: for its leg, or for earlier replies. Brings about what it waits for. */
    boolean mustWait(Command command) {
        giveBack();
        var outstanding = !session.queue.isEmpty();
        if (session.server.phase == ServerPhase.LEASING) {
            return true;
        }
        return switch (command.verb()) {
            case MAIL -> outstanding || served != session.transaction && (session.server.phase == ServerPhase.READY || lease());
            case RCPT -> mustWaitForLeg(command, outstanding);
            case DATA, BDAT -> outstanding && (!offer.pipelines() || session.commands.isHeld(command));
            case EHLO, HELO -> !command.argument().isEmpty() && mustWaitForReset();
            case STARTTLS -> session.clientTls.refusal(command).isEmpty() && mustWaitForReset();
            default -> false;
        };
    }

    private boolean mustWaitForLeg(Command rcpt, boolean outstanding) {
        if (session.transaction == null || failure() != null) {
            return false; // answered here
        }
        if (session.server.phase == ServerPhase.ABSENT) {
            return lease();
        }
        if (offer.lackingFor(rcpt) != null) {
            return false;
        }
        if (said == null) {
            sayMail();
            outstanding = true;
        }
        return outstanding && !offer.pipelines();
    }

    /** EHLO and STARTTLS end a transaction, for the server too (RFC 5321 §4.1.4, RFC 3207 §4.2). */
    private boolean mustWaitForReset() {
        reset();
        giveBack();
        return leased() || !session.queue.isEmpty();
    }

    /** The transaction is over, whatever it was. */
    void reset() {
        session.commands.resetServer();
        session.replies.abandon(session.transaction);
        giveUpUnused();
    }

    /** Asks for a lease; true, since that takes time. */
    boolean lease() {
        var transaction = session.transaction;
        if (served != transaction) {
            served = transaction;
            failure = null;
            mailRefused = false;
            retried = false;
        }
        ask();
        return true;
    }

    private void ask() {
        asked = session.now();
        session.server.lease(served.route, retried);
    }

    void granted(LegFacts facts) {
        leg = facts;
        offer.granted(facts, served.route);
        said = null;
        mailRefused = false;
        heard = false;
        refusals = 0;
        leased = session.now();
        session.waits.leased();
        served.times().add(Stage.LEASE, leased - asked);
        served.source = facts.source();
        served.reused = facts.transactions();
        session.server.leased(facts.source());
        session.serverTls.leased(facts);
        var unfit = unfit();
        if (unfit != null) {
            release();
            refused(unfit);
        } else if (session.holding.active()) {
            said = served.mail(); // said again by the path that lost the leg
            open = true;
        } else if (!session.queue.isEmpty()) {
            sayAgain();
        }
    }

    /** Why the leg can't serve what was said in the transaction so far; null if it can. */
    private Reply unfit() {
        var lacking = offer.lackingFor(served);
        return lacking == null && !session.queue.isEmpty() && !offer.pipelines() ? Answers.LEG_LOST : lacking;
    }

    /** No lease: who waits for it is told. */
    void refused(Reply reply) {
        session.server.leaseRefused();
        if (session.holding.active()) {
            session.holding.leaseRefused(reply);
            return;
        }
        var waiting = session.commands.takeStalled();
        if (waiting != null && waiting.verb() == Verb.MAIL && served == session.transaction) {
            served = null;
            session.intake.refuse(waiting, reply);
            return;
        }
        failure = reply;
        new ServerLoss(session).answerAll(null, reply, reply);
        if (waiting != null && !session.ended()) {
            session.commands.pass(waiting);
        }
    }

    /** What the transaction failed by is what became of it, whatever its message gets. */
    void settleOutcome() {
        if (failure() != null) {
            served.finish(failure);
        }
    }

    private Entry mailAsSaid() {
        said = served.mail();
        open = true;
        saidAt = session.now();
        return Entry.own(said, saidAt);
    }

    private void sayMail() {
        session.queue.add(mailAsSaid());
        session.port.write(Leg.SERVER, said.bytes());
    }

    /** The leg before was dead, and the client had no reply of it: all is said again to this one. */
    private void sayAgain() {
        session.queue.addFirst(mailAsSaid());
        session.queue.unanswered(command -> session.port.write(Leg.SERVER, command.bytes()));
    }

    /** The server's answer to MAIL; false if it is another command of the proxy's own. */
    boolean answered(Command own, Reply reply) {
        if (bound && own.verb() == Verb.RSET) {
            open = false;
        }
        if (own != said || !bound) {
            return false;
        }
        served.times().add(Stage.MAIL, session.now() - saidAt);
        if (!reply.isPositive()) {
            mailRefused = true; // and not over: Postfix holds the SIZE of a refused MAIL against the next one, until RSET
            failure = Answers.repeatable(reply);
        }
        return true;
    }

    /** What the client gets for a reply of the server's. */
    Reply replyTo(Entry entry, Reply reply) {
        if (!bound) {
            return reply;
        }
        if (reply.isTransient() || reply.isPermanent()) {
            refusals++; // to commands of the proxy's own too: the server counts them alike
        }
        if (entry.kind == Entry.Kind.OWN) {
            return reply;
        }
        heard = true;
        if (entry.kind == Entry.Kind.MESSAGE) {
            // A refusal may be of a part of the message, with one of its end still to come: our RSET's reply tells, before another
            // gets this leg. And a refused last chunk leaves the server in a state of which little is known (RFC 3030 §2).
            open &= !reply.isPositive();
            if (mailRefused && !reply.isPositive()) {
                served.finish(failure);
            }
        }
        return due(entry.command, reply);
    }

    /** A refused MAIL answers each recipient, whatever becomes of the leg. */
    Reply due(Command command, Reply reply) {
        return mailRefused && command.verb() == Verb.RCPT ? failure : reply;
    }

    /** Whether the server knows of no transaction that would have to be reset. */
    boolean untold() {
        return bound && (said == null || mailRefused);
    }

    /** Whether the leg has no transaction that DATA could belong to. */
    boolean refusedMail() {
        return bound && mailRefused;
    }

    /** The server says 421: this transaction is put off, and the destination's limit is to learn from it. */
    void turnedAway(Reply reply) {
        session.port.turnedAway(reply);
        var told = Answers.softened(reply);
        var head = session.queue.head();
        if (head != null && head.kind == Entry.Kind.MESSAGE && !session.message.unfinished(head)) {
            head.reply = told;
            session.server.drop(Closing.ABORT);
            session.replies.emit();
        } else {
            lost(told);
        }
    }

    /** The leg is of no use any more: what waits for it is told, or said again to another. */
    void lost(Reply told) {
        if (session.holding.active() && !session.holding.sending()) {
            session.holding.serverLost();
        } else if (session.message.flowing()) {
            new ServerLoss(session).refusedInChunk(told);
        } else if (session.queue.awaitsMessageReply()) {
            new ServerLoss(session).afterTheMessage();
        } else if (maySayAgain()) {
            retried = true;
            session.server.drop(Closing.ABORT);
            session.dropOwnEntries();
            session.replies.emit();
            ask();
        } else {
            if (said != null && !mailRefused) {
                failure = told;
            } else {
                retried = true; // it was lost before it was told anything: the first recipient gets a fresh one
            }
            session.server.drop(Closing.ABORT);
            new ServerLoss(session).answerAll(null, told, told);
        }
    }

    /** Whether the leg was dead before it got here: it served others, and this transaction had no word of it yet. */
    private boolean maySayAgain() {
        return leg.transactions() > 0 && !retried && !heard && said != null && !mailRefused && goesOn()
                && !session.queue.isEmpty() && session.queue.repeatable();
    }

    /** The client is silent for too long while others may wait for its leg. */
    void clientIsSlow() {
        if (said != null && !mailRefused) {
            failure = Answers.LEASE_IDLE;
        }
        session.server.dismiss();
    }

    /** The leg is no longer this session's. */
    void legGone() {
        leg = null;
        offer.legGone();
        said = null;
        open = false;
    }

    /** Whether the transaction that the leg serves is not over, be it that a nested MAIL is being judged. */
    private boolean goesOn() {
        for (var transaction = session.transaction; transaction != null; transaction = transaction.replaced) {
            if (transaction == served) {
                return true;
            }
        }
        return false;
    }

    /** Gives a leg back that was told nothing. */
    void giveUpUnused() {
        if (leased() && said == null && session.queue.isEmpty()) {
            release();
        }
    }

    /** Gives the leg back once the server has answered all; ends what it has open first. */
    void giveBack() {
        if (!leased() || goesOn() && !mailRefused || !session.queue.isEmpty() || session.holding.active()
                || session.message.flowing() || session.serverTakesNothing()) {
            return;
        }
        if (open && !session.ended()) {
            session.commands.resetServer(mailRefused ? null : served);
        } else if (!open) {
            release();
        }
    }

    /** The session is over: a leg in good order may serve others. */
    void leave() {
        giveBack();
        giveUpUnused();
    }

    private void release() {
        if (session.server.saysMore()) {
            session.server.outOfStep("more than was asked for", Answers.OUT_OF_STEP);
            return;
        }
        var held = Duration.ofNanos(session.now() - leased);
        session.server.released();
        session.port.giveBack(new LegFacts.Use(refusals, held));
    }
}
