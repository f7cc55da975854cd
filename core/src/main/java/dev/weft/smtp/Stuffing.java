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
        var before = state;
        for (int i = content.position(); i < content.limit(); i++) {
            byte b = content.get(i);
            if (b == '.' && state == State.LINE_START) {
                dots++;
            }
            state = next(state, b);
        }
        if (dots == 0) {
            var same = content.slice();
            content.position(content.limit());
            return same;
        }
        var wire = ByteBuffer.allocate(content.remaining() + dots);
        state = before;
        while (content.hasRemaining()) {
            byte b = content.get();
            if (b == '.' && state == State.LINE_START) {
                wire.put(b);
            }
            wire.put(b);
            state = next(state, b);
        }
        return wire.flip();
    }

    private static State next(State state, byte b) {
        return b == Octets.CR ? State.CR : b == Octets.LF && state == State.CR ? State.LINE_START : State.TEXT;
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
