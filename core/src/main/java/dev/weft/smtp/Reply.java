package dev.weft.smtp;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One complete reply of one or more lines (RFC 5321 §4.2). A received one is kept octet for octet; what it means is looked up
 * when asked for. Immutable.
 */
public final class Reply {
    private final byte[] bytes;
    private final int code;
    /** Looked up at the first question. Harmless when two threads do it at once: both find the same. */
    private List<String> lines;

    private Reply(byte[] bytes) {
        this.bytes = bytes;
        this.code = codeAt(bytes, lastLineStart(bytes));
    }

    /** Without a copy: the array must be one complete reply and belong to this object from now on. */
    static Reply owning(byte[] wire) {
        return new Reply(wire);
    }

    /**
     * Makes a reply with an enhanced code, which is repeated on each line (RFC 2034 §4).
     *
     * @param code 200 to 599
     * @param enhanced {@code class.subject.detail}; its class must be the code's first digit
     * @param lines the texts; none is the same as one empty text. What is not ASCII becomes {@code ?}
     * @return the reply
     * @throws IllegalArgumentException if a code is wrong, a text holds a control character, or a line is longer than 512 octets
     */
    public static Reply of(int code, String enhanced, String... lines) {
        var parsed = EnhancedCode.parse(enhanced).orElseThrow(() -> new IllegalArgumentException("\"" + Octets.escape(enhanced)
                + "\" is no enhanced code: write class.subject.detail, such as 5.7.1, or use Reply.plain"));
        if (parsed.classDigit() != code / 100) {
            throw new IllegalArgumentException("enhanced code " + parsed + " does not fit reply code " + code
                    + ": its first digit must be that of the code (RFC 2034 §4); codes of 3xx have none: use Reply.plain");
        }
        return ReplyWriter.write(code, parsed.toString(), lines);
    }

    /**
     * Makes a reply without an enhanced code.
     *
     * @param code 200 to 599
     * @param lines the texts; none is the same as one empty text. What is not ASCII becomes {@code ?}
     * @return the reply
     * @throws IllegalArgumentException if the code is wrong, a text holds a control character, or a line is longer than 512
     * octets
     */
    public static Reply plain(int code, String... lines) {
        return ReplyWriter.write(code, "", lines);
    }

    /**
     * Reads exactly one reply.
     *
     * @param wire all its octets
     * @return the reply
     * @throws IllegalArgumentException if they are anything else than one complete reply
     */
    public static Reply parse(byte[] wire) {
        var in = ByteBuffer.wrap(wire);
        int limit = Math.max(wire.length, 1);
        var reader = new ReplyReader(limit, limit);
        var status = reader.read(in);
        if (status != ReplyReader.Status.REPLY || in.hasRemaining()) {
            throw new IllegalArgumentException("\"" + Octets.escape(Octets.decode(wire, 0, wire.length))
                    + "\" is not exactly one complete reply: each line is a code, a blank or \"-\", a text and CRLF");
        }
        return reader.reply();
    }

    /**
     * The code that counts: that of the last line.
     *
     * @return 100 to 599
     */
    public int code() {
        return code;
    }

    /**
     * Whether the command succeeded.
     *
     * @return true for 2xx
     */
    public boolean isPositive() {
        return code / 100 == 2;
    }

    /**
     * Whether the server waits for more.
     *
     * @return true for 3xx
     */
    public boolean isIntermediate() {
        return code / 100 == 3;
    }

    /**
     * Whether the command failed for now.
     *
     * @return true for 4xx
     */
    public boolean isTransient() {
        return code / 100 == 4;
    }

    /**
     * Whether the command failed for good.
     *
     * @return true for 5xx
     */
    public boolean isPermanent() {
        return code / 100 == 5;
    }

    /**
     * Whether all lines have the same code, as RFC 5321 §4.2.1 demands.
     *
     * @return false for mixed codes
     */
    public boolean codesAgree() {
        for (int start = 0; start < bytes.length; start = lineEnd(bytes, start)) {
            if (codeAt(bytes, start) != code) {
                return false;
            }
        }
        return true;
    }

    /**
     * The enhanced code (RFC 2034 §4).
     *
     * @return that of the last line, else of the first line that has one
     */
    public Optional<EnhancedCode> enhancedCode() {
        var texts = lines();
        var last = enhancedCode(texts.get(texts.size() - 1));
        return last.isPresent() ? last : texts.stream().map(Reply::enhancedCode).flatMap(Optional::stream).findFirst();
    }

    private static Optional<EnhancedCode> enhancedCode(String line) {
        int end = 0;
        while (end < line.length() && !Octets.isBlank(line.charAt(end))) {
            end++;
        }
        return EnhancedCode.parse(line.substring(0, end));
    }

    /**
     * The texts of the lines.
     *
     * @return without code, separator and line end; decoded (UTF-8 where a line is that, else ISO-8859-1)
     */
    public List<String> lines() {
        var found = lines;
        if (found == null) {
            var texts = new ArrayList<String>();
            for (int start = 0; start < bytes.length; start = lineEnd(bytes, start)) {
                texts.add(Octets.decode(bytes, textStart(bytes, start), textEnd(bytes, start)));
            }
            found = List.copyOf(texts);
            lines = found;
        }
        return found;
    }

    /**
     * The octets for the wire.
     *
     * @return a copy, as received
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * The octets for the wire, without a copy.
     *
     * @return a new read-only view
     */
    public ByteBuffer asBuffer() {
        return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    /**
     * The number of octets.
     *
     * @return with all line ends
     */
    public int length() {
        return bytes.length;
    }

    /**
     * The reply as one line for logs. Control characters that the server sent are still in it; {@link #toString()} escapes them.
     *
     * @return the texts, joined by blanks
     */
    public String text() {
        return String.join(" ", lines());
    }

    /**
     * Whether a line ended in LF without a CR before it (RFC 5321 §2.3.8 forbids that).
     *
     * @return true if one did
     */
    public boolean bareLineFeeds() {
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == Octets.LF && bytes[i - 1] != Octets.CR) {
                return true;
            }
        }
        return false;
    }

    /** Without a copy, for this package. */
    byte[] raw() {
        return bytes;
    }

    private static int lastLineStart(byte[] wire) {
        int start = wire.length - 1;
        while (start > 0 && wire[start - 1] != Octets.LF) {
            start--;
        }
        return start;
    }

    private static int codeAt(byte[] wire, int start) {
        return (wire[start] - '0') * 100 + (wire[start + 1] - '0') * 10 + wire[start + 2] - '0';
    }

    /** Behind the LF of the line that begins at start. */
    static int lineEnd(byte[] wire, int start) {
        int i = start;
        while (wire[i] != Octets.LF) {
            i++;
        }
        return i + 1;
    }

    /** Where the text of the line that begins at start does. */
    static int textStart(byte[] wire, int start) {
        return Math.min(start + 4, textEnd(wire, start));
    }

    /** Before the line end of the line that begins at start. */
    static int textEnd(byte[] wire, int start) {
        int end = lineEnd(wire, start) - 1;
        return wire[end - 1] == Octets.CR ? end - 1 : end;
    }

    /**
     * Two replies are equal if all their octets are.
     *
     * @param other anything
     * @return whether it is the same reply
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof Reply reply && Arrays.equals(bytes, reply.bytes);
    }

    /**
     * By the octets.
     *
     * @return the hash code
     */
    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /**
     * For logs: the code and the texts, control characters escaped.
     *
     * @return one printable line
     */
    @Override
    public String toString() {
        return (code + " " + Octets.escape(text())).stripTrailing();
    }
}
