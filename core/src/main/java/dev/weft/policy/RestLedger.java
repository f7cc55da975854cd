package dev.weft.policy;

import dev.weft.intercept.Network;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Which addresses rest at which destinations, and until when. */
final class RestLedger {

    static final String RECORD = "rest";
    /** A destination that refuses an address again right after its rest is asked less and less often. */
    private static final int MOST_TIMES = 16;
    private static final int LONGEST_REASON = 300;
    /** The longest rest there is: 16 times one of 30 days. */
    private static final Duration LONGEST_KEPT = Duration.ofDays(480);
    /** How long a host may let an address rest. */
    static final Duration LONGEST = Duration.ofDays(365);

    private final InstantSource time;
    private final Bounded<Place, Rest> rests;

    private record Place(InetAddress address, String destination) {}

    private static final class Rest {
        long until;
        long length;
        String reason = "";

        /** A clock that was set back makes no rest longer than it was meant to be. */
        long until(long now) {
            until = Math.min(until, now + length);
            return until;
        }
    }

    RestLedger(InstantSource time, int most) {
        this.time = time;
        rests = new Bounded<>(most);
    }

    /**
     * Lets an address rest that was refused. A refusal during the rest changes nothing: it belongs to a session that had begun
     * before.
     */
    void refused(InetAddress address, String destination, Duration first, String reason) {
        long now = time.millis();
        rests.update(place(address, destination), Rest::new, rest -> {
            if (now >= rest.until(now)) {
                boolean again = rest.length > 0 && now - rest.until < rest.length;
                rest.length = again ? Math.min(2 * rest.length, MOST_TIMES * first.toMillis()) : first.toMillis();
                rest.until = now + rest.length;
                rest.reason = Keys.shortened(reason, LONGEST_REASON);
            }
            return null;
        });
    }

    void rest(InetAddress address, String destination, Duration length, String reason) {
        long now = time.millis();
        rests.update(place(address, destination), Rest::new, rest -> {
            rest.length = length.toMillis();
            rest.until = now + rest.length;
            rest.reason = Keys.shortened(reason, LONGEST_REASON);
            return null;
        });
    }

    void wake(InetAddress address, String destination) {
        rests.remove(place(address, destination));
    }

    Optional<Instant> until(InetAddress address, String destination) {
        long now = time.millis();
        return rests.read(place(address, destination), rest -> rest.until(now))
                .filter(until -> until > now)
                .map(Instant::ofEpochMilli);
    }

    List<RestingSource> all() {
        long now = time.millis();
        var all = new ArrayList<RestingSource>();
        rests.forEach((place, rest) -> {
            if (rest.until(now) > now) {
                all.add(new RestingSource(place.address, place.destination, Instant.ofEpochMilli(rest.until), rest.reason));
            }
        });
        return List.copyOf(all);
    }

    void save(Consumer<List<String>> out) {
        long now = time.millis();
        var records = new ArrayList<List<String>>();
        rests.forEach((place, rest) -> {
            if (now - rest.until(now) < rest.length) {
                records.add(List.of(RECORD, place.address.getHostAddress(), place.destination, Long.toString(rest.until),
                        Long.toString(rest.length), rest.reason));
            }
        });
        records.forEach(out);
    }

    void load(List<String> fields) {
        var address = Network.parse(fields.get(1)).address();
        long until = Long.parseLong(fields.get(3));
        long length = Long.parseLong(fields.get(4));
        var reason = fields.get(5);
        if (length < 1 || length > LONGEST_KEPT.toMillis() || until < 0 || until - time.millis() > length) {
            throw new IllegalArgumentException("the rest ends later than it can");
        }
        rests.update(place(address, fields.get(2)), Rest::new, rest -> {
            rest.until = until;
            rest.length = length;
            rest.reason = Keys.shortened(reason, LONGEST_REASON);
            return null;
        });
    }

    private static Place place(InetAddress address, String destination) {
        return new Place(address, Keys.bounded(destination));
    }
}
