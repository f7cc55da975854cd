package dev.weft.session;

import java.time.Duration;
import java.util.Objects;

/**
 * What holds for sessions that are bound on mail.
 *
 * @param helloName the proxy's own name, in its greeting, and in its EHLO where the route has no other
 * @param idle how long a client may be silent, all its silences together, while its transaction holds a leased leg, up to a day;
 *        60 s, and half a second for each recipient. Then the leg is given up, and what the client sends next in the transaction
 *        gets a 451
 * @param leastRate octets a second that a client must reach on average while it sends a message, in whatever chunks, so that a
 *        slow one does not sit on a leg that others wait for; 1,024
 * @param rateGrace how long it may be slower before that counts, up to a day; 60 s
 */
public record OnMailSettings(String helloName, Duration idle, int leastRate, Duration rateGrace) {

    /** The defaults, with a name that only suits a test. */
    public static final OnMailSettings DEFAULT = new OnMailSettings("localhost", Duration.ofSeconds(60), 1024, Duration.ofSeconds(60));

    /**
     * Checks the name and the limits.
     *
     * @param helloName the proxy's own name
     * @param idle how long a client may be silent while its transaction holds a leased leg
     * @param leastRate octets a second that a client must reach on average while it sends a message; 0 for any
     * @param rateGrace how long it may be slower before that counts
     * @throws IllegalArgumentException if the name can't stand in an EHLO command, or a limit is out of range
     */
    public OnMailSettings {
        Objects.requireNonNull(helloName, "helloName");
        if (helloName.isEmpty() || helloName.length() > 255 || helloName.chars().anyMatch(c -> c <= ' ' || c >= 0x7f)) {
            throw new IllegalArgumentException("helloName \"" + helloName.replaceAll("[^\\x20-\\x7e]", "?")
                    + "\": give a domain such as mx1.example.com or an address literal such as [192.0.2.1]");
        }
        if (idle.isNegative() || idle.isZero() || idle.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("idle = " + idle + ": give more than nothing and at most a day");
        }
        if (leastRate < 0) {
            throw new IllegalArgumentException("least rate = " + leastRate + ": give octets a second, or 0 for any");
        }
        if (rateGrace.isNegative() || rateGrace.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("rate grace = " + rateGrace + ": give at most a day");
        }
    }

    /**
     * The same settings with another name.
     *
     * @param name a domain or address literal
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public OnMailSettings withHelloName(String name) {
        return new OnMailSettings(name, idle, leastRate, rateGrace);
    }

    /**
     * The same settings with another patience with silent clients.
     *
     * @param limit how long a client may be silent while its transaction holds a leased leg
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public OnMailSettings withIdle(Duration limit) {
        return new OnMailSettings(helloName, limit, leastRate, rateGrace);
    }

    /**
     * The same settings with another least rate.
     *
     * @param octetsPerSecond the least rate, 0 for any
     * @param grace how long a client may be slower
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of its range
     */
    public OnMailSettings withLeastRate(int octetsPerSecond, Duration grace) {
        return new OnMailSettings(helloName, idle, octetsPerSecond, grace);
    }
}
