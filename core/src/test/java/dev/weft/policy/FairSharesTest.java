package dev.weft.policy;

import static dev.weft.policy.TurnSimulation.MILLI;
import static dev.weft.policy.TurnSimulation.SECOND;
import static dev.weft.policy.TurnSimulation.always;
import static dev.weft.policy.TurnSimulation.around;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.policy.TurnSimulation.Sender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Shares in leg-time, by weight, over any window of contention, in virtual time. That no leg is idle while somebody waits is
 * checked after each event of each simulation.
 *
 * <p>How fine a share can be: no order of turns, even one made with all knowledge of what comes, is within 5 % in every window
 * of 20 leases per tenant. {@link FairSharesFloorTest} proves it, for few tenants on one leg (6 to 8 % is the least with some
 * weights and leases) and for a tenant that comes when all legs are out (11 % with 10 legs, 33 % with 50). So this is kept here:
 * <ul>
 * <li>Under constant load 5 % in each window of 20 leases per tenant, from 10 legs or 20 tenants on, and with fewer of both 7 %;
 * <li>5 % by tenants that are all alike, if they are on one leg or each can have as many;
 * <li>with bursts the same as under constant load, in each window that begins when the tenants in it have waited for four leases;
 * <li>in other windows with bursts, and with tenants that give up and a limit that moves, 5 % and one lease of twenty, and 5 % in
 * all but a few, where few legs are taken over at a time;
 * <li>but for that, everywhere 5 % in each window of 40 leases per tenant, and Jain's index at least 0.99 in each of 20.
 * </ul>
 */
class FairSharesTest {

    private static final double EDGE = 1.0 / TurnTrace.LEASES;
    /** With few tenants on few legs. */
    private static final double COARSE = 0.07;

    @ParameterizedTest(name = "{0} tenants, {1} legs, leases that vary by {2}")
    @CsvSource({"3,1,0", "3,4,0", "3,10,0", "3,10,0.3", "3,50,0.3", "5,4,0.3", "10,50,0", "20,1,0.3", "20,4,0", "20,10,0.3",
            "20,50,0", "300,1,0.3", "300,50,0"})
    void constantLoadIsSharedByWeight(int tenants, int limit, double spread) {
        for (long seed = 1; seed <= (tenants > 100 ? 1 : 3); seed++) {
            var simulation = new TurnSimulation(seed, 1);
            double weights = 0;
            double longest = 0;
            for (int i = 0; i < tenants; i++) {
                var sender = anySender(simulation, spread);
                weights += sender.weight;
                longest = Math.max(longest, sender.longestHold / sender.weight);
            }
            startTogether(simulation, limit);
            simulation.run((long) (longest * weights / limit * 50));

            var worst = requireFair(simulation, "seed " + seed);
            requireWithin(worst, tolerance(tenants, limit), "seed " + seed);
            requireNoStarvation(simulation, simulation.senders.subList(0, tenants), limit, "seed " + seed);
            if (limit == 1) {
                assertThat(worst.lag).as("any two tenants in any window, in leases; seed %d", seed)
                        .isLessThanOrEqualTo(1.000001);
            }
        }
    }

    /** What a leg counts in advance is learnt here while some legs are granted before and some after. */
    @ParameterizedTest(name = "weights {0}, {1} and {2}, leases of {3}, {4} and {5} ms")
    @CsvSource({"5,2,9,615,567,998", "5,2,2,1483,721,649", "6,3,6,1379,1611,2843", "8,1,1,2875,858,986"})
    void fiftyLegsGrantedTogetherAreSharedFromTheFirstLeaseOn(double a, double b, double c, long holdA, long holdB, long holdC) {
        var simulation = new TurnSimulation(1, 1);
        simulation.sender(a, always(holdA * MILLI));
        simulation.sender(b, always(holdB * MILLI));
        simulation.sender(c, always(holdC * MILLI));
        startTogether(simulation, 50);
        simulation.run(30 * SECOND);

        requireWithin(requireFair(simulation, "50 legs"), TurnTrace.TOLERANCE, "50 legs");
    }

    @ParameterizedTest(name = "{0} tenants, {1} legs")
    @CsvSource({"3,1", "50,1", "300,1", "50,2", "5,10", "20,20", "50,50"})
    void tenantsThatAreAlikeAreWithinFivePercent(int tenants, int limit) {
        var simulation = new TurnSimulation(1, 1);
        for (int i = 0; i < tenants; i++) {
            simulation.sender(1, always(SECOND));
        }
        startTogether(simulation, limit);
        simulation.run((50L * tenants / limit + 10) * SECOND);

        requireWithin(requireFair(simulation, "alike"), TurnTrace.TOLERANCE, "alike");
    }

