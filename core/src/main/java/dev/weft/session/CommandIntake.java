package dev.weft.session;

import dev.weft.relay.Notice;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Verdict;
import dev.weft.session.Judge.Decision;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * The client's commands on their way in: what can't be read or may not pass at this point is answered, all else is put before the
 * handlers, and goes on to {@link CommandRelay} as they decide.
 */
final class CommandIntake {

    /** Stands for a line that could not be read as a command. */
    private static final Command NO_COMMAND = Command.parse(new byte[0]);

    private final SmtpSession session;
    private int transactions;
    /**
     * AUTH failed, and lines that the client sent along with it may be parts of its secret: no verb that nobody knows is shown or
     * passed.
     */
    private boolean secretsMayFollow;

    CommandIntake(SmtpSession session) {
        this.session = session;
    }

    /** AUTH was refused. */
    void authRefused() {
        secretsMayFollow = true;
    }

    int transactions() {
        return transactions;
    }

    /** A command line without its verdict yet. */
    void line(byte[] line) {
        var command = Command.parse(line);
        session.waits.commandSaid(command.verb());
        if (line.length > session.settings.commandLineLimit() && command.verb() != Verb.AUTH) {
            session.notice(Notice.Kind.BAD_LINE, "too long");
            refuseLine(Answers.LINE_TOO_LONG);
            return;
        }
        if (secretsMayFollow && command.verb() == Verb.UNKNOWN) {
            refuseLine(Answers.SENT_WITH_AUTH);
            return;
        }
        secretsMayFollow = false;
        if (command.verb() == Verb.UNKNOWN && !isWord(command.verbText())) {
            session.notice(Notice.Kind.BAD_LINE, "no printable ASCII in the verb");
            refuseLine(Answers.NOT_RECOGNIZED);
            return;
        }
        if (session.judge.none()) {
            passJudged(command);
            return;
        }
        var shown = command.masked();
        session.judge.ask(
                shown,
                (handler, asked) -> handler.command(session.view, asked),
                rewritten -> sameVerb(command, rewritten),
                Answers.HANDLER_FAILED,
                decision -> {
                    if (decision instanceof Decision.Pass<Command> pass) {
                        passJudged(pass.value() == shown ? command : pass.value());
                    } else if (decision instanceof Decision.Refuse<Command> refusal) {
                        refuse(command, refusal);
                    }
                });
    }

