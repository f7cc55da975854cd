package dev.weft.session;

import dev.weft.relay.Notice;
import dev.weft.relay.SessionRecord.End;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;

/** The server's replies, each matched to the head of the reply queue, and what they change. */
final class ReplyRelay {

    private final SmtpSession session;
    /** When the last reply came, so that each of several pipelined commands has its whole time. */
    long last;

    ReplyRelay(SmtpSession session) {
        this.session = session;
    }

    void reply(Reply reply) {
        last = session.now();
        var head = session.queue.head();
        if (session.onMail.bound() && reply.code() == 421) {
            session.onMail.turnedAway(reply);
        } else if (head == null) {
            unasked(reply);
        } else if (session.message.unfinished(head)) {
            session.queue.removeHead();
            session.commands.answered(head);
            early(reply, head);
        } else if (head.kind == Entry.Kind.MESSAGE && session.serverTakesNothing()
                && (session.queue.size() == 1 || session.onMail.bound())) {
            beforeItsEnd(reply, head);
        } else if (head.kind == Entry.Kind.OWN && head.command.verb() == Verb.RSET && !reply.isPositive() && reply.code() != 421) {
            // The refused message's recipients stand: a RCPT and DATA behind a MAIL that is refused as nested would go to them
            // too.
            session.server.outOfStep("reply " + reply.code() + " to our RSET", Answers.RSET_REFUSED);
        } else if (outOfPlace(head, reply)) {
            session.server.outOfStep("reply " + reply.code() + " to " + head.command.verb(), Answers.OUT_OF_STEP);
        } else {
            head.reply = session.onMail.replyTo(head, reply);
            emit();
        }
    }

    /**
     * The server has not got all that was written, and the last of that is the end-of-data: it answered a part of the message.
     */
    private void beforeItsEnd(Reply reply, Entry message) {
        session.notice(Notice.Kind.EARLY_REPLY, reply);
        session.server.drop(Closing.ABORT);
        message.reply = MessageRelay.toPart(reply);
        emit();
    }

    private void unasked(Reply reply) {
        if (session.message.flowing()) {
            early(reply, null);
        } else if ((reply.isTransient() || reply.isPermanent()) && session.holding.active()) {
            session.holding.serverLost(); // it had enough of waiting; the message's reply is due at its end
        } else if (reply.code() == 421 && session.client.phase == ClientPhase.TLS) {
            new ServerLoss(session).duringClientHandshake();
        } else if (reply.code() == 421) {
            session.server.saidItself = true;
            session.toClient(reply);
            session.end(End.SERVER_GONE, reply.text(), null);
        } else {
            session.server.outOfStep("a reply that nothing asked for: " + reply.text(), Answers.OUT_OF_STEP);
        }
    }

    private void early(Reply reply, Entry chunk) {
        if (chunk != null) {
            release(chunk);
        }
        if (reply.code() == 421) {
            session.toClient(reply);
            session.server.saidItself = true;
            session.end(End.SERVER_GONE, reply.text(), null);
        } else {
            session.message.earlyReply(reply);
        }
    }

    /**
     * 1xx is no SMTP; 3xx belongs to DATA and AUTH alone, and DATA has no 2xx. A message without a transaction is one that the
     * server opened by other means than a MAIL that was read, and judged, here.
     */
    private boolean outOfPlace(Entry head, Reply reply) {
        var data = (head.kind == Entry.Kind.COMMAND || head.kind == Entry.Kind.OWN) && head.command.verb() == Verb.DATA;
        var auth = head.kind == Entry.Kind.COMMAND && head.command.verb() == Verb.AUTH;
        return reply.code() < 200
                || reply.isIntermediate() && !(data && session.transaction != null && !session.onMail.refusedMail()) && !auth
                || data && reply.isPositive();
    }

    /** Gives the client every reply that is due, from the head on. */
    void emit() {
        while (!session.ended()) {
            var head = session.queue.head();
            if (head == null || head.reply == null) {
                return;
            }
            session.queue.removeHead();
            session.commands.answered(head);
            if (head.kind == Entry.Kind.OWN) {
                if (!session.holding.answered(head.command, head.reply) && !session.heldDot.answered(head.command, head.reply)
                        && !session.onMail.answered(head.command, head.reply)) {
                    session.server.ownReply(head.command, head.reply);
                }
                forgetOwn(head);
                if (head.reply.code() == 421 && !session.ended()) {
                    session.toClient(head.reply);
                    session.end(End.SERVER_GONE, head.reply.text(), null);
                }
            } else {
                give(head);
            }
        }
    }

