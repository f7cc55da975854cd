package dev.weft.smtp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** One field of a message's header (RFC 5322 §2.2), octet for octet with its folding and its last CRLF. Immutable. */
public final class Header {

    /** The longest line without its CRLF (RFC 5322 §2.1.1). */
    private static final int LONGEST_LINE = 998;

    private final byte[] bytes;
    private final int nameEnd;

    private Header(byte[] bytes, int nameEnd) {
        this.bytes = bytes;
        this.nameEnd = nameEnd;
    }

    /** Without a copy: a whole field, as {@link Headers} found it. */
    static Header owning(byte[] field) {
        return new Header(field, nameEnd(field, 0, field.length));
    }

    /**
     * Makes a field, for hosts.
     *
     * @param name printable ASCII without a colon
     * @param lines the value, sent as UTF-8; further lines are folded: one that does not begin with a blank gets a tab
     * @return the field
     * @throws IllegalArgumentException if there is no line, if name or lines hold a CR, LF or NUL or what can't be encoded, if a
     *         line is longer than 998 octets, or if a folded line is blank
     */
    public static Header of(String name, String... lines) {
        checkName(name);
        if (lines.length == 0) {
            throw new IllegalArgumentException("header " + name + " has no value: give one, perhaps an empty text");
        }
        var out = new ByteArrayOutputStream(80);
        for (int i = 0; i < lines.length; i++) {
            checkText(name, lines[i]);
            var line = (i == 0 ? name + ": " : lines[i].startsWith(" ") || lines[i].startsWith("\t") ? "" : "\t") + lines[i];
            if (i > 0 && line.isBlank()) {
                throw new IllegalArgumentException("header " + name + " has a blank line at index " + i
                        + ": some readers take it for the end of the header; leave it out (RFC 5322 §3.2.2)");
            }
            var octets = Octets.encode(line, StandardCharsets.UTF_8);
            if (octets.length > LONGEST_LINE) {
                throw new IllegalArgumentException("header " + name + " has a line of " + octets.length + " octets at index " + i
                        + ": fold it by giving several lines of at most " + LONGEST_LINE + " (RFC 5322 §2.1.1)");
            }
            out.writeBytes(octets);
            out.write(Octets.CR);
            out.write(Octets.LF);
        }
        return new Header(out.toByteArray(), name.length());
    }

    static void checkName(String name) {
        boolean legal = !name.isEmpty();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            legal &= c > ' ' && c < 0x7f && c != ':';
        }
        if (!legal) {
            throw new IllegalArgumentException("\"" + Octets.escape(name)
                    + "\" is no header name: use printable ASCII without blanks and colons (RFC 5322 §3.6.8)");
        }
    }

    private static void checkText(String name, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\r' || c == '\n' || c == 0) {
                throw new IllegalArgumentException("header " + name + ": \"" + Octets.escape(text)
                        + "\" holds a CR, LF or NUL at index " + i
                        + ": take it out, or give the lines of a folded value one by one");
            }
        }
    }

    /**
     * Where the name of the field that begins at from ends; -1 if no field begins there. Blanks before the colon are obsolete,
     * but legal to read.
     */
    static int nameEnd(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && bytes[i] > ' ' && bytes[i] < 0x7f && bytes[i] != ':') {
            i++;
        }
        int colon = Octets.skipBlanks(bytes, i, end);
        return i > from && colon < end && bytes[colon] == ':' ? i : -1;
    }

    /**
     * The field's name.
     *
     * @return as written
     */
    public String name() {
        return new String(bytes, 0, nameEnd, StandardCharsets.US_ASCII);
    }

    /**
     * Whether this is the field of a name.
     *
     * @param name in any case
     * @return true if it is
     */
    public boolean is(String name) {
        return name.length() == nameEnd && Octets.equalsIgnoreCase(bytes, 0, nameEnd, name.toUpperCase(Locale.ROOT));
    }

    /**
     * The value, for viewing: unfolded (RFC 5322 §2.2.3), without the blanks around it.
     *
     * @return decoded as UTF-8 if it is that, else as ISO-8859-1; encoded words stay as they are
     */
    public String value() {
        int colon = Octets.skipBlanks(bytes, nameEnd, bytes.length);
        return Octets.decode(bytes, colon + 1, bytes.length).replace("\r\n", "").strip();
    }

    /**
     * The octets for the wire.
     *
     * @return a copy, CRLF at the end
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * The number of octets.
     *
     * @return with folding and the last CRLF
     */
    public int length() {
        return bytes.length;
    }

    /** Without a copy, for this package. */
    byte[] raw() {
        return bytes;
    }

    /**
     * Two fields are equal if all their octets are.
     *
     * @param other anything
     * @return whether it is the same field
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof Header header && Arrays.equals(bytes, header.bytes);
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
     * For logs.
     *
     * @return one printable line
     */
    @Override
    public String toString() {
        return Octets.escape(name() + ": " + value());
    }
}
