package dev.weft.session;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The time limits of a session. The defaults start from RFC 5321 §4.5.3.2; clients have the same limits, so what a client waits
 * for before the first reply has one budget that ends before a patient client gives up.
 *
 * @param connect to open the TCP connection; 30 s
 * @param greeting to the server's complete greeting; 5 min
 * @param budget for all that the client waits through before the greeting, or for a fresh server leg; 270 s
 * @param command for a server's reply to any command but those below; 5 min
 * @param handshake for STARTTLS and the TLS handshake behind it, on either leg; 60 s
 * @param data for the server's reply to DATA; 2 min
 * @param block without progress while a message is sent or a peer does not read; 3 min
 * @param endOfData for the server's reply after end-of-data; 15 min, to outlast the client's 10
 * @param idle for the client's next command; 5 min
 * @param quit for the server's reply to QUIT; 10 s
 */
public record Timeouts(
        Duration connect,
        Duration greeting,
        Duration budget,
        Duration command,
        Duration handshake,
        Duration data,
        Duration block,
        Duration endOfData,
        Duration idle,
        Duration quit) {

    /** The defaults. */
    public static final Timeouts DEFAULT = new Timeouts(
            Duration.ofSeconds(30),
            Duration.ofMinutes(5),
            Duration.ofSeconds(270),
            Duration.ofMinutes(5),
            Duration.ofSeconds(60),
            Duration.ofMinutes(2),
            Duration.ofMinutes(3),
            Duration.ofMinutes(15),
            Duration.ofMinutes(5),
            Duration.ofSeconds(10));

    /**
     * Checks that each limit is positive and at most a day.
     *
     * @param connect to open the TCP connection; 30 s
     * @param greeting to the server's complete greeting; 5 min
     * @param budget for all that the client waits through before the greeting, or for a fresh server leg; 270 s
     * @param command for a server's reply to any command but those below; 5 min
     * @param handshake for STARTTLS and the TLS handshake behind it, on either leg; 60 s
 * @param data for the server's reply to DATA; 2 min
     * @param block without progress while a message is sent or a peer does not read; 3 min
     * @param endOfData for the server's reply after end-of-data; 15 min, to outlast the client's 10
     * @param idle for the client's next command; 5 min
     * @param quit for the server's reply to QUIT; 10 s
     * @throws IllegalArgumentException if a limit is out of range
     */
    public Timeouts {
        check("connect", connect);
        check("greeting", greeting);
        check("budget", budget);
        check("command", command);
        check("handshake", handshake);
        check("data", data);
        check("block", block);
        check("end-of-data", endOfData);
        check("idle", idle);
        check("quit", quit);
    }

    /**
     * The limits by their names, as a command line or a panel shows them.
     *
     * @return an ordered copy
     */
    public Map<String, Duration> byName() {
        var map = new LinkedHashMap<String, Duration>();
        map.put("connect", connect);
        map.put("greeting", greeting);
        map.put("budget", budget);
        map.put("command", command);
        map.put("handshake", handshake);
        map.put("data", data);
        map.put("block", block);
        map.put("end-of-data", endOfData);
        map.put("idle", idle);
        map.put("quit", quit);
        return map;
    }

    /**
     * The same limits but for one.
     *
     * @param name one of the names in {@link #byName}, or {@code all} for every limit
     * @param limit its new value
     * @return the changed copy
     * @throws IllegalArgumentException if there is no limit of that name, or the value is not positive or beyond a day
     */
    public Timeouts with(String name, Duration limit) {
        var map = byName();
        if (name.equals("all")) {
            map.replaceAll((key, value) -> limit);
        } else if (map.replace(name, limit) == null) {
            throw new IllegalArgumentException("no time limit is named \"" + name + "\": use one of all, "
                    + String.join(", ", map.keySet()));
        }
        return new Timeouts(
                map.get("connect"), map.get("greeting"), map.get("budget"), map.get("command"), map.get("handshake"),
                map.get("data"), map.get("block"), map.get("end-of-data"), map.get("idle"), map.get("quit"));
    }

    private static void check(String name, Duration limit) {
        Objects.requireNonNull(limit, name);
        if (limit.isNegative() || limit.isZero() || limit.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("time limit " + name + " = " + limit + ": give more than zero and at most a day");
        }
    }
}
