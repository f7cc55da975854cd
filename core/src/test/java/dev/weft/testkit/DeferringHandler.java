package dev.weft.testkit;

import dev.weft.relay.FailureMode;
import dev.weft.relay.MessageChange;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageReader;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Header;
import dev.weft.smtp.Reply;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Leaves verdicts open until a {@link Transcript}'s {@code (verdict: …)} gives them. */
public final class DeferringHandler implements RelayHandler {

    private final List<String> methods;
    private final FailureMode failureMode;
    private final ArrayDeque<Question<?>> open = new ArrayDeque<>();
    private Question<?> last;

    private record Question<T>(CompletableFuture<Verdict<T>> answer, Class<T> type) {
        void give(Verdict<?> verdict) {
            answer.complete(cast(verdict));
        }

        @SuppressWarnings("unchecked") // refusals hold no T, and rewritten values are made for the type
        private Verdict<T> cast(Verdict<?> verdict) {
            return (Verdict<T>) verdict;
        }
    }

    private DeferringHandler(FailureMode failureMode, List<String> methods) {
        this.failureMode = failureMode;
        this.methods = methods;
    }

    /**
     * Defers the verdicts of some methods, and guards.
     *
     * @param methods names of {@link RelayHandler}'s methods: connect, command, mail, mailRoute, rcpt, recipientRoute; or hold, dot,
     *         chunks for a message's verdict
     * @return the handler
     */
    public static DeferringHandler at(String... methods) {
        return new DeferringHandler(FailureMode.TEMPFAIL, List.of(methods));
    }

    /**
     * Defers the verdicts of some methods, and lets pass what comes too late.
     *
     * @param methods names of {@link RelayHandler}'s methods: connect, command, mail, rcpt; or hold, dot, chunks for a message's
     *         verdict
     * @return the handler
     */
    public static DeferringHandler openAt(String... methods) {
        return new DeferringHandler(FailureMode.OPEN, List.of(methods));
    }

    /**
     * Defers the verdicts of {@link RelayHandler#command} about one command, and guards.
     *
     * @param text the whole command
     * @return the handler
     */
    public static DeferringHandler atCommand(String text) {
        return new DeferringHandler(FailureMode.TEMPFAIL, List.of(text));
    }

    private <T> Verdict<T> ask(String method, Class<T> type) {
        if (!methods.contains(method)) {
            return Verdict.proceed();
        }
        var question = new Question<>(new CompletableFuture<Verdict<T>>(), type);
        open.add(question);
        last = question;
        return Verdict.later(question.answer);
    }

    /** Answers the oldest open question. */
    void give(String verdict) {
        var question = open.poll();
        if (question == null) {
            throw new AssertionError("no verdict is open");
        }
        var words = verdict.split(" ", 2);
        switch (words[0]) {
            case "proceed" -> question.give(Verdict.proceed());
            case "reject" -> question.give(Verdict.reject(reply(words[1])));
            case "disconnect" -> question.give(Verdict.disconnect(reply(words[1])));
            case "rewrite" -> question.give(Verdict.rewrite(question.type == Command.class
                    ? Command.of(words[1])
                    : question.type == MessageChange.class ? prepended(words[1]) : Route.to(new InetSocketAddress(words[1], 25))));
            case "fails" -> question.answer.completeExceptionally(new IllegalStateException("a handler that fails, for the test"));
            case "null" -> question.answer.complete(null);
            default -> throw new IllegalArgumentException("verdict \"" + verdict
                    + "\": use proceed, reject, disconnect, rewrite, fails or null");
        }
    }

    private static MessageChange prepended(String field) {
        var parts = field.split(": ", 2);
        return MessageChange.none().prepend(Header.of(parts[0], parts[1]));
    }

    boolean lastIsCancelled() {
        return last != null && last.answer.isCancelled();
    }

    private static Reply reply(String text) {
        var code = Integer.parseInt(text.substring(0, 3));
        return Reply.plain(code, text.substring(Math.min(4, text.length())));
    }

    @Override
    public Verdict<Route> connect(RelaySession session, Route proposed) {
        return ask("connect", Route.class);
    }

    @Override
    public Verdict<Command> command(RelaySession session, Command command) {
        return ask(methods.contains(command.text()) ? command.text() : "command", Command.class);
    }

    @Override
    public Verdict<Command> mail(Transaction transaction, Command command) {
        return ask("mail", Command.class);
    }

    @Override
    public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
        return ask("mailRoute", Route.class);
    }

    @Override
    public Verdict<Route> recipientRoute(Transaction transaction, Command command, Route proposed) {
        return ask("recipientRoute", Route.class);
    }

    @Override
    public Verdict<Command> rcpt(Transaction transaction, Command command) {
        return ask("rcpt", Command.class);
    }

    @Override
    public MessageUse messageUse(RelaySession session) {
        return methods.contains("chunks") ? MessageUse.look().withChunking()
                : methods.contains("dot") || methods.contains("hold") ? MessageUse.replace() : MessageUse.none();
    }

    @Override
    public MessagePath message(Transaction transaction) {
        if (methods.contains("hold")) {
            return MessagePath.hold(message -> ask("hold", MessageChange.class));
        }
        return !methods.contains("dot") && !methods.contains("chunks") ? MessagePath.stream() : MessagePath.holdTheDot(new MessageReader() {
            @Override
            public void read(ByteBuffer piece) {}

            @Override
            public Verdict<Void> end() {
                return ask(methods.contains("dot") ? "dot" : "chunks", Void.class);
            }
        });
    }

    @Override
    public FailureMode failureMode() {
        return failureMode;
    }
}
