package dev.weft.session;

import dev.weft.relay.FailureMode;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the handlers, in order, and stands between them and the session: an exception or a late verdict becomes what the handler's
 * failure mode says, and reaches the log with the session's id. One question is open at a time.
 */
final class Judge {

    private static final Logger LOG = LoggerFactory.getLogger(SmtpSession.class);

    private static final Duration LONGEST_DEADLINE = Duration.ofDays(365);

    /** What the handlers together decided. */
    sealed interface Decision<T> {
        /** It passes, perhaps rewritten. */
        record Pass<T>(T value) implements Decision<T> {}

        /** It is refused; the session may end with it. */
        record Refuse<T>(Reply reply, boolean endsSession) implements Decision<T> {}
    }

    private final List<RelayHandler> handlers;
    private final SessionPort port;
    private final String sessionId;
    /** Lets the session go on after a late verdict, as after any other input. */
    private final Runnable afterwards;

    private Runnable onDeadline;
    private Object waitingFor;
    private long deadline = Long.MAX_VALUE;

    Judge(List<RelayHandler> handlers, SessionPort port, String sessionId, Runnable afterwards) {
        this.handlers = handlers;
        this.port = port;
        this.sessionId = sessionId;
        this.afterwards = afterwards;
    }

    /** Whether a verdict is outstanding. */
    boolean waiting() {
        return waitingFor != null;
    }

    /** When the outstanding verdict is too late; {@link Long#MAX_VALUE} if none is outstanding. */
    long deadline() {
        return deadline;
    }

    /**
     * Asks the handlers about a value.
     *
     * @param value what is judged
     * @param question calls the handler's method
     * @param rewritten checks a rewritten value and gives what goes on; throws if it may not
     * @param failed the reply when a handler fails and guards
     * @param decided gets the decision, now or later; never called once the session ended
     */
    <T> void ask(T value, BiFunction<RelayHandler, T, Verdict<T>> question, UnaryOperator<T> rewritten, Reply failed,
            Consumer<Decision<T>> decided) {
        ask(0, new Question<>(question, rewritten, failed, decided), value);
    }

    private record Question<T>(BiFunction<RelayHandler, T, Verdict<T>> ask, UnaryOperator<T> rewritten, Reply failed,
            Consumer<Decision<T>> decided) {}

    private <T> void ask(int from, Question<T> question, T first) {
        T value = first;
        for (int i = from; i < handlers.size(); i++) {
            var handler = handlers.get(i);
            Verdict<T> verdict;
            try {
                verdict = question.ask.apply(handler, value);
                if (verdict instanceof Verdict.Later<T> later) {
                    await(i, question, value, later);
                    return;
                }
                if (verdict instanceof Verdict.Rewrite<T> rewrite) {
                    value = question.rewritten.apply(rewrite.value());
                    continue;
                }
                if (verdict == null) {
                    throw new NullPointerException("the handler returned null: return Verdict.proceed() to let it pass");
                }
            } catch (Throwable failure) {
                verdict = failed(handler, question, failure);
            }
            if (refused(verdict, question)) {
                return;
            }
        }
        question.decided.accept(new Decision.Pass<>(value));
    }

    private <T> boolean refused(Verdict<T> verdict, Question<T> question) {
        if (verdict instanceof Verdict.Reject<T> reject) {
            question.decided.accept(new Decision.Refuse<>(reject.reply(), false));
            return true;
        }
        if (verdict instanceof Verdict.Disconnect<T> disconnect) {
            question.decided.accept(new Decision.Refuse<>(disconnect.reply(), true));
            return true;
        }
        return false;
    }

    private <T> void await(int index, Question<T> question, T value, Verdict.Later<T> later) {
        var handler = handlers.get(index);
        var stage = later.stage();
        deadline = port.now() + shorter(handler.deadline(), LONGEST_DEADLINE).toNanos();
        waitingFor = stage;
        onDeadline = () -> {
            cancel(stage);
            resume(index, question, value, failed(handler, question, new VerdictTooLate(handler)));
        };
        try {
            whenComplete(index, question, value, stage);
        } catch (Throwable failure) {
            settled(); // a stage that can't be waited for
            throw failure;
        }
    }

    private <T> void whenComplete(int index, Question<T> question, T value, CompletionStage<Verdict<T>> stage) {
        port.onCompletion(stage, (verdict, failure) -> {
            var handler = handlers.get(index);
            if (waitingFor != stage) {
                return; // too late, or the session ended
            }
            settled();
            Verdict<T> given;
            if (failure != null) {
                given = failed(handler, question, failure);
            } else if (verdict == null || verdict instanceof Verdict.Later<T>) {
                given = failed(handler, question, new IllegalStateException("the verdict's stage gave " + verdict
                        + ": complete it with proceed, rewrite, reject or disconnect"));
            } else {
                given = verdict;
            }
            resume(index, question, value, given);
            afterwards.run();
        });
    }

    private <T> void resume(int index, Question<T> question, T value, Verdict<T> verdict) {
        var next = value;
        var given = verdict;
        if (given instanceof Verdict.Rewrite<T> rewrite) {
            try {
                next = question.rewritten.apply(rewrite.value());
            } catch (RuntimeException failure) {
                given = failed(handlers.get(index), question, failure);
            }
        }
        if (!refused(given, question)) {
            ask(index + 1, question, next);
        }
    }

    /** The deadline has come: the handler failed. */
    void expire() {
        var late = onDeadline;
        settled();
        late.run();
    }

    /** The session ended: nobody waits for the verdict any more. */
    void cancel() {
        var stage = waitingFor;
        settled();
        cancel(stage);
    }

    private void settled() {
        waitingFor = null;
        onDeadline = null;
        deadline = Long.MAX_VALUE;
    }

    private void cancel(Object stage) {
        if (stage instanceof Future<?> future) {
            try {
                future.cancel(false);
            } catch (RuntimeException failure) {
                LOG.error("session {}: the stage of a late verdict could not be cancelled", sessionId, failure);
            }
        }
    }

    private <T> Verdict<T> failed(RelayHandler handler, Question<T> question, Throwable failure) {
        return failed(handler, failure) == FailureMode.OPEN ? Verdict.proceed() : Verdict.reject(question.failed);
    }

    /** Logs what a handler threw, and says what it is to be taken as. */
    FailureMode failed(RelayHandler handler, Throwable failure) {
        var mode = FailureMode.TEMPFAIL;
        try {
            mode = handler.failureMode();
        } catch (Throwable second) {
            if (second != failure) {
                failure.addSuppressed(second);
            }
        }
        LOG.error("session {}: handler {} failed, taken as {}", sessionId, handler.getClass().getName(), mode, failure);
        return mode;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Calls an observer's method of every handler; what it throws is logged and changes nothing. */
    void tell(Consumer<RelayHandler> observer) {
        for (int i = 0; i < handlers.size(); i++) {
            try {
                observer.accept(handlers.get(i));
            } catch (Throwable failure) {
                LOG.error("session {}: handler {} failed while it observed", sessionId, handlers.get(i).getClass().getName(), failure);
            }
        }
    }

    boolean none() {
        return handlers.isEmpty();
    }

    /** No stack trace: it would show only the timer. */
    private static final class VerdictTooLate extends RuntimeException {
        private static final long serialVersionUID = 1;

        VerdictTooLate(RelayHandler handler) {
            super("no verdict within " + handler.deadline(), null, false, false);
        }
    }
}
