package dev.weft.examples.bench.experiments;

import java.util.OptionalLong;

/**
 * The long queue ids of Postfix ({@code enable_long_queue_ids}) tell when the file was made, finer than its log does: the seconds
 * in six digits or more, the microseconds in four, a {@code z}, and the number of the file.
 */
final class QueueId {

    /** No vowels, so that no id is a word. */
    private static final String DIGITS = "0123456789BCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz";
    private static final int MICROSECOND_DIGITS = 4;
    private static final int LEAST_SECOND_DIGITS = 6;
    private static final int MOST_SECOND_DIGITS = 8;

    private QueueId() {}

    /** The microseconds since 1970; nothing if this is no long queue id. */
    static OptionalLong micros(String id) {
        int end = id.lastIndexOf('z');
        int seconds = end - MICROSECOND_DIGITS;
        if (seconds < LEAST_SECOND_DIGITS || seconds > MOST_SECOND_DIGITS || end == id.length() - 1) {
            return OptionalLong.empty();
        }
        long whole = number(id.substring(0, seconds));
        long part = number(id.substring(seconds, end));
        return whole < 0 || part < 0 || part > 999_999 ? OptionalLong.empty() : OptionalLong.of(whole * 1_000_000 + part);
    }

    /** Negative if it is no number. */
    private static long number(String text) {
        long number = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = DIGITS.indexOf(text.charAt(i));
            if (digit < 0) {
                return -1;
            }
            number = number * DIGITS.length() + digit;
        }
        return number;
    }
}
