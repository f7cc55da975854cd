package dev.weft.smtp;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Takes the transparency dots of DATA away (RFC 5321 §4.5.2), and the end-of-data marker, so that what is left is the message
 * itself. It is given exactly the octets that {@link EndOfData} lets pass, and does not look for anything that it refuses. How
 * they are cut into buffers makes no difference to the octets that come out.
 */
public final class Unstuffing {

    private static final ByteBuffer LONE_CR = ByteBuffer.wrap(new byte[] {Octets.CR}).asReadOnlyBuffer();

    private enum State { TEXT, CR, LINE_START, DOT, DOT_CR }

    private State state = State.LINE_START;

    /** Stands at the beginning of a message. */
    public Unstuffing() {}

    /**
     * Reads octets of the wire.
     *
     * @param in read from position to limit, neither of which is moved
     * @param content gets the message's octets, in order, as read-only views of {@code in} that are valid during the call
     */
    public void read(ByteBuffer in, Consumer<ByteBuffer> content) {
        int from = in.position();
        int i = from;
        int end = in.limit();
        while (i < end) {
            byte b = in.get(i);
            switch (state) {
                case LINE_START -> {
                    if (b == '.') {
                        give(in, from, i, content);
                        from = i + 1;
                        state = State.DOT;
                    } else {
                        state = behind(b);
                    }
                }
                case DOT -> {
                    if (b == Octets.CR) {
                        give(in, from, i, content);
                        from = i + 1;
                        state = State.DOT_CR;
                    } else {
                        state = State.TEXT;
                    }
                }
                case DOT_CR -> {
                    if (b == Octets.LF) {
                        from = i + 1; // the end-of-data marker
                        state = State.LINE_START;
                    } else {
                        content.accept(LONE_CR.duplicate());
                        state = behind(b);
                    }
                }
                case CR -> state = b == Octets.LF ? State.LINE_START : behind(b);
                case TEXT -> {
                    if (i - from >= 2) {
                        int next = WordSearch.dotAtLineStart(in, i, end);
                        // The two octets before tell whether it is a CRLF that the dot stands behind.
                        if (next == end) {
                            state = stateBehind(in, end);
                            i = end;
                            continue;
                        }
                        if (next > i) {
                            state = stateBehind(in, next);
                            i = next;
                            continue;
                        }
                    }
                    state = behind(b);
                }
            }
            i++;
        }
        give(in, from, end, content);
    }

    private static State behind(byte b) {
        return b == Octets.CR ? State.CR : State.TEXT;
    }

    private static State stateBehind(ByteBuffer in, int index) {
        byte last = in.get(index - 1);
        if (last == Octets.CR) {
            return State.CR;
        }
        return last == Octets.LF && in.get(index - 2) == Octets.CR ? State.LINE_START : State.TEXT;
    }

    private static void give(ByteBuffer in, int from, int end, Consumer<ByteBuffer> content) {
        if (end > from) {
            content.accept(in.asReadOnlyBuffer().limit(end).position(from).slice());
        }
    }
}
