package dev.weft.smtp;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Puts a message's transparency dots in (RFC 5321 §4.5.2) and makes its end: the opposite of {@link Unstuffing}. Lines end in
 * CRLF; after anything else a dot is one like others.
 */
public final class Stuffing {

    private static final byte[] END = {Octets.CR, Octets.LF, '.', Octets.CR, Octets.LF};

    private enum State { TEXT, CR, LINE_START }

    private State state = State.LINE_START;

    /** Stands at the beginning of a message. */
    public Stuffing() {}

    /**
     * Stuffs octets of a message.
     *
     * @param content read from position to limit, and consumed
     * @return the octets for the wire
     */
    public ByteBuffer write(ByteBuffer content) {
        int dots = 0;
        for (int dot = nextDot(content, content.position()); dot < content.limit(); dot = nextDot(content, dot + 1)) {
            dots++;
        }
        var wire = content.slice();
        if (dots > 0) {
            wire = ByteBuffer.allocate(content.remaining() + dots);
            int from = content.position();
            for (int dot = nextDot(content, from); dot < content.limit(); dot = nextDot(content, dot + 1)) {
                wire.put(content.slice(from, dot - from)).put((byte) '.');
                from = dot;
            }
            wire.put(content.slice(from, content.limit() - from)).flip();
        }
        state = stateBehind(content);
        content.position(content.limit());
        return wire;
    }

    /** The index of the next dot at the beginning of a line, from an index on; or the limit. */
    private int nextDot(ByteBuffer in, int from) {
        int start = in.position();
        int end = in.limit();
        int i = from;
        for (; i < Math.min(end, start + 2); i++) {
            if (in.get(i) == '.' && (i == start ? state == State.LINE_START : state == State.CR && in.get(start) == Octets.LF)) {
                return i;
            }
        }
        for (i = WordSearch.dotAtLineStart(in, i, end); i < end; i = WordSearch.dotAtLineStart(in, i + 1, end)) {
            if (in.get(i - 1) == Octets.LF && in.get(i - 2) == Octets.CR) {
                return i;
            }
        }
        return end;
    }

    private State stateBehind(ByteBuffer in) {
        int end = in.limit();
        if (!in.hasRemaining()) {
            return state;
        }
        if (in.get(end - 1) == Octets.CR) {
            return State.CR;
        }
        var cr = in.remaining() > 1 ? in.get(end - 2) == Octets.CR : state == State.CR;
        return in.get(end - 1) == Octets.LF && cr ? State.LINE_START : State.TEXT;
    }

    /**
     * The end of the message.
     *
     * @return the end-of-data marker, after a CRLF where the last line lacks its own
     */
    public byte[] end() {
        int from = state == State.LINE_START ? 2 : 0;
        return Arrays.copyOfRange(END, from, END.length);
    }
}
