package dev.weft.examples.bench.experiments;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Does the same to several hosts at once. */
final class Parallel {

    private Parallel() {}

    /** What is done to each. */
    interface Task<T> {
        void run(T object) throws IOException;
    }

    /** Returns when all are done; throws what one of them threw. */
    static <T> void run(Collection<T> objects, Task<? super T> task) throws IOException {
        var all = objects.stream().map(object -> CompletableFuture.runAsync(() -> {
            try {
                task.run(object);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, each -> new Thread(each, "experiment").start())).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(all).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException io) {
                throw io.getCause();
            }
            if (e.getCause() instanceof RuntimeException runtime) {
                throw runtime;
            }
            throw e;
        }
    }
}
