package dev.weft.session;

import dev.weft.relay.Stage;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/**
 * The commands that the handlers let pass: answered here where the server must not see them, else sent and entered into the reply
 * queue.
 */
final class CommandRelay {

    /** Verbs whose extensions change framing, roles or identity; they are never offered, and never passed (RFC 5321 §2.2.2). */
    private static final Set<String> UNFRAMEABLE =
            Set.of("XCLIENT", "XFORWARD", "XEXCH50", "X-ANONYMOUSTLS", "X-EXPS", "BURL", "ATRN", "TURN");

    private static final byte[] RSET = "RSET\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CANCEL_AUTH = "*\r\n".getBytes(StandardCharsets.US_ASCII);

    private final SmtpSession session;
    /** Judged, and waiting for the server leg or for earlier replies. */
    private Command stalled;
    /** The outstanding entry past which nothing is passed on. */
    private Entry synchronisingOn;
    /** The AUTH whose exchange goes on. */
    private Command auth;

    CommandRelay(SmtpSession session) {
        this.session = session;
    }

    boolean stalled() {
        return stalled != null;
    }

    boolean synchronising() {
        return synchronisingOn != null;
    }

    /**
     * A message refused here leaves the server with an open transaction: it is told, so that the client's next MAIL is not a
     * nested one.
     */
    void resetServer() {
        var transaction = session.transaction;
        if (transaction == null || session.ended() || session.server.phase != ServerPhase.READY) {
            return;
        }
        if (session.onMail.untold()) {
            session.replies.abandon(transaction);
            return;
        }
        session.transaction = null;
        resetServer(transaction);
    }

    /**
     * Tells the server that a transaction is over.
     *
     * @param transaction what ends for the client as well; null for none
     */
    void resetServer(TransactionState transaction) {
        session.queue.add(Entry.reset(Command.parse(RSET), transaction, session.now()));
        session.port.write(Leg.SERVER, RSET);
    }

    /** A refused message ends its transaction for the server; a leg that others wait for is not kept until the client says so. */
    void endRefused() {
        if (session.onMail.bound()) {
            session.onMail.reset();
        } else {
            resetServer();
        }
    }

    /** What was opened in clear is over, for the server too. */
    void forgetTransaction() {
        resetServer();
        session.replies.abandon(session.transaction);
    }

    void badChunk(Command command) {
        lastWord(Entry.local(command, session.transaction, Answers.BAD_CHUNK, session.now()));
    }

    /**
     * A reply that ends the session. It may have to wait for those before it; nothing that the client sends meanwhile is read.
     */
    void lastWord(Entry entry) {
        entry.endsSession = true;
        session.answer(synchronise(entry));
    }

    void pass(Command command) {
        if (session.onMail.bound()) {
            if (session.onMail.mustWait(command)) {
                stalled = command;
            } else if (!session.greeter.answers(command) && !answeredHere(command)) {
                send(command);
            }
            return;
        }
        if (answeredHere(command)) {
            return;
        }
        if (mustWait(command)) {
            stalled = command;
        } else {
            send(command);
        }
    }

    /** Sends the command that waited, once nothing holds it up any more. */
    void resume() {
        var command = stalled;
        if (command == null || session.ended()) {
            return;
        }
        if (session.onMail.bound()) {
            stalled = null;
            pass(command);
        } else if (!mustWait(command)) {
            stalled = null;
            send(command);
        }
    }

    /** The command that waits, which another answers. */
    Command takeStalled() {
        var command = stalled;
        stalled = null;
        return command;
    }

    /** Nobody waits for it any more. */
    void forgetStalled() {
        stalled = null;
    }

    Command stalledCommand() {
        return stalled;
    }

    private boolean answeredHere(Command command) {
        var absent = session.server.phase == ServerPhase.ABSENT;
        return switch (command.verb()) {
            case STARTTLS -> session.clientTls.refusal(command).map(reply -> answerHere(command, reply)).orElse(false);
            case EHLO -> helloKnown(command);
            case AUTH -> !session.promise.offers("AUTH") && answerHere(command, Answers.AUTH_NOT_OFFERED);
            case BDAT -> chunkAnsweredHere(command);
            case QUIT -> absent && answerHere(command, Answers.BYE);
            case RSET, NOOP -> absent && answerHere(command, Answers.OK);
            case UNKNOWN -> UNFRAMEABLE.contains(command.verbText().toUpperCase(Locale.ROOT))
                    && answerHere(command, Answers.NOT_OFFERED);
            default -> false;
        };
    }

    boolean answerHere(Command command, Reply reply) {
        var entry = Entry.local(command.masked(), null, reply, session.now());
        if (command.verb() == Verb.QUIT) {
            lastWord(entry);
        } else {
            session.answer(entry);
        }
        return true;
    }

    /** The EHLO that follows the client's STARTTLS: the server need not be asked again what it has answered already. */
    private boolean helloKnown(Command command) {
        var known = session.clientTls.awaitsHello() ? session.promise.known(command) : null;
        if (known == null) {
            return false;
        }
        session.helloName = command.argument();
        return answerHere(command, session.promise.made(command, known));
    }