    @ParameterizedTest(name = "{0} tenants, {1} legs")
    @CsvSource({"3,1", "5,10", "30,4", "40,20"})
    void burstsAreSharedByWeightWhileTheyLast(int tenants, int limit) {
        var simulation = bursts(tenants, limit, tenants);

        requireFair(simulation, "seed " + tenants);
        requireWithin(simulation.trace.worstSettled(), tolerance(tenants, limit), "seed " + tenants);
        assertThat(simulation.turns.isIdle()).isTrue();
        assertThat(simulation.turns.remembered()).isZero();
    }

    @ParameterizedTest(name = "{0} tenants, {1} legs")
    @CsvSource({"5,10", "20,10", "10,50"})
    void manyLegsThatAreTakenOverAreSharedByWeightFromThenOn(int tenants, int limit) {
        for (long seed = 1; seed <= 3; seed++) {
            var simulation = bursts(tenants, limit, seed);
            requireWithin(simulation.trace.worstSettled(), TurnTrace.TOLERANCE, "seed " + seed);
        }
    }

    private static TurnSimulation bursts(int tenants, int limit, long seed) {
        var simulation = new TurnSimulation(seed, limit);
        for (int i = 0; i < tenants; i++) {
            var sender = anySender(simulation, 0.2);
            int burst = 40 + 40 * limit;
            for (int k = 0; k < 3; k++) {
                long at = (long) (simulation.random.nextDouble() * 100 * tenants * SECOND);
                simulation.after(at, () -> sender.burst(burst));
            }
        }
        simulation.run(Long.MAX_VALUE / 2);
        return simulation;
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void aLimitThatMovesIsSharedByWeight(long seed) {
        var simulation = new TurnSimulation(seed, 1);
        simulation.sender(1, always(SECOND)).burst(1);
        for (int i = 0; i < 8; i++) {
            anySender(simulation, 0.2).constantly(50);
        }
        for (int i = 1; i < 100; i++) {
            int limit = 1 + simulation.random.nextInt(i % 2 == 0 ? 50 : 5);
            simulation.after(i * 10 * SECOND, () -> simulation.turns.limit(limit));
        }
        simulation.run(1000 * SECOND);

        requireFair(simulation, "seed " + seed);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void waitersThatGiveUpOrExpireTakeNothingFromOthers(long seed) {
        var simulation = new TurnSimulation(seed, 4, Duration.ofSeconds(30));
        for (int i = 0; i < 5; i++) {
            anySender(simulation, 0.2).sessions(6, always(0));
        }
        var impatient = simulation.sender(1, always(SECOND));
        var flood = simulation.sender(1, always(SECOND));
        for (int i = 0; i < 2000; i++) {
            long at = (long) (simulation.random.nextDouble() * 1500 * SECOND);
            long patience = (long) (simulation.random.nextDouble() * 5 * SECOND);
            simulation.after(at, () -> impatient.impatient(patience));
            simulation.after(at, () -> flood.burst(1));
        }
        simulation.run(1500 * SECOND);

        assertThat(impatient.withdrawn).isPositive();
        assertThat(flood.expired).isPositive();
        requireFair(simulation, "seed " + seed);
    }

    @ParameterizedTest(name = "away for {0} ms")
    @ValueSource(longs = {0, 1, 100, 1000, 5000})
    void comingAndGoingGainsNothing(long away) {
        var simulation = new TurnSimulation(1, 2);
        var steady = simulation.sender(1, always(SECOND)).constantly(2);
        simulation.sender(1, always(SECOND)).constantly(2);
        simulation.sender(2, always(SECOND)).constantly(2);
        var guest = simulation.sender(1, always(SECOND));
        comeAndGo(simulation, guest, away * MILLI);
        simulation.run(1000 * SECOND);

        assertThat(guest.messages).isPositive();
        assertThat(simulation.trace.had(guest)).as("the guest beside a steady tenant:%s", simulation.report())
                .isLessThanOrEqualTo(simulation.trace.had(steady) + 2.0 * SECOND);
    }

    /** Asks three times, gives up the others as soon as one turn is over, and comes back after a while. */
    private static void comeAndGo(TurnSimulation simulation, Sender guest, long away) {
        var turns = new ArrayList<Turn<TurnSimulation.Sitting>>();
        var gone = new boolean[1];
        for (int i = 0; i < 3; i++) {
            turns.add(guest.ask(() -> {
                if (!gone[0]) {
                    gone[0] = true;
                    turns.forEach(guest::withdraw);
                    simulation.after(away, () -> comeAndGo(simulation, guest, away));
                }
            }, always(0)));
        }
    }

    /** With newcomers that fill the leg by themselves, the crowd that waits grows, and the steady tenant's share falls. */
    @ParameterizedTest(name = "{0} newcomers per second for one leg")
    @CsvSource({"1,10", "3,2"})
    void aCrowdOfNewcomersStarvesNobody(int newcomers, int least) {
        var simulation = new TurnSimulation(1, 1);
        var steady = simulation.sender(1, always(SECOND)).constantly(1);
        for (int i = 0; i < 100 * newcomers; i++) {
            var newcomer = simulation.sender(1, always(SECOND));
            simulation.after(i * SECOND / newcomers, () -> newcomer.burst(1));
        }
        simulation.run(100 * SECOND);
        long most = simulation.senders.stream().filter(sender -> sender.waiting > 0).count();

        assertThat(steady.messages).as("beside up to %d others that wait", most).isGreaterThanOrEqualTo(least);
        assertThat(simulation.turns.remembered()).as("tenants kept in mind").isLessThanOrEqualTo((int) (2 * most + 2));
    }

    @ParameterizedTest(name = "{0} legs")
    @ValueSource(ints = {1, 4, 10})
    void aSlowTenantDoesNotSlowTheOthers(int limit) {
        var simulation = new TurnSimulation(1, limit);
        var slow = simulation.sender(1, around(10 * SECOND, 0.1)).constantly(limit);
        var quick = simulation.sender(1, around(SECOND, 0.1)).constantly(limit);
        var other = simulation.sender(1, around(SECOND, 0.1)).constantly(limit);
        simulation.run(2000 * SECOND);

        assertThat((double) quick.messages / slow.messages).as(simulation.report()).isBetween(9.0, 11.0);
        assertThat((double) quick.messages / other.messages).as(simulation.report()).isBetween(0.95, 1.05);
    }

    /** All tenants wait for the one leg that another has, and then for as many as there may be. */
    private static void startTogether(TurnSimulation simulation, int limit) {
        var senders = List.copyOf(simulation.senders);
        simulation.sender(1, always(SECOND)).burst(1);
        senders.forEach(sender -> sender.constantly(limit));
        simulation.turns.limit(limit);
    }

    /** Of weight 1 to 10, with leases of half a second to three. */
    private static Sender anySender(TurnSimulation simulation, double spread) {
        long hold = (500 + simulation.random.nextInt(2500)) * MILLI;
        var sender = simulation.sender(1 + simulation.random.nextInt(10), around(hold, spread));
        sender.longestHold = (long) (hold * (1 + spread));
        return sender;
    }

    private static TurnTrace.Worst requireFair(TurnSimulation simulation, String run) {
        var worst = simulation.trace.worst();
        assertThat(worst.windows).as("windows of contention in %s", run).isPositive();
        assertThat(worst.errorOfLonger).as("%s: %s%s", run, worst, simulation.report()).isLessThanOrEqualTo(TurnTrace.TOLERANCE);
        assertThat(worst.error).as("%s: %s%s", run, worst, simulation.report()).isLessThanOrEqualTo(TurnTrace.TOLERANCE + EDGE);
        assertThat(worst.beyondTolerance).as("%s: %s%s", run, worst, simulation.report()).isLessThanOrEqualTo(worst.windows / 20);
        assertThat(worst.jain).as("%s: %s%s", run, worst, simulation.report()).isGreaterThanOrEqualTo(0.99);
        return worst;
    }

    private static void requireWithin(TurnTrace.Worst worst, double tolerance, String run) {
        assertThat(worst.windows).as("windows of contention in %s", run).isPositive();
        assertThat(worst.error).as("%s: %s", run, worst).isLessThanOrEqualTo(tolerance);
        assertThat(worst.jain).as("%s: %s", run, worst).isGreaterThanOrEqualTo(0.99);
    }

    private static double tolerance(int tenants, int limit) {
        return tenants < 20 && limit < 10 ? COARSE : TurnTrace.TOLERANCE;
    }

    /** A tenant's own lease, stretched by its share, and once the longest lease of each other: that long a wait may be. */
    private static void requireNoStarvation(TurnSimulation simulation, List<Sender> senders, int limit, String run) {
        double weights = senders.stream().mapToDouble(sender -> sender.weight).sum();
        double all = senders.stream().mapToDouble(sender -> sender.longestHold).sum();
        double longest = senders.stream().mapToDouble(sender -> sender.longestHold).max().orElseThrow();
        for (var sender : senders) {
            double bound = (sender.longestHold * weights / sender.weight + all) / limit + 2 * longest;
            assertThat((double) sender.longestGap).as("%s: t%d:%s", run, sender.index, simulation.report())
                    .isLessThanOrEqualTo(bound);
        }
    }
}
