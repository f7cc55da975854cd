package dev.weft.session;

import dev.weft.smtp.Capabilities;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.util.Optional;

/**
 * What a proxy says itself where the session is bound on mail: its greeting, its answer to EHLO, and the answers to all commands
 * that belong to no transaction.
 */
final class Greeter {

    private final SmtpSession session;
    /** The EHLO that waits for what the server offers. */
    private Entry waiting;

    Greeter(SmtpSession session) {
        this.session = session;
    }

    private String name() {
        return session.route.ehloName().orElse(session.settings.onMail().helloName());
    }

    void greet() {
        var greeting = Reply.plain(220, name() + " ESMTP");
        session.judge.tell(handler -> handler.greeting(session.view, greeting));
        session.toClient(greeting);
        session.client.phase = ClientPhase.COMMAND;
        session.touched();
    }

    /** Answers what is the proxy's to answer; false for what a server leg is needed for. */
    boolean answers(Command command) {
        return switch (command.verb()) {
            case EHLO, HELO -> hello(command);
            case MAIL -> mail(command);
            case RCPT -> refusesRecipient(command);
            case DATA -> refusesMessage(command);
            case RSET -> {
                session.onMail.reset();
                yield session.commands.answerHere(command, Answers.OK);
            }
            case NOOP -> session.commands.answerHere(command, Answers.OK);
            case VRFY -> session.commands.answerHere(command, Answers.NOT_VERIFIED);
            case EXPN, HELP, ETRN -> session.commands.answerHere(command, Answers.NOT_OFFERED);
            case UNKNOWN -> session.commands.answerHere(command, Answers.NOT_RECOGNIZED);
            case QUIT -> session.commands.answerHere(command, Answers.BYE);
            default -> false;
        };
    }

    private boolean hello(Command command) {
        if (command.argument().isEmpty()) {
            return session.commands.answerHere(command, Answers.HELLO_ARGUMENT);
        }
        var entry = session.commands.synchronise(Entry.command(command, null, null, session.now()));
        switch (command.verb()) {
            case HELO -> {
                entry.reply = Reply.plain(250, name());
                session.answer(entry);
            }
            default -> {
                waiting = entry;
                session.port.askOffer(session.route);
            }
        }
        return true;
    }

    /** A leg is there for it; the server hears of it with the first recipient. */
    private boolean mail(Command command) {
        var transaction = session.transaction;
        transaction.open = true;
        session.answer(Entry.local(command, transaction, Answers.SENDER_OK, session.now()));
        return true;
    }

    private boolean refusesRecipient(Command command) {
        if (session.transaction == null) {
            return session.commands.answerHere(command, Answers.NO_TRANSACTION);
        }
        var lacking = session.onMail.offer.lackingFor(command);
        var refusal = session.onMail.failure() != null ? session.onMail.failure() : lacking;
        if (refusal != null) {
            session.intake.refuse(command, refusal);
        }
        return refusal != null;
    }

    /** A message that nobody accepted is for nobody, and what came before it is over. */
    private boolean refusesMessage(Command command) {
        var refusal = session.onMail.messageRefusal();
        if (refusal == null && session.commands.isHeld(command) && !session.transaction.recipientAccepted) {
            refusal = Answers.NO_RECIPIENTS; // all have their replies by now
        }
        if (refusal != null) {
            session.onMail.settleOutcome();
            session.intake.refuse(command, refusal);
        }
        return refusal != null;
    }

    void offerKnown(Optional<Reply> hello) {
        if (waiting != null) {
            var entry = waiting;
            waiting = null;
            entry.reply = hello.filter(Reply::isPositive).orElseGet(this::presumed);
            session.answer(entry);
        }
    }

    /**
     * What is offered of a server of which nothing is known, since it could not be asked: what a client can't do without. Where
     * SMTPUTF8 is missing it returns an internationalized message for good (RFC 6531 §3.2), where 8BITMIME is missing it returns
     * one with octets beyond ASCII, or converts it and breaks its signature (RFC 6152 §3); and a server that offers the former
     * must offer the latter (RFC 6531 §3.1). To offer them costs nothing: if the leg turns out to lack one that MAIL uses, the
     * answer is a 451, nothing is stripped, and the next EHLO is answered by what that leg said. All other extensions a client
     * can do without, so they are not presumed.
     */
    private Reply presumed() {
        return Capabilities.of(name(), "8BITMIME", "SMTPUTF8").toReply();
    }

    /** What the client is offered of what passes from the server: what needs the proxy itself is the proxy's to say. */
    Capabilities offered(Capabilities passed) {
        return passed.without("AUTH", "ETRN", "VRFY", "EXPN", "HELP", "REQUIRETLS").with("PIPELINING").greetedBy(name());
    }
}
