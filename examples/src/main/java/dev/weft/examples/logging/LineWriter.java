package dev.weft.examples.logging;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Writes lines by one thread of its own. Whoever offers a line never waits: what does not fit into the bounded queue is
 * dropped, and a line says how many were. Lines are made by the writing thread too, so that an event loop pays for neither the
 * text nor the disk.
 */
public final class LineWriter {

    private static final int MOST_LINES = 16_384;
    private static final long MOST_BYTES = 32L << 20;
    private static final int BATCH = 512;

    /** A line still to be made; {@code line} is null for a mark that only counts {@code passed} down. */
    private record Pending(Supplier<String> line, int bytes, CountDownLatch passed) {}

    private final BlockingQueue<Pending> queue = new ArrayBlockingQueue<>(MOST_LINES);
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final OutputStream out;
    private final LongFunction<String> droppedLine;
    private final Consumer<IOException> onFailure;
    private final Thread thread;
    private volatile boolean closed;
    private boolean torn;
    private boolean failing;

    /**
     * Starts the thread.
     *
     * @param name the thread's name
     * @param out where the lines go; closed by nobody
     * @param droppedLine makes the line, with its line end, that tells how many were dropped
     * @param onFailure told when writing begins to fail; the lines count as dropped, and the next ones are tried again
     */
    public LineWriter(String name, OutputStream out, LongFunction<String> droppedLine, Consumer<IOException> onFailure) {
        this.out = out;
        this.droppedLine = droppedLine;
        this.onFailure = onFailure;
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Hands over a line; never blocks. After the end it is dropped.
     *
     * @param line makes the line, with its line end, on the writing thread
     * @param bytes about how much memory it keeps until then
     */
    public void offer(Supplier<String> line, int bytes) {
        if (closed) {
            dropped.incrementAndGet();
        } else if (queuedBytes.addAndGet(bytes) > MOST_BYTES || !queue.offer(new Pending(line, bytes, null))) {
            queuedBytes.addAndGet(-bytes);
            dropped.incrementAndGet();
        }
    }

    /**
     * How many lines were dropped since the last line that said so.
     *
     * @return the number
     */
    public long dropped() {
        return dropped.get();
    }

    /**
     * Waits until what was offered so far is written.
     *
     * @param limit how long to wait at most
     */
    public void flush(Duration limit) {
        var passed = new CountDownLatch(1);
        try {
            long millis = limit.toMillis();
            if (queue.offer(new Pending(null, 0, passed), millis, TimeUnit.MILLISECONDS)) {
                passed.await(millis, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Takes no more lines, writes what is waiting, and ends the thread.
     *
     * @param limit how long to wait at most
     */
    public void close(Duration limit) {
        closed = true;
        flush(limit);
        thread.interrupt();
    }

    private void run() {
        var batch = new ArrayList<Pending>(BATCH);
        try {
            while (true) {
                batch.add(queue.take());
                queue.drainTo(batch, BATCH - 1);
                write(batch);
                batch.clear();
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private void write(List<Pending> batch) {
        var bytes = new ByteArrayOutputStream(8192);
        if (torn) {
            bytes.write('\n');
        }
        long lost = dropped.getAndSet(0);
        if (lost > 0) {
            append(bytes, droppedLine.apply(lost));
        }
        int lines = 0;
        for (var pending : batch) {
            queuedBytes.addAndGet(-pending.bytes());
            if (pending.line() != null) {
                lines++;
                append(bytes, made(pending.line()));
            }
        }
        try {
            bytes.writeTo(out);
            out.flush();
            torn = false;
            failing = false;
        } catch (IOException e) {
            dropped.addAndGet(lost + lines);
            torn = true; // a part may have been written
            if (!failing) {
                failing = true;
                onFailure.accept(e);
            }
        }
        batch.forEach(pending -> {
            if (pending.passed() != null) {
                pending.passed().countDown();
            }
        });
    }

    /** A line that can't be made must not end the thread. */
    private String made(Supplier<String> line) {
        try {
            return line.get();
        } catch (RuntimeException e) {
            dropped.incrementAndGet();
            return "";
        }
    }

    private static void append(ByteArrayOutputStream bytes, String line) {
        bytes.writeBytes(line.getBytes(StandardCharsets.UTF_8));
    }
}
