package dev.weft.smtp;

import java.util.Optional;

/**
 * An enhanced status code, {@code class.subject.detail} (RFC 3463 §2).
 *
 * @param classDigit 2 for success, 4 for a transient and 5 for a permanent failure
 * @param subject what it is about, 0 to 999
 * @param detail the precise condition, 0 to 999
 */
public record EnhancedCode(int classDigit, int subject, int detail) {

    /**
     * Checks the ranges.
     *
     * @param classDigit 2, 4 or 5
     * @param subject 0 to 999
     * @param detail 0 to 999
     * @throws IllegalArgumentException if a number is out of its range
     */
    public EnhancedCode {
        if (classDigit != 2 && classDigit != 4 && classDigit != 5 || subject < 0 || subject > 999 || detail < 0 || detail > 999) {
            throw new IllegalArgumentException("\"" + classDigit + "." + subject + "." + detail
                    + "\" is no enhanced code: the class is 2, 4 or 5, subject and detail are 0 to 999");
        }
    }

    /**
     * Reads a code that stands alone.
     *
     * @param text such as {@code 5.7.1}
     * @return the code, or empty if the text is anything else
     */
    public static Optional<EnhancedCode> parse(String text) {
        int length = text.length();
        if (length < 5 || length > 9 || text.charAt(1) != '.') {
            return Optional.empty();
        }
        int classDigit = text.charAt(0) - '0';
        int dot = text.indexOf('.', 2);
        int subject = dot < 0 ? -1 : number(text, 2, dot);
        int detail = dot < 0 ? -1 : number(text, dot + 1, length);
        boolean known = classDigit == 2 || classDigit == 4 || classDigit == 5;
        return known && subject >= 0 && detail >= 0
                ? Optional.of(new EnhancedCode(classDigit, subject, detail))
                : Optional.empty();
    }

    private static int number(String text, int from, int end) {
        if (end == from || end - from > 3) {
            return -1;
        }
        int number = 0;
        for (int i = from; i < end; i++) {
            if (!Octets.isDigit(text.charAt(i))) {
                return -1;
            }
            number = number * 10 + text.charAt(i) - '0';
        }
        return number;
    }

    /**
     * The code as it stands in a reply.
     *
     * @return such as {@code 5.7.1}
     */
    @Override
    public String toString() {
        return classDigit + "." + subject + "." + detail;
    }
}
