package dev.weft.smtp;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Cuts a server's octets into replies, however they arrive (RFC 5321 §4.2). A line is a code, then its end or a blank, a tab or a
 * {@code -}; it ends at CRLF, or at a bare LF, which is tolerated and left as it is. A {@code -} means that more lines follow.
 * The codes of one reply may differ. While nothing is begun, no buffer is held.
 */
public final class ReplyReader {
    /** What came of a reading. */
    public enum Status {
        /** All octets are consumed and the reply, if one is begun, is not complete. */
        MORE,
        /** A reply is complete: fetch it with {@link ReplyReader#reply()}. Octets behind it are not consumed. */
        REPLY,
        /** A line has no code where one is due. It stays so until {@link ReplyReader#reset()}. */
        MALFORMED,
        /** A line or the reply exceeds its limit. It stays so until {@link ReplyReader#reset()}. */
        TOO_LONG
    }

    private static final int OFFENDING_KEPT = 1024;

    private final int lineLimit;
    private final int replyLimit;

    private byte[] held = Octets.NONE;
    private int heldLength;
    private Reply reply;
    private Status failure;

    // Where in the reply the next octet stands. Kept apart from the octets, so that no cut matters.
    private int replyLength;
    private int lineLength;
    private boolean codeValid = true;
    private byte separator;
    private byte previous;

    /**
     * Makes a reader that has read nothing.
     *
     * @param lineLimit the octets that a line may have, with its end
     * @param replyLimit the octets that a reply may have
     * @throws IllegalArgumentException if a limit is not positive
     */
    public ReplyReader(int lineLimit, int replyLimit) {
        if (lineLimit < 1 || replyLimit < 1) {
            throw new IllegalArgumentException("limits of " + lineLimit + " and " + replyLimit
                    + " octets: both must be positive");
        }
        this.lineLimit = lineLimit;
        this.replyLimit = replyLimit;
    }

    /**
     * Consumes octets up to the end of one reply, or all.
     *
     * @param in what arrived; its position moves behind what was consumed
     * @return what came of it
     */
    public Status read(ByteBuffer in) {
        reply = null;
        if (failure != null) {
            return failure;
        }
        int start = in.position();
        int limit = in.limit();
        for (int i = start; i < limit; i++) {
            byte b = in.get(i);
            lineLength++;
            replyLength++;
            if (lineLength > lineLimit || replyLength > replyLimit) {
                return fail(Status.TOO_LONG, in, i + 1);
            }
            if (b != Octets.LF) {
                take(b);
                continue;
            }
            if (!lineIsValid()) {
                return fail(Status.MALFORMED, in, i + 1);
            }
            boolean last = separator != '-' || contentLength() == 3;
            startLine();
            if (last) {
                reply = Reply.owning(collect(in, i + 1));
                reset(reply);
                return Status.REPLY;
            }
        }
        hold(in, limit);
        return Status.MORE;
    }

    private void take(byte b) {
        switch (lineLength) {
            case 1 -> codeValid = b >= '1' && b <= '5';
            case 2, 3 -> codeValid &= Octets.isDigit(b);
            case 4 -> separator = b;
            default -> { }
        }
        previous = b;
    }

    /** Without the line end whose LF was counted last. */
    private int contentLength() {
        return lineLength - 1 - (lineLength > 1 && previous == Octets.CR ? 1 : 0);
    }

    private boolean lineIsValid() {
        int length = contentLength();
        return codeValid && (length == 3 || length > 3 && (Octets.isBlank(separator) || separator == '-'));
    }

    private void startLine() {
        lineLength = 0;
        previous = 0;
    }

    private byte[] collect(ByteBuffer in, int end) {
        int more = end - in.position();
        var all = heldLength == 0 ? new byte[more] : Arrays.copyOf(held, heldLength + more);
        in.get(all, heldLength, more);
        return all;
    }

    private void hold(ByteBuffer in, int end) {
        int more = end - in.position();
        if (more == 0) {
            return;
        }
        if (heldLength + more > held.length) {
            held = Arrays.copyOf(held, Math.max(heldLength + more, Math.min(replyLimit, Math.max(128, heldLength * 2))));
        }
        in.get(held, heldLength, more);
        heldLength += more;
    }

    private Status fail(Status status, ByteBuffer in, int end) {
        int lineStart = status == Status.MALFORMED ? replyLength - lineLength : 0;
        var all = collect(in, end);
        held = Arrays.copyOfRange(all, lineStart, Math.min(all.length, lineStart + OFFENDING_KEPT));
        heldLength = held.length;
        failure = status;
        return status;
    }

    /**
     * Hands over the reply that {@link Status#REPLY} announced, and forgets it.
     *
     * @return the reply
     * @throws IllegalStateException if there is none, or if it was fetched already
     */
    public Reply reply() {
        if (reply == null) {
            throw new IllegalStateException("no reply is complete: call reply() once after each read() that returned REPLY");
        }
        var complete = reply;
        reply = null;
        return complete;
    }

    /**
     * What was wrong, for records.
     *
     * @return the first 1,024 octets at most: of the line if it was malformed, of the reply if it was too long
     * @throws IllegalStateException if nothing was wrong
     */
    public byte[] offending() {
        if (failure == null) {
            throw new IllegalStateException("nothing offends: call offending() only after MALFORMED or TOO_LONG");
        }
        return Arrays.copyOf(held, heldLength);
    }

    /**
     * Whether the reader stands between replies.
     *
     * @return true if no part of a reply is held
     */
    public boolean idle() {
        return replyLength == 0;
    }

    /** Forgets what was read: for a new connection, or for a new layer on an old one. */
    public void reset() {
        reset(null);
    }

    private void reset(Reply complete) {
        reply = complete;
        failure = null;
        held = Octets.NONE;
        heldLength = 0;
        replyLength = 0;
        startLine();
    }
}
