package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.Tenant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ledger beside a plain one, which looks at all tenants each time, under weights and leases of all sizes. */
class TurnLedgerTest {

    private static final double[] WEIGHTS = {0.001, 0.5, 1, 1, 1, 3, 1000};
    private static final long[] LEASES = {0, 1, 1_000_000, 1_000_000_000L, 1_000_000_000L, 10_000_000_000L, 3_600_000_000_000L};

    /** What a tenant had, and has. */
    private static final class Plain {
        double weight;
        double point;
        int out;
        final List<Turn<Integer>> waiting = new ArrayList<>();
    }

    private record Lease(Turn<Integer> turn, long since, long until) {}

    private final Map<String, Plain> tenants = new HashMap<>();
    private final List<Lease> leases = new ArrayList<>();
    private final TurnLedger<Integer> ledger = new TurnLedger<>();
    private final FairTurns<Integer> owner = new FairTurns<>(1);
    private long now;
    private int waiters;
    private long mean = 1_000_000_000L;
    private long ahead = mean;
    private int inMean;
    private int sinceStep;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void whoIsFurthestBehindIsNext(long seed) {
        var random = new Random(seed);
        int names = 1 + random.nextInt(60);
        int grants = 0;
        for (int i = 0; i < 6000; i++) {
            pass(random.nextInt(4) == 0 ? 0 : LEASES[random.nextInt(6)] / (1 + random.nextInt(7)));
            int limit = 1 + (i / 500) * 7 % 20; // it moves
            switch (random.nextInt(8)) {
                case 0, 1, 2, 3 -> ask(new Tenant("t" + random.nextInt(names), WEIGHTS[random.nextInt(WEIGHTS.length)]), i);
                case 4 -> withdraw(random);
                default -> { }
            }
            leases.stream().filter(lease -> lease.until <= now).toList().forEach(this::giveBack);
            while (waiters > 0 && leases.size() < limit) {
                take(LEASES[random.nextInt(random.nextInt(30) == 0 ? LEASES.length : LEASES.length - 1)], "seed " + seed + ", step " + i);
                grants++;
            }
            assertThat(ledger.accounts()).as("no account waits or is out unseen; seed %d", seed)
                    .filteredOn(TurnAccount::isActive).hasSize((int) tenants.values().stream().filter(TurnLedgerTest::active).count());
        }
        assertThat(grants).isGreaterThan(300);

        while (waiters > 0) {
            withdraw(random);
        }
        List.copyOf(leases).forEach(this::giveBack);
        assertThat(ledger.accounts()).as("nobody is there, nobody is remembered").isEmpty();
    }

    private static boolean active(Plain tenant) {
        return tenant.out > 0 || !tenant.waiting.isEmpty();
    }

    private void pass(long nanos) {
        now += nanos;
        if (waiters > 0) {
            ledger.pass(nanos, leases.size());
            tenants.values().forEach(tenant -> tenant.point += tenant.out * (double) nanos / tenant.weight);
        }
    }

    private void ask(Tenant tenant, int number) {
        var account = ledger.enter(tenant);
        var plain = tenants.computeIfAbsent(tenant.name(), name -> new Plain());
        if (plain.waiting.isEmpty()) {
            plain.point = account.point(); // it stands at the mark, or further on
        } else {
            near(account.point(), plain.point, tenant.name());
        }
        plain.weight = tenant.weight();
        var turn = new Turn<>(owner, account, tenant, number, now);
        ledger.addWaiter(turn);
        plain.waiting.add(turn);
        waiters++;
    }

    private void withdraw(Random random) {
        var waiting = tenants.values().stream().filter(tenant -> !tenant.waiting.isEmpty()).toList();
        if (!waiting.isEmpty()) {
            var plain = waiting.get(random.nextInt(waiting.size()));
            ledger.removeWaiter(plain.waiting.remove(random.nextInt(plain.waiting.size())));
            oneLessWaits();
        }
    }

    private void oneLessWaits() {
        if (--waiters == 0) {
            ledger.endPeriod();
        }
    }

    private void take(long length, String when) {
        double least = tenants.values().stream().filter(tenant -> !tenant.waiting.isEmpty())
                .mapToDouble(this::rank).min().orElseThrow();
        var turn = ledger.takeNext();
        var plain = tenants.get(turn.tenant().name());
        near(rank(plain), least, when);
        assertThat(turn).as("first come, first served").isSameAs(plain.waiting.remove(0));
        plain.out++;
        leases.add(new Lease(turn, now, now + length));
        oneLessWaits();
    }

    private double rank(Plain tenant) {
        return tenant.point + tenant.out * (double) ahead / tenant.weight;
    }

    private void giveBack(Lease lease) {
        leases.remove(lease);
        tenants.get(lease.turn.tenant().name()).out--;
        ledger.giveBack(lease.turn, now - lease.since);
        inMean = Math.min(inMean + 1, 32);
        mean = Math.max(1, mean + (now - lease.since - mean) / inMean);
        long ready = tenants.values().stream().filter(tenant -> !tenant.waiting.isEmpty()).count();
        if (++sinceStep >= ready && Math.abs(mean - ahead) > ahead / 8) {
            sinceStep = 0;
            ahead = mean;
        }
    }

    private static void near(double actual, double expected, String when) {
        assertThat(Math.abs(actual - expected)).as("%s: %s for %s", when, actual, expected)
                .isLessThanOrEqualTo(1 + 1e-9 * Math.abs(expected));
    }
}
