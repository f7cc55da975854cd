package dev.weft.examples;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Path;
import dev.weft.smtp.Reply;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Asks something slow about each recipient, here a pretended database that answers after 200 ms, without holding up any other
 * session: the handler returns at once, and its own session waits until the answer is there.
 *
 * <pre>java -jar weft-proxy.jar --listen 127.0.0.1:2525 --to mx.example.com:25 --handler dev.weft.examples.SlowLookup</pre>
 *
 * <p>For a real lookup that blocks, such as JDBC, give {@code supplyAsync} a thread pool of your own, with a bound.
 */
public final class SlowLookup implements RelayHandler {

    private static final Executor IN_200_MS = CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS);

    /** For {@code --handler}. */
    public SlowLookup() {}

    @Override
    public Verdict<Command> rcpt(Transaction transaction, Command command) {
        var path = command.path(); // immutable, so another thread may have it; the transaction is for this thread only
        return Verdict.later(CompletableFuture.supplyAsync(() -> lookUp(path), IN_200_MS));
    }

    private static Verdict<Command> lookUp(Path recipient) {
        return recipient.text().startsWith("unknown@")
                ? Verdict.reject(Reply.of(550, "5.1.1", "No such recipient"))
                : Verdict.proceed();
    }

    /** A lookup that takes longer counts as failed, and {@link #failureMode} says 451: the sender tries again later. */
    @Override
    public Duration deadline() {
        return Duration.ofSeconds(5);
    }
}
