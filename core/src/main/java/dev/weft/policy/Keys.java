package dev.weft.policy;

import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Tenant;
import dev.weft.relay.Transaction;
import dev.weft.smtp.Path;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** The texts by which parts count, of bounded length, and the times that they are set by. */
final class Keys {

    /** More than any address or name that mail is delivered to (RFC 5321 §4.5.3.1.3: 256 octets). */
    private static final int LONGEST = 320;

    private Keys() {}

    /** A key that a peer had a hand in, cut where it is too long to be kept many times. */
    static String bounded(String key) {
        return key.length() <= LONGEST ? key : key.substring(0, LONGEST - 9) + "~" + Integer.toHexString(key.hashCode());
    }

    /** The beginning of a text that is only shown. */
    static String shortened(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most);
    }

    /** The name that the route gives, or the server's address and port. */
    static String destination(Route route) {
        return route.destination().orElseGet(() -> text(route.server()));
    }

    /** The tenant that the route names, or the client. */
    static String tenant(RelaySession session, Optional<Route> route) {
        return route.flatMap(Route::tenant).orElseGet(() -> Tenant.of(session.client().getAddress())).name();
    }

    /** Where a session's present transaction goes, or else the session. */
    static Optional<Route> route(RelaySession session) {
        return session.transaction().flatMap(Transaction::route).or(session::route);
    }

    static String text(InetSocketAddress address) {
        var host = address.getAddress().getHostAddress();
        return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** In lower case: nobody gets a second account by writing their name differently. */
    static String sender(Path sender) {
        var address = sender instanceof Path.Mailbox mailbox ? mailbox.address() : sender.text();
        return bounded(address.toLowerCase(Locale.ROOT));
    }

    static Optional<String> domain(Path sender) {
        return sender instanceof Path.Mailbox mailbox && !mailbox.domain().isEmpty()
                ? Optional.of(mailbox.domain().toLowerCase(Locale.ROOT))
                : Optional.empty();
    }

    /** Such as {@code 90 s}, {@code 15 min}, {@code 2 h}, {@code 3 d}; parts of a second count as a whole one. */
    static String words(Duration duration) {
        long seconds = duration.toSeconds() + (duration.getNano() > 0 ? 1 : 0);
        if (seconds >= 2 * 86_400 && seconds % 86_400 == 0) {
            return seconds / 86_400 + " d";
        }
        if (seconds >= 3_600 && seconds % 3_600 == 0) {
            return seconds / 3_600 + " h";
        }
        return seconds >= 120 && seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
    }

    /** Checks a time where a host sets it: one that a long can't hold in nanoseconds would fail on event loops later. */
    static Duration between(String what, Duration time, Duration least, Duration most) {
        if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
            throw new IllegalArgumentException(what + " " + time + ": give " + words(least) + " to " + words(most));
        }
        return time;
    }

    static long nanos(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
    }
}
