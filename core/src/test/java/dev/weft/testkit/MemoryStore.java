package dev.weft.testkit;

import dev.weft.relay.MessageBody;
import dev.weft.session.MessageStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Keeps messages in memory; can be full, or leave all its stages open. Counts what was not discarded. */
public final class MemoryStore implements MessageStore {

    /** Appends beyond so many octets fail. */
    public long capacity = Long.MAX_VALUE;
    /** Nothing completes any more. */
    public boolean stalled;
    /** Stages are complete at once, else only when the port runs its completions. */
    public boolean immediate = true;
    /** How many messages are kept. */
    public int kept;
    /** Answers that come later. */
    public final ArrayDeque<Runnable> answers = new ArrayDeque<>();

    /** Makes an empty store. */
    public MemoryStore() {}

    @Override
    public Kept keep() {
        kept++;
        return new Message();
    }

    @Override
    public Source read(MessageBody body) {
        return new Source() {
            private InputStream in;

            @Override
            public CompletionStage<ByteBuffer> next(int most) {
                try {
                    in = in == null ? body.open() : in;
                    return answer(ByteBuffer.wrap(in.readNBytes(most)));
                } catch (IOException | RuntimeException e) {
                    return CompletableFuture.failedFuture(e);
                }
            }

            @Override
            public void close() {}
        };
    }

    private <T> CompletionStage<T> answer(T value) {
        if (stalled) {
            return new CompletableFuture<>();
        }
        if (immediate) {
            return CompletableFuture.completedFuture(value);
        }
        var later = new CompletableFuture<T>();
        answers.add(() -> later.complete(value));
        return later;
    }

    private final class Message implements Kept {
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private boolean full;
        private boolean discarded;

        @Override
        public CompletionStage<?> append(ByteBuffer piece) {
            var octets = new byte[piece.remaining()];
            piece.get(octets);
            content.writeBytes(octets);
            full |= content.size() > capacity;
            return done();
        }

        @Override
        public CompletionStage<?> seal() {
            return done();
        }

        private CompletionStage<?> done() {
            return full ? CompletableFuture.failedFuture(new IOException("No space left on device")) : answer(null);
        }

        @Override
        public CompletionStage<ByteBuffer> read(long from, int most) {
            if (discarded) {
                throw new AssertionError("read after it was discarded");
            }
            var all = content.toByteArray();
            int end = (int) Math.min(all.length, from + most);
            return answer(ByteBuffer.wrap(Arrays.copyOfRange(all, (int) from, end)).asReadOnlyBuffer());
        }

        @Override
        public InputStream open() {
            return new ByteArrayInputStream(content.toByteArray());
        }

        @Override
        public void discard() {
            if (!discarded) {
                discarded = true;
                kept--;
            }
        }
    }
}
