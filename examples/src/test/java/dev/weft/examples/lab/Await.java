package dev.weft.examples.lab;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what other processes bring about, by asking again until a deadline. */
final class Await {
    private Await() {
    }

    static void until(String what, Duration limit, BooleanSupplier condition) {
        until(what, limit, condition, () -> "");
    }

    /** Throws an error that names what did not happen, with the given evidence, once the limit has passed. */
    static void until(String what, Duration limit, BooleanSupplier condition, Supplier<String> evidence) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + limit.toSeconds() + " s: " + what + "\n" + evidence.get());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(25));
        }
    }
}
