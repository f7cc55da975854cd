package dev.weft.session;

import dev.weft.relay.Binding;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Route;
import dev.weft.relay.Verdict;
import dev.weft.session.Judge.Decision;
import dev.weft.smtp.Command;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** Where each transaction of a session that is bound on mail goes: as its sender says, then its first recipient. */
final class TransactionRoutes {

    private final SmtpSession session;

    TransactionRoutes(SmtpSession session) {
        this.session = session;
    }

    /** MAIL that may pass: asks for the route. */
    void mail(Command command) {
        var transaction = session.transaction;
        if (session.helloName == null) {
            session.intake.refuse(command, Answers.HELLO_FIRST);
        } else if (transaction.replaced != null) {
            session.intake.refuse(command, Answers.NESTED_MAIL);
        } else {
            ask(command, session.route, (handler, proposed) -> handler.mailRoute(transaction, proposed), route -> {
                transaction.route = route;
                // What another server takes was not what EHLO told.
                var offered = route.server().equals(session.route.server());
                var tooLarge = offered ? session.uses.beyondOffer(transaction.mailSaid()) : null;
                if (tooLarge != null) {
                    session.intake.refuse(command, tooLarge);
                } else {
                    session.commands.pass(command);
                }
            });
        }
    }

    /** RCPT that may pass: the first one's route is the transaction's. */
    void recipient(Command command) {
        var transaction = session.transaction;
        if (session.onMail.failure() != null) {
            session.intake.refuse(command, session.onMail.failure());
            return;
        }
        ask(command, transaction.route, (handler, proposed) -> handler.recipientRoute(transaction, command, proposed),
                route -> routed(command, route));
    }

    /** Puts a route before the handlers: the command goes on with what they make of it, or is refused as they say. */
    private void ask(Command command, Route proposed, BiFunction<RelayHandler, Route, Verdict<Route>> question, Consumer<Route> passes) {
        session.judge.ask(proposed, question, TransactionRoutes::stillOnMail, Answers.HANDLER_FAILED, decision -> {
            if (decision instanceof Decision.Pass<Route> pass) {
                passes.accept(pass.value());
            } else if (decision instanceof Decision.Refuse<Route> refusal) {
                session.intake.refuse(command, new Decision.Refuse<>(refusal.reply(), refusal.endsSession()));
            }
        });
    }

    private void routed(Command command, Route route) {
        if (!route.equals(session.transaction.route)) {
            if (session.onMail.told()) {
                session.intake.refuse(command, Answers.OTHER_ROUTE);
                return;
            }
            session.transaction.route = route;
            session.onMail.giveUpUnused();
        }
        session.commands.pass(command);
    }

    private static Route stillOnMail(Route rewritten) {
        if (rewritten.binding() != Binding.ON_MAIL) {
            throw new IllegalArgumentException("a handler routed a transaction " + rewritten
                    + ": the binding is decided at connect, so give Binding.ON_MAIL");
        }
        return rewritten;
    }
}
