package dev.weft.session;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Waits for what a message store does elsewhere, one thing at a time; what comes too late for its message is let go. */
final class StoreWait {

    private final SmtpSession session;
    private final Consumer<Throwable> failed;
    private CompletionStage<?> awaited;
    private long since;

    StoreWait(SmtpSession session, Consumer<Throwable> failed) {
        this.session = session;
        this.failed = failed;
    }

    boolean waiting() {
        return awaited != null;
    }

    /** When the store has been behind for too long. */
    long deadline() {
        return awaited == null ? Long.MAX_VALUE : since + session.settings.timeouts().block().toNanos();
    }

    void forget() {
        awaited = null;
    }

    /** Whether there is nothing to wait for. */
    static boolean done(CompletionStage<?> stage) {
        return stage instanceof CompletableFuture<?> future && future.isDone() && !future.isCompletedExceptionally();
    }

    /** Goes on with the value: at once, if it is there. */
    <T> void when(CompletionStage<T> stage, Consumer<? super T> next) {
        if (done(stage)) {
            next.accept(((CompletableFuture<T>) stage).join());
        } else {
            await(stage, next);
        }
    }

    /** Goes on with the value in an event of its own. */
    <T> void await(CompletionStage<T> stage, Consumer<? super T> next) {
        awaited = stage;
        since = session.now();
        session.port.onCompletion(stage, (value, failure) -> {
            if (awaited != stage) {
                return;
            }
            awaited = null;
            excuseClient();
            if (failure != null) {
                failed.accept(failure);
            } else {
                next.accept(value);
            }
            session.settle();
        });
    }

    /** The client was not read while the store was behind. */
    void excuseClient() {
        session.meter.excuse(session.now() - since);
        session.touched();
    }
}
