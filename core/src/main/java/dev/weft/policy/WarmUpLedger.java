package dev.weft.policy;

import dev.weft.intercept.Network;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What each address that is warmed up has sent today, and on how many days before. */
final class WarmUpLedger {

    static final String RECORD = "warm-up";
    private static final long DAY_MILLIS = 86_400_000;

    private final InstantSource time;
    private final Bounded<InetAddress, Days> addresses;

    private static final class Days {
        int day;
        long date = Long.MIN_VALUE;
        int sent;
        int allowance;

        /**
         * A clock that was set back does not begin another day. Where it was days ahead, today goes on with what was sent:
         * else the address would wait for that day to come again.
         */
        void turnTo(long today) {
            if (today > date) {
                day += 2L * sent >= allowance ? 1 : 0; // the first one's allowance is 0 before it
                date = today;
                sent = 0;
            } else if (today < date - 1) {
                date = today;
            }
        }
    }

    WarmUpLedger(InstantSource time, int most) {
        this.time = time;
        addresses = new Bounded<>(most);
    }

    /** Whether one more message may leave from an address today; counts it if it is to be taken. */
    boolean allows(SourceAddress source, boolean take) {
        if (source.warmUp().isEmpty()) {
            return true;
        }
        var plan = source.warmUp().get();
        long today = Math.floorDiv(time.millis(), DAY_MILLIS);
        return addresses.update(source.address(), Days::new, days -> {
            days.turnTo(today);
            days.allowance = plan.allowance(days.day);
            if (days.sent >= days.allowance) {
                return false;
            }
            days.sent += take ? 1 : 0;
            return true;
        });
    }

    List<WarmingSource> all() {
        var all = new ArrayList<WarmingSource>();
        addresses.forEach((address, days) -> all.add(new WarmingSource(address, days.day, days.sent, days.allowance)));
        return List.copyOf(all);
    }

    void save(Consumer<List<String>> out) {
        var records = new ArrayList<List<String>>();
        addresses.forEach((address, days) -> records.add(List.of(RECORD, address.getHostAddress(), Integer.toString(days.day),
                Long.toString(days.date), Integer.toString(days.sent), Integer.toString(days.allowance))));
        records.forEach(out);
    }

    void load(List<String> fields) {
        var address = Network.parse(fields.get(1)).address();
        int day = Integer.parseInt(fields.get(2));
        long date = Long.parseLong(fields.get(3));
        int sent = Integer.parseInt(fields.get(4));
        int allowance = Integer.parseInt(fields.get(5));
        // A date far ahead would stop the warm-up for ever.
        if (day < 1 || sent < 0 || allowance < 1 || date > Math.floorDiv(time.millis(), DAY_MILLIS) + 1) {
            throw new IllegalArgumentException("a figure is out of its range");
        }
        addresses.update(address, Days::new, days -> {
            days.day = day;
            days.date = date;
            days.sent = sent;
            days.allowance = allowance;
            return null;
        });
    }
}
