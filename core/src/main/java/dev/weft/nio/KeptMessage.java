package dev.weft.nio;

import dev.weft.session.MessageStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One held message: pieces in memory, or a file. Its methods are called on its session's loop, but {@link #open} on any thread;
 * the file is touched by workers, one order after the other, and by those who read what was sealed.
 */
final class KeptMessage implements MessageStore.Kept {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);
    private static final int SMALL_PIECE = 4 * 1024;
    private static final int PIECE = 16 * 1024;
    /** With so much handed to the workers, the session is to wait; with more of it, as long as there is memory for all. */
    private static final int BACKLOG = 32 * 1024;
    private static final int BACKLOG_IN_MEMORY = 256 * 1024;
    /** What is read of a file at one time while it is sent, as long as there is memory for all. */
    private static final int READ_AHEAD = 256 * 1024;

    private final MessageSpool spool;
    private final AtomicInteger backlog = new AtomicInteger();
    /** What is in memory, each piece with its content before its position; null once it was handed to the workers. */
    private List<ByteBuffer> pieces = new ArrayList<>(2);
    private int inMemory;
    private CompletableFuture<Void> orders = DONE;
    /** Failed, where an octet was not taken. */
    private CompletableFuture<Void> refused;
    private long size;
    private volatile FileChannel file;
    private volatile boolean discarded;
    /** What was read last of the file. */
    private CompletableFuture<Block> ahead;
    private int reservedAhead;
    private long readTo;

    /** A part of the file. */
    private record Block(long from, ByteBuffer octets) {
        boolean holds(long at) {
            return at >= from && at < from + octets.remaining();
        }

        ByteBuffer part(long at, int most) {
            int skipped = (int) (at - from);
            return octets.slice(skipped, Math.min(most, octets.remaining() - skipped));
        }
    }

    KeptMessage(MessageSpool spool) {
        this.spool = spool;
    }

    @Override
    public CompletionStage<?> append(ByteBuffer content) {
        int octets = content.remaining();
        if (!spool.reserveStorage(octets)) {
            refused = CompletableFuture.failedFuture(new IOException("the room for all held messages is used up"));
            return refused;
        }
        size += octets;
        if (pieces != null && size <= spool.memoryEach() && keepInMemory(content)) {
            return DONE;
        }
        if (pieces != null) {
            spill();
        }
        int left = content.remaining();
        var copy = ByteBuffer.allocate(left).put(content).flip();
        var reserved = spool.reserveMemory(left);
        backlog.addAndGet(left);
        order(() -> writeAll(copy), () -> {
            backlog.addAndGet(-left);
            spool.memory.addAndGet(reserved ? -left : 0);
        });
        return orders.isCompletedExceptionally() || backlog.get() > (reserved ? BACKLOG_IN_MEMORY : BACKLOG) ? orders : DONE;
    }

    private boolean keepInMemory(ByteBuffer content) {
        while (content.hasRemaining()) {
            var last = pieces.isEmpty() ? null : pieces.get(pieces.size() - 1);
            if (last == null || !last.hasRemaining()) {
                int room = Math.max(pieces.isEmpty() ? SMALL_PIECE : PIECE, Math.min(content.remaining(), PIECE));
                if (!spool.reserveMemory(room)) {
                    return false;
                }
                inMemory += room;
                last = ByteBuffer.allocate(room);
                pieces.add(last);
            }
            int part = Math.min(last.remaining(), content.remaining());
            last.put(content.slice().limit(part));
            content.position(content.position() + part);
        }
        return true;
    }

    /** Moves what is in memory to a file. */
    private void spill() {
        var spilt = pieces;
        int octets = inMemory;
        pieces = null;
        inMemory = 0;
        order(() -> {
            file = spool.createFile();
            for (var piece : spilt) {
                writeAll(piece.duplicate().flip());
            }
        }, () -> spool.memory.addAndGet(-octets));
    }

    private interface FileWork {
        void run() throws IOException;
    }

    /**
     * Lets the workers do something, after all that was ordered before.
     *
     * @param behind what is done behind it, also where it failed or was not done because something before it had
     */
    private void order(FileWork work, Runnable behind) {
        orders = orders.thenRunAsync(() -> {
            try {
                work.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, spool.files()).whenComplete((done, failure) -> behind.run());
    }

    private void writeAll(ByteBuffer octets) throws IOException {
        while (octets.hasRemaining()) {
            file.write(octets);
        }
    }

    @Override
    public CompletionStage<?> seal() {
        return refused != null ? refused : orders;
    }

    @Override
    public CompletionStage<ByteBuffer> read(long from, int most) {
        if (pieces != null) {
            return CompletableFuture.completedFuture(fromMemory(from, most));
        }
        if (from >= size) {
            return CompletableFuture.completedFuture(ByteBuffer.allocate(0));
        }
        if (ahead == null || !ahead.isDone() || ahead.isCompletedExceptionally() || !ahead.join().holds(from)) {
            ahead = readAhead(from, most);
        }
        readTo = Math.min(size, from + most);
        return ahead.thenApply(block -> block.part(from, most));
    }

    /** More than is wanted now only behind a part that was read before: a message that waits for its verdict needs no buffer. */
    private CompletableFuture<Block> readAhead(long from, int most) {
        if (reservedAhead == 0 && from == readTo && from > 0 && size - from > most && spool.reserveMemory(READ_AHEAD)) {
            reservedAhead = READ_AHEAD;
        }
        int octets = (int) Math.min(Math.max(most, reservedAhead), size - from);
        return CompletableFuture.supplyAsync(() -> {
            var piece = ByteBuffer.allocate(octets);
            try {
                fill(piece, from);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new Block(from, piece.flip().asReadOnlyBuffer());
        }, spool.files());
    }

    private void fill(ByteBuffer piece, long from) throws IOException {
        while (piece.hasRemaining()) {
            if (file.read(piece, from + piece.position()) < 0) {
                throw new IOException("the file of a held message is shorter than what was written");
            }
        }
    }

    private ByteBuffer fromMemory(long from, int most) {
        long left = from;
        for (var piece : pieces) {
            if (left < piece.position()) {
                var part = piece.asReadOnlyBuffer().flip().position((int) left);
                return part.limit(Math.min(part.limit(), part.position() + most)).slice();
            }
            left -= piece.position();
        }
        return ByteBuffer.allocate(0);
    }

    @Override
    public InputStream open() {
        var inMemoryNow = pieces;
        return new InputStream() {
            private long at;

            @Override
            public int read() throws IOException {
                var one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                if (discarded) {
                    throw new IOException("the message is no longer kept: its verdict was given, or came too late");
                }
                int octets = (int) Math.min(length, size - at);
                if (octets <= 0) {
                    return length == 0 ? 0 : -1;
                }
                if (inMemoryNow == null) {
                    fill(ByteBuffer.wrap(into, offset, octets).slice(), at);
                } else {
                    var part = fromMemory(at, octets);
                    octets = part.remaining();
                    part.get(into, offset, octets);
                }
                at += octets;
                return octets;
            }

            @Override
            public long skip(long octets) {
                long skipped = Math.max(0, Math.min(octets, size - at));
                at += skipped;
                return skipped;
            }
        };
    }

    @Override
    public void discard() {
        if (discarded) {
            return;
        }
        discarded = true;
        spool.storage.addAndGet(-size);
        spool.memory.addAndGet(-inMemory - reservedAhead);
        ahead = null;
        if (pieces == null) {
            orders.whenCompleteAsync((done, failure) -> close(), spool.files());
        }
    }

    private void close() {
        var open = file;
        if (open != null) {
            spool.openFiles.decrementAndGet();
            try {
                open.close();
            } catch (IOException e) {
                // it is unlinked: its room comes back all the same
            }
        }
    }
}