    private void give(Entry entry) {
        var reply = entry.reply;
        var verb = entry.command.verb();
        if (entry.stage != null) {
            (entry.transaction != null ? entry.transaction.times() : session.times).add(entry.stage, session.now() - entry.since);
        }
        if (entry.kind == Entry.Kind.COMMAND && (verb == Verb.EHLO || verb == Verb.HELO)) {
            reply = session.promise.made(entry.command, reply);
        }
        session.toClient(reply);
        session.touched();
        if (entry.kind != Entry.Kind.LOCAL) {
            // A server that goes on after a refusing greeting owes a word when it leaves.
            session.server.saidItself &= !reply.isPositive();
            changes(entry, verb, reply);
        }
        if (!session.judge.none()) {
            var told = reply;
            session.judge.tell(handler -> handler.reply(session.view, entry.command, told));
        }
        release(entry);
        if (entry.endsSession) {
            session.end(verb == Verb.QUIT ? End.QUIT : End.REFUSED, reply.text(), null);
        } else if (entry.kind != Entry.Kind.LOCAL && reply.code() == 421) {
            session.server.saidItself = true;
            session.end(End.SERVER_GONE, reply.text(), null);
        } else if (entry.kind == Entry.Kind.COMMAND && verb == Verb.QUIT) {
            session.end(End.QUIT, "", null);
        }
    }

    /** A command of the proxy's own is over; if it was RSET, so is what it reset. */
    void forgetOwn(Entry entry) {
        abandon(entry.transaction);
        release(entry);
    }

    /** An entry has left the queue for good. */
    void release(Entry entry) {
        if (entry.transaction != null) {
            entry.transaction.entries--;
            session.recordIfDone(entry.transaction);
        }
    }

    /** What a reply of the server's changes: only its own 2xx does (RFC 5321 §4.1.4). */
    private void changes(Entry entry, Verb verb, Reply reply) {
        var transaction = entry.transaction;
        if (entry.kind == Entry.Kind.MESSAGE) {
            if (transaction != null) {
                transaction.finish(reply);
                clear(transaction);
            }
            return;
        }
        switch (verb) {
            case EHLO, HELO -> {
                if (reply.isPositive()) {
                    session.helloName = entry.command.argument();
                    abandon(session.transaction);
                }
            }
            case MAIL -> mailAnswered(transaction, reply);
            case RCPT -> {
                if (transaction != null) {
                    transaction.recipientReply(entry.command, reply);
                }
            }
            case DATA -> dataAnswered(entry.command, transaction, reply);
            case BDAT -> {
                if (transaction != null && !reply.isPositive()) {
                    transaction.refused(reply);
                }
            }
            case RSET -> {
                if (reply.isPositive()) {
                    abandon(transaction);
                }
            }
            case AUTH -> {
                if (reply.isIntermediate()) {
                    session.client.phase = ClientPhase.AUTH;
                } else if (reply.isPositive()) {
                    session.server.authenticated();
                }
            }
            case STARTTLS -> {
                if (reply.code() == 220) {
                    session.blind.begin();
                }
            }
            default -> { }
        }
    }

    private void mailAnswered(TransactionState transaction, Reply reply) {
        if (reply.isPositive()) {
            transaction.open = true;
            for (var former = transaction.replaced; former != null; former = former.replaced) {
                abandon(former);
            }
            transaction.replaced = null;
        } else {
            goOnWith(transaction.stillReplaced(), transaction);
            transaction.finish(reply);
        }
    }

    /** The server refused a nested MAIL: what the client sent behind it belongs to the transaction that was open before. */
    private void goOnWith(TransactionState former, TransactionState refused) {
        if (former != null) {
            former.adopt(refused);
            session.queue.move(refused, former);
        }
        if (session.transaction == refused) {
            session.transaction = former;
        }
    }

    private void dataAnswered(Command data, TransactionState transaction, Reply reply) {
        if (reply.isIntermediate()) {
            session.message.beginData(data);
        } else if (transaction != null) {
            session.onMail.settleOutcome();
            transaction.refused(reply);
            if (session.onMail.bound()) {
                session.onMail.reset(); // a leg that others wait for is not kept until the client says RSET
            }
        }
    }

    void abandon(TransactionState transaction) {
        if (transaction != null) {
            transaction.abandon();
            clear(transaction);
            session.recordIfDone(transaction);
        }
    }

    private void clear(TransactionState transaction) {
        if (session.transaction == transaction) {
            session.transaction = null;
        }
    }
}
