package dev.weft.policy;

import dev.weft.smtp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads from a server's refusal whether it is about our pace or our address: a table whose first matching row counts.
 * Immutable; for any thread. A host adds rows of its own in front ({@link #withFirst}) or begins with an empty table ({@link
 * #of}).
 *
 * <p>Only 4xx and 5xx are looked at, and of their text the first {@value #LONGEST_TEXT} characters, all lines joined. The codes
 * alone say little: a 421 4.7.0 may be any of these things, so the words decide, and the default rows know the kinds of wording
 * in English that mail servers and large providers use.
 */
public final class ThrottleSigns {

    private static final int LONGEST_TEXT = 2000;

    private static final ThrottleSigns DEFAULTS = new ThrottleSigns(List.of(
            // Not what they look like: greylisting, lists of links and senders, and the end of one leg's allowance.
            ThrottleRule.of(ThrottleSign.NONE, "", "",
                    "greylist*", "graylist*", "grey listed", "gray listed", "grey listing", "gray listing"),
            ThrottleRule.of(ThrottleSign.NONE, "", "",
                    "surbl", "uribl", "dbl", "url ... listed", "url ... blocklist*", "link* ... blocklist*", "domain ... listed",
                    "domain ... blocklist*", "domain ... blacklist*"),
            ThrottleRule.of(ThrottleSign.NONE, "", "",
                    "messages ... this connection", "messages ... this session", "messages per connection",
                    "messages per session"),
            ThrottleRule.of(ThrottleSign.RATE_LIMITED, "4", "4.7.28"),
            ThrottleRule.of(ThrottleSign.RATE_LIMITED, "4", "",
                    "rate limit*", "ratelimit*", "connection rate", "rate ... exceed*", "unusual rate", "unusual traffic",
                    "unexpected volume", "excessive volume", "throttl*", "slow down", "too fast", "too frequent*",
                    "too much mail", "too many ... messages", "too many ... mails", "too many ... emails", "connections per",
                    "limit* ... per hour", "limit* ... per minute", "limit* ... per day", "hourly ... limit", "daily ... limit"),
            ThrottleRule.of(ThrottleSign.TOO_MANY_CONNECTIONS, "", "",
                    "too many ... connection*", "too many ... connects", "too many ... sessions", "concurrent ... connection*",
                    "simultaneous ... connection*", "parallel connection*", "connection limit", "connections limit",
                    "max* ... connections", "limit ... connections", "connection* ... exceed*", "exceed* ... connections"),
            ThrottleRule.of(ThrottleSign.SOURCE_BLOCKED, "", "",
                    "rbl", "dnsbl", "dnsrbl", "blocklist*", "block list", "block lists", "blacklist*", "black list",
                    "black listed", "denylist*", "blocked using", "spamhaus", "spamcop", "barracudacentral", "abusix",
                    "uceprotect*", "senderscore"),
            ThrottleRule.of(ThrottleSign.SOURCE_BLOCKED, "", "",
                    "poor ... reputation", "bad ... reputation", "low ... reputation", "ip ... reputation", "reputation ... ip",
                    "reputation ... address", "ip ... blocked", "ip ... banned", "ip ... listed", "ip ... denied",
                    "ips ... blocked", "host ... blocked", "client ... blocked", "network ... blocked", "blocked ... ip",
                    "banned ... ip", "blocked ... your network"),
            ThrottleRule.of(ThrottleSign.RATE_LIMITED, "5", "",
                    "rate limit*", "rate ... exceed*", "too many messages", "sending limit"),
            // The vaguest comes last: a closing reply that speaks of policy and of later.
            ThrottleRule.of(ThrottleSign.RATE_LIMITED, "421", "4.7", "try again later", "try later", "temporarily deferred")));

    private final List<ThrottleRule> rules;

    private ThrottleSigns(List<ThrottleRule> rules) {
        this.rules = List.copyOf(rules);
    }

    /**
     * The rows that come with Weft.
     *
     * @return the default table
     */
    public static ThrottleSigns defaults() {
        return DEFAULTS;
    }

    /**
     * A table of the host's own.
     *
     * @param rules the rows; the first that matches counts
     * @return the table
     */
    public static ThrottleSigns of(List<ThrottleRule> rules) {
        return new ThrottleSigns(rules);
    }

    /**
     * This table with rows before its own.
     *
     * @param first the rows that are asked first
     * @return the longer table
     */
    public ThrottleSigns withFirst(ThrottleRule... first) {
        var all = new ArrayList<>(List.of(first));
        all.addAll(rules);
        return new ThrottleSigns(all);
    }

    /**
     * What a reply says.
     *
     * @param reply from a server: a greeting, or the answer to any command
     * @return the sign of the first row that matches, or {@link ThrottleSign#NONE}
     */
    public ThrottleSign read(Reply reply) {
        return match(reply).map(ThrottleRule::sign).orElse(ThrottleSign.NONE);
    }

    /**
     * The row that decides about a reply, as evidence.
     *
     * @param reply from a server
     * @return the first row that matches
     */
    public Optional<ThrottleRule> match(Reply reply) {
        if (!reply.isTransient() && !reply.isPermanent()) {
            return Optional.empty();
        }
        var text = reply.text();
        var words = WordPattern.wordsOf(text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text);
        return rules.stream().filter(rule -> rule.matches(reply, words)).findFirst();
    }
}
