package dev.weft.session;

import dev.weft.relay.Binding;
import dev.weft.relay.Route;
import dev.weft.session.Judge.Decision;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;

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
            refuse(command, Answers.HELLO_FIRST);
        } else if (transaction.replaced != null) {
            refuse(command, Answers.NESTED_MAIL);
        } else {
            session.judge.ask(session.route, (handler, proposed) -> handler.mailRoute(transaction, proposed),
                    TransactionRoutes::stillOnMail, Answers.HANDLER_FAILED, decision -> {
                        if (decision instanceof Decision.Pass<Route> pass) {
                            transaction.route = pass.value();
                            session.commands.pass(command);
                        } else if (decision instanceof Decision.Refuse<Route> refusal) {
                            session.intake.refuse(command, new Decision.Refuse<>(refusal.reply(), refusal.endsSession()));
                        }
                    });
        }
    }

    /** RCPT that may pass: the first one's route is the transaction's. */
    void recipient(Command command) {
        var transaction = session.transaction;
        if (session.onMail.failure() != null) {
            refuse(command, session.onMail.failure());
            return;
        }
        session.judge.ask(transaction.route, (handler, proposed) -> handler.recipientRoute(transaction, command, proposed),
                TransactionRoutes::stillOnMail, Answers.HANDLER_FAILED, decision -> {
                    if (decision instanceof Decision.Pass<Route> pass) {
                        routed(command, pass.value());
                    } else if (decision instanceof Decision.Refuse<Route> refusal) {
                        session.intake.refuse(command, new Decision.Refuse<>(refusal.reply(), refusal.endsSession()));
                    }
                });
    }

    private void routed(Command command, Route route) {
        if (!route.equals(session.transaction.route)) {
            if (session.onMail.told()) {
                refuse(command, Answers.OTHER_ROUTE);
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

    private void refuse(Command command, Reply reply) {
        session.intake.refuse(command, new Decision.Refuse<>(reply, false));
    }
}
