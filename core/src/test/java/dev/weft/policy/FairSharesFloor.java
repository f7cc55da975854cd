package dev.weft.policy;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Shows that no order of turns keeps all shares within an error, be it made with all knowledge of what comes: for one leg, and
 * tenants that wait all the time, each with leases of one length.
 *
 * <p>Suppose an order that goes on for ever and that never leaves anybody out for good. Look at its stretches of so many leases
 * in a row, for each number: how many can be one tenant's? At first anything from none to all. That is narrowed by what must
 * hold for each stretch:
 * <ul>
 * <li>if it counts, each share in it is within the error;
 * <li>it is a shorter stretch and another one;
 * <li>it is what a longer stretch has more than a stretch next to it;
 * <li>what is not one tenant's is the others'.
 * </ul>
 * Once nothing is left that a tenant can have of stretches of some number, there is no such order. (If something is left there
 * may be one or not.)
 *
 * <p>A stretch counts if each tenant has 20 leases in it. Very long ones do. And if those of a number count, and each tenant must
 * have 21 leases or more in them to be within the error, then those of one lease less count as well.
 */
final class FairSharesFloor {

    private final int needed;
    private final double[] part;
    private final double[] lease;
    /** The tenants' numbers, those with the shorter leases first. */
    private final int[] shortest;
    private final double error;
    /** By tenant and number of leases in the stretch: how many of them can be the tenant's. */
    private final int[][] least;
    private final int[][] most;
    private final boolean[] counts;

    private FairSharesFloor(int needed, double[] weight, double[] lease, double error, int longest) {
        this.needed = needed;
        double all = DoubleStream.of(weight).sum();
        this.part = DoubleStream.of(weight).map(each -> each / all).toArray();
        this.lease = lease;
        this.shortest = IntStream.range(0, lease.length).boxed().sorted((a, b) -> Double.compare(lease[a], lease[b]))
                .mapToInt(tenant -> tenant).toArray();
        this.error = error;
        this.least = new int[lease.length][longest + 1];
        this.most = new int[lease.length][longest + 1];
        for (var each : most) {
            Arrays.setAll(each, leases -> leases);
        }
        this.counts = new boolean[longest + 1];
    }

    /**
     * An error that each order has, or more, in some window that counts.
     *
     * @param needed the leases that each tenant must have in a window that counts
     * @param longest the longest stretches that are looked at, in leases
     */
    static double of(int needed, double[] weight, double[] lease, int longest) {
        double impossible = 0;
        double open = 0.5;
        while (open - impossible > 0.0001) {
            double error = (impossible + open) / 2;
            if (new FairSharesFloor(needed, weight, lease, error, longest).isImpossible()) {
                impossible = error;
            } else {
                open = error;
            }
        }
        return impossible;
    }

    private boolean isImpossible() {
        int longest = counts.length - 1;
        counts[longest] = true;
        if (!narrowByShares(longest)) {
            return true;
        }
        for (var each : least) {
            if (each[longest] <= needed) {
                throw new IllegalArgumentException("stretches of " + longest + " leases need not count: give more");
            }
        }
        boolean narrower = true;
        while (narrower) {
            int before = room();
            for (int leases = longest; leases > 0; leases--) {
                counts[leases] |= mustCount(leases);
                if (!narrowByNeighbours(leases) || !narrowByShares(leases)) {
                    return true;
                }
            }
            narrower = room() < before;
        }
        return false;
    }

    private int room() {
        int room = 0;
        for (int tenant = 0; tenant < lease.length; tenant++) {
            room += IntStream.of(most[tenant]).sum() - IntStream.of(least[tenant]).sum();
        }
        return room;
    }

    private boolean mustCount(int leases) {
        return Arrays.stream(least).allMatch(each -> each[leases] >= needed)
                || leases + 1 < counts.length && counts[leases + 1]
                && Arrays.stream(least).allMatch(each -> each[leases + 1] > needed);
    }

    private boolean narrowByNeighbours(int leases) {
        for (int tenant = 0; tenant < lease.length; tenant++) {
            var from = least[tenant];
            var to = most[tenant];
            for (int other = 1; other < counts.length; other++) {
                if (other < leases) {
                    from[leases] = Math.max(from[leases], from[other] + from[leases - other]);
                    to[leases] = Math.min(to[leases], to[other] + to[leases - other]);
                }
                if (leases + other < counts.length) {
                    from[leases] = Math.max(from[leases], from[leases + other] - to[other]);
                    to[leases] = Math.min(to[leases], to[leases + other] - from[other]);
                }
            }
            if (from[leases] > to[leases]) {
                return false;
            }
        }
        return true;
    }

    private boolean narrowByShares(int leases) {
        boolean narrower = true;
        while (narrower) {
            narrower = false;
            for (int tenant = 0; tenant < lease.length; tenant++) {
                while (least[tenant][leases] <= most[tenant][leases] && !canHave(tenant, least[tenant][leases], leases)) {
                    least[tenant][leases]++;
                    narrower = true;
                }
                while (least[tenant][leases] <= most[tenant][leases] && !canHave(tenant, most[tenant][leases], leases)) {
                    most[tenant][leases]--;
                    narrower = true;
                }
                if (least[tenant][leases] > most[tenant][leases]) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Whether the others can have the rest, and their time with it can be such that the tenant's share is within the error. */
    private boolean canHave(int tenant, int count, int leases) {
        int rest = leases - count;
        int restLeast = 0;
        int restMost = 0;
        for (int other = 0; other < lease.length; other++) {
            if (other != tenant) {
                restLeast += least[other][leases];
                restMost += most[other][leases];
            }
        }
        if (rest < restLeast || rest > restMost) {
            return false;
        }
        double got = count * lease[tenant];
        double leastDue = part[tenant] * (got + timeOfOthers(tenant, rest - restLeast, leases, true));
        double mostDue = part[tenant] * (got + timeOfOthers(tenant, rest - restLeast, leases, false));
        return !counts[leases] || got >= (1 - error) * leastDue - 1e-9 && mostDue >= (1 - error) * got - 1e-9;
    }

    /** What others have if so many leases beyond their least are theirs, the short ones or the long ones. */
    private double timeOfOthers(int tenant, int beyond, int leases, boolean shortOnes) {
        double time = 0;
        int left = beyond;
        for (int i = 0; i < lease.length; i++) {
            int other = shortest[shortOnes ? i : lease.length - 1 - i];
            if (other != tenant) {
                int more = Math.min(left, most[other][leases] - least[other][leases]);
                left -= more;
                time += (least[other][leases] + more) * lease[other];
            }
        }
        return time;
    }
}
