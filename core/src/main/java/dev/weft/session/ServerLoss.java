package dev.weft.session;

import dev.weft.relay.SessionRecord.End;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;
import java.util.ArrayDeque;

/** The server leg was closed by its peer: what each of those who wait is told. */
final class ServerLoss {

    private final SmtpSession session;

    ServerLoss(SmtpSession session) {
        this.session = session;
    }

    void closed() {
        session.server.noQuit();
        switch (session.server.phase) {
            case TLS -> session.hello.handshakeFailed("the server closed the connection");
            case CONNECTING, GREETING -> session.end(End.UNREACHABLE, "closed before its greeting", Answers.CLOSED_BEFORE_GREETING);
            case EHLO -> {
                if (session.hello.handshaking()) {
                    session.hello.failed("the server closed the connection at STARTTLS");
                } else if (session.hello.unproven()) {
                    session.hello.failed("the server closed the connection after the TLS handshake");
                } else {
                    var clientWaits = session.commands.synchronising();
                    session.end(End.SERVER_GONE, "closed at EHLO", clientWaits ? Answers.SERVER_CLOSED : Answers.LEG_NOT_REPLACEABLE);
                }
            }
            case READY -> {
                if (session.onMail.bound()) {
                    session.onMail.lost(Answers.LEG_LOST);
                } else {
                    lost();
                }
            }
            case BLIND -> session.end(End.SERVER_GONE, "", null);
            case ABSENT, LEASING, BOTCHED -> { }
        }
    }

    private void lost() {
        if (session.client.phase == ClientPhase.TLS) {
            duringClientHandshake();
        } else if (session.holding.active() && !session.holding.sending()) {
            session.holding.serverLost();
        } else if (session.message.flowing()) {
            inTheMessage();
        } else if (session.queue.awaitsMessageReply()) {
            afterTheMessage();
        } else if (session.server.saidItself) {
            session.end(End.SERVER_GONE, "", null); // it has told the client why
        } else if (session.queue.isEmpty()) {
            session.end(End.SERVER_GONE, "closed while idle", Answers.SERVER_CLOSED);
        } else {
            outstandingCommand();
        }
    }

    /** Nothing can be said to the client now: its EHLO inside TLS finds a fresh leg, or hears a 421. */
    void duringClientHandshake() {
        session.server.drop(Closing.ABORT);
    }

    /** One 451, after the client's end-of-data; what was pipelined before the message gets it too. */
    private void inTheMessage() {
        lose(Answers.DIED_IN_MESSAGE);
    }

    /** A chunk may not go on: its leg goes, and with it the replies to what was pipelined before. */
    void refusedInChunk(Reply reply) {
        lose(reply);
    }

    private void lose(Reply toldAtItsEnd) {
        var chunk = session.message.unfinishedChunk();
        session.message.drain(toldAtItsEnd);
        answerAll(chunk, Answers.DIED_AFTER_MESSAGE, null);
    }

    /** The server may have the message (RFC 1047): a 4xx, and the record says uncertain. */
    void afterTheMessage() {
        session.server.drop(Closing.ABORT);
        answerAll(null, Answers.DIED_AFTER_MESSAGE, null);
    }

    /** As if it had closed: whatever it says from now on comes too late to be relied on. */
    void silentAfterTheMessage() {
        session.server.drop(Closing.ABORT);
        answerAll(null, Answers.SLOW_AFTER_MESSAGE, null);
    }

    /**
     * Answers all that wait.
     *
     * @param toMessage what a message whose fate is not known gets
     * @param toCommand what a command gets; null for what fits it
     */
    void answerAll(Entry unfinishedChunk, Reply toMessage, Reply toCommand) {
        var waiting = new ArrayDeque<Entry>();
        while (!session.queue.isEmpty()) {
            waiting.add(session.queue.removeHead());
        }
        for (var entry : waiting) {
            session.commands.answered(entry);
            if (entry == unfinishedChunk) {
                session.replies.release(entry);
                continue; // answered at the end of its octets
            }
            if (entry.kind == Entry.Kind.OWN) {
                session.replies.forgetOwn(entry);
                continue;
            }
            if (entry.reply == null) {
                entry.reply = toCommand != null && entry.kind == Entry.Kind.COMMAND
                        ? session.onMail.due(entry.command, toCommand)
                        : answerTo(entry, toMessage);
            }
            session.answer(entry);
        }
    }

    private static Reply answerTo(Entry entry, Reply toMessage) {
        if (entry.kind == Entry.Kind.MESSAGE) {
            if (entry.transaction != null) {
                entry.transaction.uncertain(toMessage);
            }
            return toMessage;
        }
        return switch (entry.command.verb()) {
            case QUIT -> Answers.BYE;
            case DATA, BDAT -> Answers.DIED_IN_MESSAGE;
            default -> Answers.DIED_BEFORE_ANSWER;
        };
    }

    private void outstandingCommand() {
        var head = session.queue.head();
        if (head.kind == Entry.Kind.COMMAND && head.command.verb() == Verb.QUIT) {
            head.reply = Answers.BYE;
            session.replies.emit();
        } else {
            session.end(End.SERVER_GONE, "closed with commands outstanding", Answers.SERVER_CLOSED);
        }
    }
}
