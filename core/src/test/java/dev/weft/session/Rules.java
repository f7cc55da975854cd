package dev.weft.session;

import dev.weft.relay.MessagePath;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.util.function.Function;

/** Handlers that judge by a command's text. */
final class Rules {

    private Rules() {}

    private static final Reply NO = Reply.of(550, "5.7.1", "not here");

    /** Rejects commands that contain a text, at {@link RelayHandler#command}. */
    static RelayHandler rejectCommand(String part) {
        return command(command -> command.text().contains(part) ? Verdict.reject(NO) : Verdict.proceed());
    }

    /** Ends the session at commands that contain a text, at {@link RelayHandler#command}. */
    static RelayHandler disconnectAt(String part) {
        return command(command -> command.text().contains(part)
                ? Verdict.disconnect(Reply.of(421, "4.7.0", "enough"))
                : Verdict.proceed());
    }

    static RelayHandler rewrite(String from, String to) {
        return command(command -> command.text().equals(from) ? Verdict.rewrite(Command.of(to)) : Verdict.proceed());
    }

    static RelayHandler command(Function<Command, Verdict<Command>> rule) {
        return new RelayHandler() {
            @Override
            public Verdict<Command> command(RelaySession session, Command command) {
                return rule.apply(command);
            }
        };
    }

    /** Rejects MAIL and RCPT that contain a text, at their own methods. */
    static RelayHandler rejectPath(String part) {
        return new RelayHandler() {
            @Override
            public Verdict<Command> mail(Transaction transaction, Command command) {
                return command.path().text().contains(part) ? Verdict.reject(NO) : Verdict.proceed();
            }

            @Override
            public Verdict<Command> rcpt(Transaction transaction, Command command) {
                return command.path().text().contains(part) ? Verdict.reject(NO) : Verdict.proceed();
            }
        };
    }

    /** Fails when it is asked about a message. */
    static RelayHandler failAtMessage() {
        return new RelayHandler() {
            @Override
            public MessagePath message(Transaction transaction) {
                throw new IllegalStateException("a handler that fails, for the test");
            }
        };
    }
}
