package dev.weft.smtp;

import java.util.Optional;

/**
 * One parameter of MAIL or RCPT, raw: nothing is unescaped, nothing is known about its meaning (RFC 5321 §4.1.2).
 *
 * @param keyword as written, in any case
 * @param value what follows the first {@code =}; empty if there is none
 */
public record Parameter(String keyword, Optional<String> value) {

    /**
     * Checks that the parameter is one word.
     *
     * @param keyword what stands before the {@code =}
     * @param value what stands behind it
     * @throws IllegalArgumentException if the keyword is empty or holds a {@code =}, or if either part holds a blank or a control
     *         character
     */
    public Parameter {
        // A keyword that begins with "=" is how a stray "=x" from the wire is kept.
        if (keyword.isEmpty() || keyword.indexOf('=', 1) > 0 && keyword.charAt(0) != '=') {
            throw new IllegalArgumentException("parameter keyword \"" + Octets.escape(keyword)
                    + "\" is empty or holds a \"=\": give keyword and value apart");
        }
        refuseBlanks(keyword);
        value.ifPresent(Parameter::refuseBlanks);
    }

    private static void refuseBlanks(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == ' ' || Octets.isAsciiControl(text.charAt(i))) {
                throw new IllegalArgumentException("\"" + Octets.escape(text)
                        + "\" holds a blank or a control character: encode it as xtext (RFC 3461 §4)");
            }
        }
    }

    /**
     * Makes a parameter with a value.
     *
     * @param keyword such as {@code SIZE}
     * @param value such as {@code 1000}
     * @return the parameter
     * @throws IllegalArgumentException as the constructor does
     */
    public static Parameter of(String keyword, String value) {
        return new Parameter(keyword, Optional.of(value));
    }

    /**
     * Makes a parameter that is a keyword alone.
     *
     * @param keyword such as {@code SMTPUTF8}
     * @return the parameter
     * @throws IllegalArgumentException as the constructor does
     */
    public static Parameter of(String keyword) {
        return new Parameter(keyword, Optional.empty());
    }

    static Parameter parse(String word) {
        int equals = word.indexOf('=');
        return equals <= 0 ? of(word) : of(word.substring(0, equals), word.substring(equals + 1));
    }

    /**
     * The parameter as it stands on the wire.
     *
     * @return {@code keyword} or {@code keyword=value}
     */
    public String text() {
        return value.map(v -> keyword + "=" + v).orElse(keyword);
    }

    /**
     * The same as {@link #text()}.
     *
     * @return {@code keyword} or {@code keyword=value}
     */
    @Override
    public String toString() {
        return text();
    }
}
