package dev.weft.examples.bench.experiments;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One attempt to deliver a message to a recipient, as Postfix logs it.
 *
 * @param queueId of the message
 * @param recipient its address
 * @param status as Postfix names it: sent, deferred, bounced …
 * @param reason what is behind it in parentheses
 */
record Delivery(String queueId, String recipient, String status, String reason) {

    /**
     * Queue ids have a digit, which "warning" has not. A reason may hold anything, and Postfix cuts long lines, so its closing
     * parenthesis may be missing.
     */
    private static final Pattern LINE = Pattern.compile(
            "^\\S.*? postfix/[\\w/-]+\\[\\d+\\]: (?=\\w*\\d)(\\w+): to=<([^>]*)>, .*?status=(\\w+) \\((.*?)\\)?$");

    /** Reads a line of the log; nothing if it tells of something else, or was cut before the reason. */
    static Optional<Delivery> of(String line) {
        var matcher = LINE.matcher(line);
        return matcher.matches()
                ? Optional.of(new Delivery(matcher.group(1), matcher.group(2), matcher.group(3), matcher.group(4)))
                : Optional.empty();
    }

    boolean sent() {
        return status.equals("sent");
    }

    /** Whether this is no attempt at all: the whole destination has been given a rest, for its refusals of other messages. */
    boolean suspended() {
        return reason.startsWith("delivery temporarily suspended");
    }

    /** Whether the receiver had too many connections. */
    boolean refusedForConnections() {
        return !suspended() && !sent() && reason.contains("too many connections");
    }
}
