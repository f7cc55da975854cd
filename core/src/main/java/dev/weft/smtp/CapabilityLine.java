package dev.weft.smtp;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One line of an answer to EHLO behind its code and separator. The octets are never changed after the making. */
record CapabilityLine(String keyword, byte[] bytes) {
    static final long NO_LIMIT = Long.MAX_VALUE;

    static CapabilityLine parse(byte[] bytes) {
        return new CapabilityLine(new String(bytes, 0, keywordEnd(bytes), StandardCharsets.US_ASCII)
                .toUpperCase(Locale.ROOT), bytes);
    }

    /** 0 for a line that begins with no keyword. The {@code =} of the old {@code AUTH=PLAIN} belongs to it: it is another one. */
    private static int keywordEnd(byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            int c = Octets.upperCase(bytes[i]);
            if (Octets.isBlank(c)) {
                return i;
            }
            if (c == '=' && i > 0) {
                return i + 1;
            }
            boolean alphanumeric = c >= 'A' && c <= 'Z' || Octets.isDigit(c);
            if (!alphanumeric && (i == 0 || c != '-' && c != '_')) {
                return 0;
            }
        }
        return bytes.length;
    }

    String parameter() {
        int from = Octets.skipBlanks(bytes, keywordEnd(bytes), bytes.length);
        return Octets.decode(bytes, from, Octets.trimEnd(bytes, from, bytes.length));
    }

    /** Of a SIZE line. Nothing, zero and what is no number set no limit (RFC 1870 §3). More digits than a long has are legal. */
    long size() {
        long size = 0;
        for (char c : parameter().toCharArray()) {
            if (!Octets.isDigit(c)) {
                return NO_LIMIT;
            }
            size = size > (NO_LIMIT - 9) / 10 ? NO_LIMIT : size * 10 + c - '0';
        }
        return size == 0 ? NO_LIMIT : size;
    }
}
