package dev.weft.tls.testkit;

import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsResult;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** One side of a {@link TlsPair}: drives its engine the way an event loop does. */
public final class TlsPeer {
    private final TlsEngine engine;
    private final Wire from;
    private final Wire to;
    private final ByteBuffer in = ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES);
    private final ByteBuffer out = ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES);
    private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
    private ByteBuffer plain = ByteBuffer.allocate(TlsEngine.BUFFER_BYTES);
    private ByteBuffer toSay = ByteBuffer.allocate(0);
    private TlsResult unwrapped;
    private TlsResult wrapped;
    private int tasks;

    TlsPeer(TlsEngine engine, Wire from, Wire to) {
        this.engine = engine;
        this.from = from;
        this.to = to;
    }

    /**
     * The engine.
     *
     * @return the one given
     */
    public TlsEngine engine() {
        return engine;
    }

    /**
     * Gives it something to say, which is sent at the next steps once the handshake is done.
     *
     * @param text in Latin-1
     */
    public void say(String text) {
        say(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /**
     * Gives it something to say, which is sent at the next steps once the handshake is done.
     *
     * @param bytes what to say, behind what is not yet said
     */
    public void say(byte[] bytes) {
        var all = ByteBuffer.allocate(toSay.remaining() + bytes.length);
        toSay = all.put(toSay).put(bytes).flip();
    }

    /**
     * What it has not been able to say so far.
     *
     * @return a number of bytes
     */
    public int unsaid() {
        return toSay.remaining();
    }

    /**
     * Lets it hear through a buffer of another size than that of a record.
     *
     * @param bytes the size
     */
    public void hearThrough(int bytes) {
        plain = ByteBuffer.allocate(bytes);
    }

    /**
     * What it heard since this was last asked.
     *
     * @return in Latin-1
     */
    public String takeHeard() {
        return new String(takeHeardBytes(), StandardCharsets.ISO_8859_1);
    }

    /**
     * What it heard since this was last asked.
     *
     * @return the bytes
     */
    public byte[] takeHeardBytes() {
        var bytes = heard.toByteArray();
        heard.reset();
        return bytes;
    }

    /**
     * The last result of unwrap.
     *
     * @return null before the first
     */
    public TlsResult unwrapped() {
        return unwrapped;
    }

    /**
     * The last result of wrap.
     *
     * @return null before the first
     */
    public TlsResult wrapped() {
        return wrapped;
    }

    /**
     * How many tasks it ran.
     *
     * @return a count
     */
    public int tasks() {
        return tasks;
    }

    /** Wraps what there is, takes some bytes in, and tells whether anything moved. */
    boolean step(int most) {
        boolean moved = wrapAll();
        var piece = from.take(Math.min(most, in.remaining()));
        in.put(piece);
        return moved | unwrapAll() | piece.length > 0;
    }

    private boolean wrapAll() {
        boolean moved = false;
        while (true) {
            wrapped = engine.wrap(toSay, out);
            out.flip();
            moved |= out.hasRemaining();
            var record = new byte[out.remaining()];
            out.get(record);
            to.put(record);
            out.clear();
            switch (wrapped) {
                case TASK -> runTask();
                case OUTPUT_FULL -> Expect.that(record.length > 0, "an empty buffer of BUFFER_BYTES is never too full");
                default -> {
                    return moved;
                }
            }
        }
    }

    private boolean unwrapAll() {
        boolean moved = false;
        while (true) {
            in.flip();
            unwrapped = engine.unwrap(in, plain);
            in.compact();
            plain.flip();
            moved |= plain.hasRemaining();
            boolean emptied = plain.hasRemaining();
            var bytes = new byte[plain.remaining()];
            plain.get(bytes);
            heard.writeBytes(bytes);
            plain.clear();
            switch (unwrapped) {
                case TASK -> runTask();
                case OUTPUT_FULL -> {
                    if (!emptied) {
                        return moved; // the buffer is smaller than this engine can use: nothing is lost
                    }
                }
                case OK -> throw new AssertionError("unwrap must not return OK");
                default -> {
                    return moved;
                }
            }
        }
    }

    private void runTask() {
        var task = engine.task();
        Expect.that(task.isPresent(), "a task is there after a result of TASK");
        task.get().run();
        tasks++;
    }

    @Override
    public String toString() {
        return "unwrap " + unwrapped + ", wrap " + wrapped + ", " + engine.failure().map(Object::toString).orElse("no failure");
    }
}
