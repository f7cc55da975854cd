package dev.weft.policy;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

/**
 * How often something may happen. What was not used is saved up to {@code burst}: in any stretch of {@code per} there can be
 * at most {@code count + burst}, and {@code count} in the long run.
 *
 * @param count how often, 1 or more
 * @param per in which time, 1 ms to 365 days
 * @param burst how often at one moment, 1 or more
 */
public record Rate(int count, Duration per, int burst) {

    private static final Pattern TEXT = Pattern.compile("([0-9]{1,9})/([smhd])");
    private static final Duration LONGEST = Duration.ofDays(365);

    /**
     * Checks the figures.
     *
     * @param count how often, 1 or more
     * @param per in which time, 1 ms to 365 days
     * @param burst how often at one moment, 1 or more
     * @throws IllegalArgumentException if one is out of its range, or it would take more than 365 days to save up the burst
     */
    public Rate {
        if (count < 1 || burst < 1) {
            throw new IllegalArgumentException("rate " + count + " in " + per + ", burst " + burst
                    + ": count and burst are 1 or more");
        }
        if (per.compareTo(Duration.ofMillis(1)) < 0 || per.compareTo(LONGEST) > 0 || count > per.toNanos()) {
            throw new IllegalArgumentException("rate " + count + " in " + per + ": give a time from 1 ms to 365 days,"
                    + " not shorter than 1 ns for each");
        }
        if ((double) per.toNanos() / count * burst > LONGEST.toNanos()) {
            throw new IllegalArgumentException("rate " + count + " in " + per + ", burst " + burst
                    + ": such a burst takes more than 365 days to save up; give a smaller one");
        }
    }

    /**
     * A rate whose burst is its count.
     *
     * @param count how often, 1 or more
     * @param per in which time
     * @return the rate
     * @throws IllegalArgumentException as the constructor
     */
    public static Rate of(int count, Duration per) {
        return new Rate(count, per, count);
    }

    /**
     * Reads a rate.
     *
     * @param text a number, a slash, and one of {@code s}, {@code m}, {@code h}, {@code d}: {@code 100/h}
     * @return the rate, whose burst is its count
     * @throws IllegalArgumentException if the text is anything else, or a figure out of its range
     */
    public static Rate parse(String text) {
        var matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("rate \"" + StateLines.escape(text)
                    + "\": write a number and a unit, s, m, h or d, such as 100/h");
        }
        var unit = switch (matcher.group(2)) {
            case "s" -> ChronoUnit.SECONDS;
            case "m" -> ChronoUnit.MINUTES;
            case "h" -> ChronoUnit.HOURS;
            default -> ChronoUnit.DAYS;
        };
        return of(Integer.parseInt(matcher.group(1)), Duration.of(1, unit));
    }

    /**
     * The same rate with another burst.
     *
     * @param other how often at one moment
     * @return the changed copy
     * @throws IllegalArgumentException as the constructor
     */
    public Rate withBurst(int other) {
        return new Rate(count, per, other);
    }

    /** The time that saves up one. */
    long interval() {
        return per.toNanos() / count;
    }
}
