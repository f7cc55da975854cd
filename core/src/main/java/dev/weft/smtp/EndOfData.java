package dev.weft.smtp;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Finds the end of a message behind DATA, CRLF.CRLF (RFC 5321 §4.1.1.4), and whatever else a lax receiver could take for it. The
 * octets are left where they are: the scanner only says how many of them may go on. How they are cut into buffers makes no
 * difference.
 *
 * <p>A look-alike of the end works only if the octet that completes it arrives, so that octet never leaves: it is the one at
 * {@code position() + passed()} after {@link Status#REFUSED}. The one octet that can't be judged before the next is the CR in
 * CRLF.CR; it is withheld when a buffer ends there ({@link #releasesCr()}).
 *
 * <p>Every end and every look-alike contains a dot behind a CR or an LF. So it is such dots that are searched, eight octets at a
 * time.
 */
public final class EndOfData {
    /** What came of a scan. */
    public enum Status {
        /** The message goes on in the next buffer. */
        MORE,
        /** The message ends with the last of the octets that may go on; behind them stands the next command. */
        END,
        /** The octet behind those that may go on must not leave. */
        REFUSED
    }

    /** The octets just seen, as far as they matter. */
    private enum State {
        /** Inside a line. */
        TEXT,
        /** Behind a CR, whose LF may follow. */
        CR,
        /** Behind CRLF, or at the very beginning: the CRLF of the DATA command counts. */
        CRLF,
        /** Behind an LF without a CR. */
        BARE_LF,
        /** Behind CRLF and a dot. */
        CRLF_DOT,
        /** Behind a bare CR or a bare LF and a dot. */
        BARE_DOT,
        /** Behind CRLF, a dot and a CR. */
        CRLF_DOT_CR;

        boolean holdsDot() {
            return ordinal() >= CRLF_DOT.ordinal();
        }
    }

    private final BareLineEnds mode;
    private State state;
    private Status status = Status.MORE;
    private int passed;
    private boolean releasesCr;

    /**
     * Makes a scanner that stands at the beginning of a message.
     *
     * @param mode what is refused
     */
    public EndOfData(BareLineEnds mode) {
        this(mode, State.CRLF);
    }

    private EndOfData(BareLineEnds mode, State state) {
        this.mode = Objects.requireNonNull(mode, "mode");
        this.state = state;
    }

    /**
     * Looks at what arrived.
     *
     * @param in the octets from its position to its limit, neither of which is moved
     * @return what came of it; {@link #passed()} and {@link #releasesCr()} belong to it
     * @throws IllegalStateException if the message has ended or was refused already
     */
    public Status scan(ByteBuffer in) {
        if (status != Status.MORE) {
            throw new IllegalStateException("this message is over (" + status
                    + "): make a new scanner for the next, or go on with "
                    + "draining() after REFUSED");
        }
        int start = in.position();
        int end = in.limit();
        boolean withheld = state == State.CRLF_DOT_CR && mode != BareLineEnds.PASS;
        releasesCr = false;
        int i = start;
        while (i < end) {
            int next = skip(in, start, i, end);
            if (next > i) {
                i = next;
                continue;
            }
            byte b = in.get(i);
            if (isRefused(b)) {
                status = Status.REFUSED;
                passed = i - start;
                if (state == State.CRLF_DOT_CR && passed > 0) {
                    // It is the CR that completed this look-alike. It goes back to the caller, if it is still there.
                    passed--;
                    state = State.CRLF_DOT;
                }
                return status;
            }
            i++;
            if (state == State.CRLF_DOT_CR && b == Octets.LF) {
                status = Status.END;
                passed = i - start;
                releasesCr = withheld;
                return status;
            }
            state = next(b);
        }
        boolean withhold = state == State.CRLF_DOT_CR && mode != BareLineEnds.PASS && end > start;
        passed = end - start - (withhold ? 1 : 0);
        return status;
    }

    /** Jumps over what can't matter and sets the state to what holds there; returns i if the octet there must be looked at. */
    private int skip(ByteBuffer in, int start, int i, int end) {
        if (mode == BareLineEnds.REFUSE) {
            return state == State.TEXT ? WordSearch.lineEnd(in, i, end) : i;
        }
        // A dot is judged by the two octets before it, which must be in this buffer.
        if (state.holdsDot() || i < start + 2) {
            return i;
        }
        int dot = WordSearch.dotAtLineStart(in, i, end);
        if (dot > i) {
            state = stateBehind(in.get(dot - 2), in.get(dot - 1));
        }
        return dot;
    }

    private static State stateBehind(byte last2, byte last) {
        if (last == Octets.CR) {
            return State.CR;
        }
        if (last == Octets.LF) {
            return last2 == Octets.CR ? State.CRLF : State.BARE_LF;
        }
        return State.TEXT;
    }

    private boolean isRefused(byte b) {
        return switch (mode) {
            case PASS -> false;
            case GUARD -> switch (state) {
                case BARE_DOT -> b == Octets.CR || b == Octets.LF;
                case CRLF_DOT -> b == Octets.LF;
                case CRLF_DOT_CR -> b != Octets.LF;
                default -> false;
            };
            case REFUSE -> switch (state) {
                case CR, CRLF_DOT_CR -> b != Octets.LF;
                default -> b == Octets.LF;
            };
        };
    }

    private State next(byte b) {
        return switch (b) {
            case Octets.CR -> state == State.CRLF_DOT ? State.CRLF_DOT_CR : State.CR;
            case Octets.LF -> state == State.CR ? State.CRLF : State.BARE_LF;
            case '.' -> switch (state) {
                case CRLF -> State.CRLF_DOT;
                case CR, BARE_LF, CRLF_DOT_CR -> State.BARE_DOT;
                default -> State.TEXT;
            };
            default -> State.TEXT;
        };
    }

    /**
     * How many octets of the last buffer, from its position on, may go on now.
     *
     * @return with {@link Status#END} the final CRLF is among them
     */
    public int passed() {
        return passed;
    }

    /**
     * Whether the CR that was withheld from an earlier buffer goes out now, before the octets of the last one.
     *
     * @return true if it does
     */
    public boolean releasesCr() {
        return releasesCr;
    }

    /**
     * A scanner for the rest of a message that is not to go on, to find its true end. It refuses nothing and takes up
     * exactly here: after {@link Status#REFUSED} the next octet that it must be given is the one at
     * {@code position() + passed()}, else the first of the next buffer.
     *
     * @return a new scanner
     * @throws IllegalStateException if the message has ended
     */
    public EndOfData draining() {
        if (status == Status.END) {
            throw new IllegalStateException("the message has ended: there is nothing to drain");
        }
        return new EndOfData(BareLineEnds.PASS, state);
    }
}
