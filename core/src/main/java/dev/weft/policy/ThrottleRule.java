package dev.weft.policy;

import dev.weft.smtp.Reply;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * One row of the table {@link ThrottleSigns}: what a reply looks like, and what that says. All conditions of a row must hold.
 * Immutable.
 */
public final class ThrottleRule {

    private static final Pattern CODES = Pattern.compile("|[45]|[45][0-9]|[45][0-9]{2}");
    private static final Pattern ENHANCED = Pattern.compile("|[45*](\\.[0-9]{1,3}){0,2}");

    private final ThrottleSign sign;
    private final String codes;
    private final String enhanced;
    private final List<WordPattern> phrases;

    private ThrottleRule(ThrottleSign sign, String codes, String enhanced, List<WordPattern> phrases) {
        this.sign = sign;
        this.codes = codes;
        this.enhanced = enhanced;
        this.phrases = phrases;
    }

    /**
     * A row. A phrase is one or more words that follow each other in the reply's text, in any case and with any punctuation
     * between them; a word that ends in {@code *} stands for all that begin so, and {@code ...} for up to eight words, or none.
     * Matching takes time in proportion to the text's length, whatever the phrase.
     *
     * @param sign what such a reply says; {@link ThrottleSign#NONE} for an exception from rows further down
     * @param codes the digits that the code begins with, such as {@code 421} or {@code 4}; empty for any
     * @param enhanced the numbers that the enhanced code begins with, such as {@code 4.7.28}, {@code 4.7} or, for both classes,
     *        {@code *.7}; empty for any and for none
     * @param phrases of which one must be in the text, such as {@code too many ... connect*}; none for any text
     * @return the row
     * @throws IllegalArgumentException if a condition can't be read, or there is none at all
     */
    public static ThrottleRule of(ThrottleSign sign, String codes, String enhanced, String... phrases) {
        Objects.requireNonNull(sign, "sign");
        if (!CODES.matcher(codes).matches()) {
            throw new IllegalArgumentException("codes \"" + codes
                    + "\": give the first digits of a 4xx or 5xx, such as 421 or 4, or \"\"");
        }
        if (!ENHANCED.matcher(enhanced).matches()) {
            throw new IllegalArgumentException("enhanced code \"" + enhanced
                    + "\": give its first numbers, such as 4.7.28, 4.7 or *.7, or \"\"");
        }
        if (codes.isEmpty() && enhanced.isEmpty() && phrases.length == 0) {
            throw new IllegalArgumentException("a rule for " + sign
                    + " without a condition would match every refusal: give a code or a phrase");
        }
        return new ThrottleRule(sign, codes, enhanced, Arrays.stream(phrases).map(WordPattern::of).toList());
    }

    /**
     * What a reply that matches says.
     *
     * @return the sign
     */
    public ThrottleSign sign() {
        return sign;
    }

    boolean matches(Reply reply, List<String> words) {
        return String.valueOf(reply.code()).startsWith(codes)
                && (enhanced.isEmpty() || reply.enhancedCode().filter(code -> begins(code.toString())).isPresent())
                && (phrases.isEmpty() || phrases.stream().anyMatch(phrase -> phrase.isIn(words)));
    }

    private boolean begins(String code) {
        var wanted = enhanced.startsWith("*") ? code.charAt(0) + enhanced.substring(1) : enhanced;
        return (code + ".").startsWith(wanted + ".");
    }

    /**
     * For logs, as evidence.
     *
     * @return the conditions and what they say
     */
    @Override
    public String toString() {
        return (codes.isEmpty() ? "any code" : codes) + (enhanced.isEmpty() ? "" : " " + enhanced)
                + (phrases.isEmpty() ? "" : " with one of " + phrases) + ": " + sign;
    }
}
