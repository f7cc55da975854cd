package dev.weft.smtp;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** What all parsers of this package ask of single octets and of text for people. */
final class Octets {
    static final byte CR = '\r';
    static final byte LF = '\n';
    static final byte[] NONE = {};

    private Octets() {
    }

    static boolean isBlank(int c) {
        return c == ' ' || c == '\t';
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /** A control character of ASCII. Works for a sign-extended byte too: one of 8 bits is none. */
    static boolean isAsciiControl(int c) {
        return c >= 0 && c < 0x20 || c == 0x7f;
    }

    /** Whatever some reader of the text could take for the end of a line, or that has no business in a log. */
    static boolean isControl(int c) {
        return isAsciiControl(c) || c >= 0x80 && c < 0xa0 || c == 0x2028 || c == 0x2029;
    }

    static int skipBlanks(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && isBlank(bytes[i])) {
            i++;
        }
        return i;
    }

    static int skipToBlank(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && !isBlank(bytes[i])) {
            i++;
        }
        return i;
    }

    static int trimEnd(byte[] bytes, int from, int end) {
        int i = end;
        while (i > from && isBlank(bytes[i - 1])) {
            i--;
        }
        return i;
    }

    static boolean equalsIgnoreCase(byte[] bytes, int from, int end, String upper) {
        if (end - from != upper.length()) {
            return false;
        }
        for (int i = from; i < end; i++) {
            if (upperCase(bytes[i]) != upper.charAt(i - from)) {
                return false;
            }
        }
        return true;
    }

    static int upperCase(int c) {
        return c >= 'a' && c <= 'z' ? c - 0x20 : c;
    }

    /** UTF-8 where the octets are that, else ISO-8859-1, which loses none of them. */
    static Charset charset(byte[] bytes, int from, int end) {
        for (int i = from; i < end; i++) {
            if (bytes[i] < 0) {
                return isUtf8(bytes, from, end) ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
            }
        }
        return StandardCharsets.UTF_8;
    }

    private static boolean isUtf8(byte[] bytes, int from, int end) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, end - from));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    static String decode(byte[] bytes, int from, int end) {
        return new String(bytes, from, end - from, charset(bytes, from, end));
    }

    /** Never a {@code ?} in place of what can't be encoded. */
    static byte[] encode(String text, Charset charset) {
        try {
            var encoded = charset.newEncoder().encode(CharBuffer.wrap(text));
            var bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("\"" + escape(text) + "\" cannot be encoded in " + charset
                    + ": take out what is no character (an unpaired surrogate, for one)", e);
        }
    }

    /** One printable line, whatever the text holds: for logs and for messages of exceptions. */
    static String escape(CharSequence text) {
        var out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\r') {
                out.append("\\r");
            } else if (c == '\n') {
                out.append("\\n");
            } else if (c == '\t') {
                out.append("\\t");
            } else if (isControl(c) || Character.isSurrogate(c) && !isPaired(text, i)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    private static boolean isPaired(CharSequence text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }

    /** For text of a host that goes on the wire. */
    static void refuseControls(String what, String text, String mend) {
        for (int i = 0; i < text.length(); i++) {
            if (isControl(text.charAt(i))) {
                throw new IllegalArgumentException(
                        what + " \"" + escape(text) + "\" holds a control character at index " + i + ": " + mend);
            }
        }
    }
}
