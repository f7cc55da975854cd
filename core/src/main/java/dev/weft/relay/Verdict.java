package dev.weft.relay;

import dev.weft.smtp.Reply;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/**
 * A handler's answer about something that is about to pass: let it, let something else pass in its place, refuse it, or end the
 * session.
 *
 * @param <T> what is judged: a {@link Route} at connect, a {@link dev.weft.smtp.Command} afterwards, a {@link MessageChange} for
 *         a held message
 */
public sealed interface Verdict<T> {

    /**
     * Let it pass; the next handler is asked.
     *
     * @param <T> what is judged
     */
    record Proceed<T>() implements Verdict<T> {
        private static final Proceed<?> INSTANCE = new Proceed<>();
    }

    /**
     * Let this pass in its place; the next handler is asked about the new value.
     *
     * @param value what is to pass; a command keeps its verb
     * @param <T> what is judged
     */
    record Rewrite<T>(T value) implements Verdict<T> {
        /**
         * Checks that there is a value.
         *
         * @param value what is to pass; a command keeps its verb
         */
        public Rewrite {
            Objects.requireNonNull(value, "value: use Verdict.proceed() to let the original pass");
        }
    }

    /**
     * Refuse it with a reply of the handler's own. The server never sees the command; the session goes on. At connect the reply
     * takes the greeting's place and the session ends.
     *
     * @param reply a 4xx or 5xx reply
     * @param <T> what is judged
     */
    record Reject<T>(Reply reply) implements Verdict<T> {
        /**
         * Checks the reply's class.
         *
         * @param reply a 4xx or 5xx reply
         * @throws IllegalArgumentException if the reply is no refusal
         */
        public Reject {
            requireRefusal(reply);
        }
    }

    /**
     * Refuse it and end the session after the reply.
     *
     * @param reply a 4xx or 5xx reply, commonly a 421
     * @param <T> what is judged
     */
    record Disconnect<T>(Reply reply) implements Verdict<T> {
        /**
         * Checks the reply's class.
         *
         * @param reply a 4xx or 5xx reply, commonly a 421
         * @throws IllegalArgumentException if the reply is no refusal
         */
        public Disconnect {
            requireRefusal(reply);
        }
    }

    /**
     * The answer comes later. Nothing of this session passes until then; other sessions are not delayed. After the handler's
     * {@link RelayHandler#deadline()} its {@link RelayHandler#failureMode()} decides. If the session ends first, the stage is
     * cancelled where it is a {@link java.util.concurrent.Future}.
     *
     * @param stage gives the verdict, on any thread. If it fails, or gives null or another {@code Later}, the handler's {@link
     *        RelayHandler#failureMode()} decides
     * @param <T> what is judged
     */
    record Later<T>(CompletionStage<Verdict<T>> stage) implements Verdict<T> {
        /**
         * Checks that there is a stage.
         *
         * @param stage gives the verdict, on any thread; it may not give another {@code Later}
         */
        public Later {
            Objects.requireNonNull(stage, "stage");
        }
    }

    /**
     * Lets it pass.
     *
     * @param <T> what is judged
     * @return the verdict
     */
    @SuppressWarnings("unchecked") // it holds no T
    static <T> Verdict<T> proceed() {
        return (Verdict<T>) Proceed.INSTANCE;
    }

    /**
     * Lets another value pass in its place.
     *
     * @param value what is to pass
     * @param <T> what is judged
     * @return the verdict
     */
    static <T> Verdict<T> rewrite(T value) {
        return new Rewrite<>(value);
    }

    /**
     * Refuses it.
     *
     * @param reply a 4xx or 5xx reply
     * @param <T> what is judged
     * @return the verdict
     * @throws IllegalArgumentException if the reply is not a refusal
     */
    static <T> Verdict<T> reject(Reply reply) {
        return new Reject<>(reply);
    }

    /**
     * Refuses it and ends the session.
     *
     * @param reply a 4xx or 5xx reply
     * @param <T> what is judged
     * @return the verdict
     * @throws IllegalArgumentException if the reply is not a refusal
     */
    static <T> Verdict<T> disconnect(Reply reply) {
        return new Disconnect<>(reply);
    }

    /**
     * Answers later.
     *
     * @param stage gives the verdict, as {@link Later#stage()}
     * @param <T> what is judged
     * @return the verdict
     */
    static <T> Verdict<T> later(CompletionStage<Verdict<T>> stage) {
        return new Later<>(stage);
    }

    private static void requireRefusal(Reply reply) {
        if (!reply.isTransient() && !reply.isPermanent()) {
            throw new IllegalArgumentException("a refusal needs a 4xx or 5xx reply, not \"" + reply.text() + "\" with code "
                    + reply.code());
        }
    }
}