    /**
     * Some servers take VT, FF, NUL or others for a blank: they would read a MAIL or RCPT where none was read, and judged, here.
     */
    private static boolean isWord(String verb) {
        return verb.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    /** A line that is no command: answered in its place among the others. */
    void refuseLine(Reply reply) {
        session.answer(Entry.local(NO_COMMAND, null, reply, session.now()));
    }

    private void passJudged(Command command) {
        if (!session.clientTls.permits(command)) {
            withhold(command, Answers.TLS_REQUIRED);
            return;
        }
        if (session.clientTls.awaitsHello() && !harmless(command)) {
            withhold(command, Answers.HELLO_AGAIN);
            return;
        }
        var withheld = harmless(command) ? null : session.serverTls.withheld();
        if (withheld != null) {
            withhold(command, withheld);
            return;
        }
        var transaction = session.transaction;
        if (transaction != null && transaction.begun() && session.uses.declared() && belongsBefore(command)) {
            session.commands.answerHere(command, Answers.MESSAGE_BEGUN);
            return;
        }
        switch (command.verb()) {
            case MAIL -> session.uses.refusal(command)
                    .ifPresentOrElse(reply -> session.commands.answerHere(command, reply), () -> mail(command));
            case RCPT -> rcpt(command);
            case DATA, BDAT -> message(command);
            case RSET -> {
                if (transaction != null) {
                    transaction.resetAsked();
                }
                session.commands.pass(command);
            }
            default -> session.commands.pass(command);
        }
    }

    /** Commands that come too late behind a chunk (RFC 3030 §2): its path was chosen without them. */
    private static boolean belongsBefore(Command command) {
        return command.verb() == Verb.MAIL || command.verb() == Verb.RCPT || command.verb() == Verb.DATA;
    }

    /** Commands that carry no mail, nor ask the server anything. */
    static boolean harmless(Command command) {
        return switch (command.verb()) {
            case EHLO, HELO, RSET, NOOP, QUIT, STARTTLS -> true;
            default -> false;
        };
    }

    /** A command that may not reach the server, for want of TLS. */
    private void withhold(Command command, Reply reply) {
        if (command.verb() != Verb.BDAT) {
            session.commands.answerHere(command, reply);
        } else if (command.chunkSize().isEmpty()) {
            session.commands.badChunk(command);
        } else {
            session.message.drainChunk(command, reply);
        }
    }

    private void mail(Command command) {
        var transaction = new TransactionState(session.view, ++transactions, command, session.settings.recipientsListed());
        transaction.replaced = session.transaction;
        session.transaction = transaction;
        if (session.judge.none()) {
            passMail(command);
            return;
        }
        ask(command, (handler, asked) -> handler.mail(transaction, asked), passed -> {
            transaction.mail(session.uses.adjusted(passed));
            passMail(transaction.mail());
        });
    }

    /** A demand that was not offered can't be met: it is refused here, never stripped nor passed on (RFC 8689 §4). */
    private void passMail(Command command) {
        if (!session.promise.offers("REQUIRETLS") && ClientTls.demandedOnwards(command)) {
            refuse(command, Answers.REQUIRETLS_NOT_OFFERED);
        } else if (session.onMail.bound()) {
            session.routes.mail(command);
        } else {
            session.commands.pass(command);
        }
    }

    private void rcpt(Command command) {
        var transaction = session.transaction;
        if (transaction == null) {
            session.commands.pass(command);
        } else if (session.judge.none()) {
            passRcpt(command);
        } else {
            ask(command, (handler, asked) -> handler.rcpt(transaction, asked), this::passRcpt);
        }
    }

    private void passRcpt(Command command) {
        if (session.onMail.bound()) {
            session.routes.recipient(command);
        } else {
            session.commands.pass(command);
        }
    }

    /** Puts a command before the handlers: it goes on as they leave it, or is refused as they say. */
    private void ask(Command command, BiFunction<RelayHandler, Command, Verdict<Command>> question, Consumer<Command> passes) {
        session.judge.ask(command, question, rewritten -> sameVerb(command, rewritten), Answers.HANDLER_FAILED, decision -> {
            if (decision instanceof Decision.Pass<Command> pass) {
                passes.accept(pass.value());
            } else if (decision instanceof Decision.Refuse<Command> refusal) {
                refuse(command, refusal);
            }
        });
    }

    /**
     * Asks how the message is to be carried: at each DATA, since one that is refused leaves nothing, and at the first chunk. What
     * is chosen must hold for the recipients that it was chosen for, and for a message that is seen from its beginning.
     */
    private void message(Command command) {
        var transaction = session.transaction;
        var chunk = command.verb() == Verb.BDAT;
        if (transaction == null || session.judge.none() || chunk && !session.promise.offers("CHUNKING")) {
            session.commands.pass(command);
            return;
        }
        if (session.uses.declared() && transaction.nested()) {
            withhold(command, Answers.NESTED_MAIL);
            return;
        }
        if (transaction.chunksBegan) {
            if (transaction.chunkRefused && transaction.plan != null) {
                withhold(command, Answers.CHUNK_REFUSED);
            } else {
                session.commands.pass(command);
            }
            return;
        }
        transaction.chunksBegan = chunk;
        var plan = new MessagePlan(session, chunk);
        session.judge.ask(
                command,
                (handler, asked) -> {
                    plan.add(handler, handler.message(transaction));
                    return Verdict.proceed();
                },
                unchanged -> unchanged,
                Answers.HANDLER_FAILED,
                decision -> {
                    if (decision instanceof Decision.Refuse<Command> refusal) {
                        refuse(command, refusal);
                    } else {
                        transaction.plan = plan.plain() ? null : plan;
                        session.commands.pass(command);
                    }
                });
    }

    private static Command sameVerb(Command original, Command rewritten) {
        if (rewritten.verb() != original.verb() || original.verb() == Verb.AUTH || original.verb() == Verb.BDAT) {
            throw new IllegalArgumentException("a handler rewrote \"" + original.masked().text() + "\" to \"" + rewritten.masked().text()
                    + "\": a command keeps its verb, and AUTH and BDAT can't be rewritten");
        }
        return rewritten;
    }

    /** Refuses a command for a reason of the proxy's own; the session goes on. */
    void refuse(Command command, Reply reply) {
        refuse(command, new Decision.Refuse<>(reply, false));
    }

    void refuse(Command command, Decision.Refuse<Command> refusal) {
        var reply = refusal.reply();
        var transaction = session.transaction;
        var verb = command.verb();
        if (verb == Verb.BDAT && !refusal.endsSession()) {
            if (command.chunkSize().isEmpty()) {
                session.commands.badChunk(command);
                return;
            }
            session.message.drainChunk(command, reply);
            return;
        }
        switch (verb) {
            case MAIL -> {
                if (transaction != null && transaction.mail() == command && !transaction.open) {
                    transaction.finish(reply);
                    session.transaction = transaction.stillReplaced();
                }
            }
            case RCPT -> {
                if (transaction != null) {
                    transaction.recipient(command);
                    transaction.recipientReply(command, reply);
                }
            }
            case DATA -> {
                if (transaction != null) {
                    transaction.refused(reply);
                }
            }
            default -> { }
        }
        var entry = Entry.local(command.masked(), transaction, reply, session.now());
        if (refusal.endsSession()) {
            session.commands.lastWord(entry);
        } else {
            session.answer(entry);
        }
        if (verb == Verb.DATA) {
            session.commands.endRefused();
        }
    }
}
