package dev.weft.smtp;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Cuts a client's octets into command lines, however they arrive. A line ends only at CRLF (RFC 5321 §2.3.8). A line that can't
 * be used is reported once, at the CRLF that ends it, so that the dialogue is in step again. While no line is begun, no buffer
 * is held; what is held never exceeds the limit.
 */
public final class LineReader {
    /** What came of a reading. */
    public enum Status {
        /** All octets are consumed and the line, if one is begun, has not ended. */
        MORE,
        /** A line is complete: fetch it with {@link LineReader#line()} or {@link LineReader#command()}. */
        LINE,
        /** A line longer than the limit has just ended. Its octets are gone. */
        TOO_LONG,
        /** A line with a CR or LF inside, not longer than the limit, has just ended. Its octets are gone. */
        BARE_LINE_END
    }

    private int limit;
    private byte[] held = Octets.NONE;
    private int heldLength;
    private byte[] line;

    private int length;
    private boolean afterCr;
    private boolean bareCr;
    private boolean bareLf;

    /**
     * Makes a reader that has read nothing.
     *
     * @param limit the octets that a line may have, with its CRLF
     * @throws IllegalArgumentException if the limit is less than 2
     */
    public LineReader(int limit) {
        limit(limit);
    }

    /**
     * Consumes octets up to the end of one line, or all.
     *
     * @param in what arrived; its position moves behind what was consumed
     * @return what came of it
     */
    public Status read(ByteBuffer in) {
        line = null;
        int end = in.limit();
        for (int i = in.position(); i < end; i++) {
            byte b = in.get(i);
            if (length <= limit) {
                length++;
            }
            if (b == Octets.LF) {
                if (afterCr) {
                    return finish(in, i + 1);
                }
                bareLf = true;
            } else {
                bareCr |= afterCr;
                afterCr = b == Octets.CR;
            }
        }
        hold(in, end);
        return Status.MORE;
    }

    private Status finish(ByteBuffer in, int end) {
        var status = length > limit ? Status.TOO_LONG : bareCr || bareLf ? Status.BARE_LINE_END : Status.LINE;
        if (status == Status.LINE) {
            int more = end - in.position();
            var all = heldLength == 0 ? new byte[more] : Arrays.copyOf(held, heldLength + more);
            in.get(all, heldLength, more);
            reset();
            line = all;
        } else {
            in.position(end);
            reset();
        }
        return status;
    }

    private void hold(ByteBuffer in, int end) {
        if (length > limit || bareCr || bareLf) {
            // Nobody will ask for this line.
            held = Octets.NONE;
            heldLength = 0;
            in.position(end);
            return;
        }
        int more = end - in.position();
        if (heldLength + more > held.length) {
            held = Arrays.copyOf(held, Math.max(heldLength + more, Math.min(limit, Math.max(128, heldLength * 2))));
        }
        in.get(held, heldLength, more);
        heldLength += more;
    }

    /**
     * Hands over the line that {@link Status#LINE} announced, and forgets it.
     *
     * @return its octets, CRLF at the end; the caller's own
     * @throws IllegalStateException if there is none, or if it was fetched already
     */
    public byte[] line() {
        if (line == null) {
            throw new IllegalStateException("no line is complete: call line() or command() once"
                    + " after each read() that returned LINE");
        }
        var complete = line;
        line = null;
        return complete;
    }

    /**
     * Hands over the line as a command, without another copy, and forgets it.
     *
     * @return the command
     * @throws IllegalStateException as {@link #line()}
     */
    public Command command() {
        return Command.owning(line());
    }

    /**
     * Whether the reader stands between lines.
     *
     * @return true if no part of a line was read
     */
    public boolean idle() {
        return length == 0;
    }

    /**
     * Whether the line that has not ended holds an LF without a CR: perhaps the client ends its lines so, and waits.
     *
     * @return true if it does
     */
    public boolean sawBareLineFeed() {
        return bareLf;
    }

    /**
     * The present limit.
     *
     * @return the octets that a line may have, with its CRLF
     */
    public int limit() {
        return limit;
    }

    /**
     * Sets the limit of the lines that follow: AUTH lines may have 12,288 octets (RFC 4954 §4).
     *
     * @param limit the octets that a line may have, with its CRLF
     * @throws IllegalArgumentException if the limit is less than 2
     * @throws IllegalStateException if a line is begun
     */
    public void limit(int limit) {
        if (limit < 2) {
            throw new IllegalArgumentException("line limit of " + limit + " octets: the CRLF alone has 2");
        }
        if (!idle()) {
            throw new IllegalStateException("a line is begun: set its limit before its first octet");
        }
        this.limit = limit;
    }

    /** Forgets what was read: for a new layer on the connection. */
    public void reset() {
        line = null;
        held = Octets.NONE;
        heldLength = 0;
        length = 0;
        afterCr = false;
        bareCr = false;
        bareLf = false;
    }
}