    private boolean chunkAnsweredHere(Command command) {
        var refusal = session.onMail.bound() ? session.onMail.chunkRefusal(command) : null;
        if (command.chunkSize().isEmpty()) {
            badChunk(command);
        } else if (!session.promise.offers("CHUNKING")) {
            session.message.drainChunk(command, Answers.CHUNKING_NOT_OFFERED);
        } else if (refusal != null) {
            session.onMail.settleOutcome();
            session.message.drainChunk(command, refusal);
        } else if (session.server.phase == ServerPhase.ABSENT) {
            session.message.drainChunk(command, Answers.NO_MESSAGE_OPEN);
        } else if (session.transaction == null) {
            session.message.drainChunk(command, Answers.NO_TRANSACTION); // a server that took it would deliver what nobody judged
        } else if (session.message.tooLarge(command)) {
            session.message.drainChunk(command, Answers.TOO_LARGE);
        } else {
            return false;
        }
        return true;
    }

    private boolean mustWait(Command command) {
        if (command.verb() == Verb.STARTTLS && (!session.queue.isEmpty() || !session.clientTls.passesThrough())) {
            return !session.queue.isEmpty();
        }
        return switch (session.server.phase) {
            case READY -> !session.queue.isEmpty()
                    && (command.verb() == Verb.UNKNOWN || !session.promise.pipelines() || isHeld(command));
            case ABSENT -> {
                session.server.replace();
                yield true;
            }
            default -> true;
        };
    }

    /**
     * Whether this DATA begins a message that is held: the server does not get to see it yet, and all before it must be answered.
     */
    boolean isHeld(Command command) {
        return command.verb() == Verb.DATA && session.transaction != null && session.transaction.plan != null
                && session.transaction.plan.holds();
    }

    private void hold(Command data) {
        var transaction = session.transaction;
        if (transaction.open && transaction.recipientAccepted) {
            session.holding.begin(data, transaction);
        } else {
            answerHere(data, Answers.NO_RECIPIENTS); // never a 354 of our own to a message for nobody
        }
    }

    private void send(Command command) {
        if (isHeld(command)) {
            hold(command);
            return;
        }
        if (command.verb() == Verb.STARTTLS && !session.clientTls.passesThrough()) {
            session.clientTls.start(command);
            return;
        }
        if ((command.verb() == Verb.EHLO || command.verb() == Verb.HELO) && session.serverTls.wanted()) {
            exchangeHello(command);
            return;
        }
        if (command.lastChunk() && session.transaction != null && session.transaction.plan != null
                && session.transaction.plan.holdsTheDot()) {
            session.message.beginLastChunk(command);
            return;
        }
        long now = session.now();
        var transaction = session.transaction;
        var wire = command;
        var entry = switch (command.verb()) {
            case EHLO, HELO -> {
                wire = session.promise.named(command);
                yield synchronise(Entry.command(command, null, Stage.EHLO, now));
            }
            case MAIL -> Entry.command(command, transaction, Stage.MAIL, now);
            case RCPT -> {
                if (transaction != null) {
                    transaction.recipient(command);
                }
                yield Entry.command(command, transaction, Stage.RCPT, now);
            }
            case DATA -> synchronise(Entry.command(command, transaction, Stage.DATA, now));
            case BDAT -> {
                wire = plainChunk(command);
                yield command.lastChunk() ? Entry.message(command, transaction, now) : Entry.command(command, transaction, null, now);
            }
            case AUTH -> {
                auth = command.masked();
                yield synchronise(Entry.command(auth, null, null, now));
            }
            case STARTTLS -> synchronise(Entry.command(command, null, null, now));
            case QUIT -> {
                session.server.noQuit();
                yield synchronise(Entry.command(command, null, null, now));
            }
            case UNKNOWN -> synchronise(Entry.command(command.masked(), null, null, now));
            default -> Entry.command(command, command.verb() == Verb.RSET ? transaction : null, null, now);
        };
        session.queue.add(entry);
        session.port.write(Leg.SERVER, wire.bytes());
        if (command.verb() == Verb.BDAT) {
            session.message.beginChunk(entry);
        }
    }

    /**
     * As RFC 3030 §2 writes it: a server that takes an odd blank for a syntax error would take the chunk's octets for commands.
     */
    private static Command plainChunk(Command command) {
        var plain = "BDAT " + command.chunkSize().orElseThrow() + (command.lastChunk() ? " LAST" : "");
        return plain.equalsIgnoreCase(command.text()) ? command : Command.of(plain);
    }

    /** The client waits at this command until the exchange with the server has come to its end. */
    private void exchangeHello(Command command) {
        var entry = synchronise(Entry.command(command, null, null, session.now()));
        session.server.budgetForHello();
        session.hello.begin(session.promise.named(command), reply -> {
            entry.reply = reply;
            session.answer(entry);
        });
    }

    /** Nothing is on its way that the client waits for. */
    boolean nothingOutstanding() {
        return session.queue.isEmpty() && !session.judge.waiting() && stalled == null && synchronisingOn == null;
    }

    /** A line of an AUTH exchange: opaque, never shown to anyone (RFC 4954 §4). */
    void authLine(byte[] line) {
        session.queue.add(synchronise(Entry.command(auth, null, null, session.now())));
        session.client.phase = ClientPhase.COMMAND;
        session.port.write(Leg.SERVER, line);
    }

    /** A line that must not pass: the exchange is cancelled, so that the server's own 501 answers the client (RFC 4954 §4). */
    void cancelAuth() {
        authLine(CANCEL_AUTH);
    }

    Entry synchronise(Entry entry) {
        synchronisingOn = entry;
        return entry;
    }

    /** An entry was answered. */
    void answered(Entry entry) {
        if (entry == synchronisingOn) {
            synchronisingOn = null;
        }
        if (entry.command.verb() == Verb.AUTH && entry.reply != null && !entry.reply.isIntermediate() && !entry.reply.isPositive()) {
            session.intake.authRefused();
        }
    }
}
