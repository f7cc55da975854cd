package dev.weft.policy;

import static dev.weft.policy.TurnSimulation.SECOND;
import static dev.weft.policy.TurnSimulation.always;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * How fair any order of turns can be: why {@link FairSharesTest} can't ask for 5 % in all windows of 20 leases per tenant, and
 * how near to the best that is possible {@link FairTurns} comes.
 */
class FairSharesFloorTest {

    /** Weights, lengths of the leases, an error that no order keeps, and what these turns may have beyond it. */
    static Stream<Arguments> oneLeg() {
        return Stream.of(
                Arguments.of(new double[] {1, 3}, new double[] {1, 3 / 1.05}, 0.066, 0.0002),
                Arguments.of(new double[] {1, 6}, new double[] {0.5, 3 / 1.05}, 0.075, 0.0002),
                Arguments.of(new double[] {1, 10}, new double[] {0.3, 3 / 1.05}, 0.079, 0.0002),
                Arguments.of(new double[] {1, 6, 6}, new double[] {0.5, 3 / 1.02, 3 / 1.02}, 0.059, 0.01),
                Arguments.of(new double[] {5, 5, 2}, new double[] {2.225, 2.056, 0.914}, 0.052, 0.01));
    }

    @ParameterizedTest
    @MethodSource("oneLeg")
    void noOrderKeepsFivePercentOnOneLeg(double[] weights, double[] leases, double floor, double beyond) {
        assertThat(FairSharesFloor.of(TurnTrace.LEASES, weights, leases, 300)).as("error of any order")
                .isBetween(floor, floor + 0.001);

        var simulation = new TurnSimulation(1, 1);
        for (int i = 0; i < weights.length; i++) {
            simulation.sender(weights[i], always((long) (leases[i] * SECOND))).constantly(1);
        }
        simulation.run((long) (100 * DoubleStream.of(weights).sum() * SECOND));
        assertThat(simulation.trace.worst().error).as("error of these turns").isBetween(floor, floor + 0.001 + beyond);
    }

    /** The same by trying all orders, which is possible if windows of three leases count: whether the reasoning is sound. */
    @ParameterizedTest(name = "weights {0} and {1}, leases {2} and {3}")
    @CsvSource({"1,1,1,1", "1,3,1,2.5", "2,3,1,1", "1,6,1,5"})
    void allOrdersTriedOneByOneFailAsWell(double weightA, double weightB, double leaseA, double leaseB) {
        double[] weights = {weightA, weightB};
        double[] leases = {leaseA, leaseB};
        double floor = FairSharesFloor.of(3, weights, leases, 60);
        assertThat(floor).isPositive();
        assertThat(longestOrder(weights, leases, floor - 0.0002, new int[80][2], 0))
                .as("leases in a row with an error less than %s", floor).isLessThan(79);
        assertThat(longestOrder(weights, leases, floor + 0.12, new int[80][2], 0))
                .as("leases in a row with an error well beyond %s", floor).isEqualTo(79);
    }

    /** How many leases an order can go on within an error, none left out for more than 20; the end of the array if it can. */
    private static int longestOrder(double[] weights, double[] leases, double error, int[][] had, int length) {
        int longest = length;
        for (int tenant = 0; tenant < 2 && length + 1 < had.length && longest + 1 < had.length; tenant++) {
            had[length + 1] = had[length].clone();
            had[length + 1][tenant]++;
            if (isWithin(weights, leases, error, had, length + 1)) {
                longest = Math.max(longest, longestOrder(weights, leases, error, had, length + 1));
            }
        }
        return longest;
    }

    private static boolean isWithin(double[] weights, double[] leases, double error, int[][] had, int end) {
        for (int start = 0; start < end; start++) {
            int a = had[end][0] - had[start][0];
            int b = had[end][1] - had[start][1];
            if (end - start == 20 && (a == 0 || b == 0)) {
                return false;
            }
            if (a >= 3 && b >= 3 && error(a * leases[0], b * leases[1], weights[0] / weights[1]) > error) {
                return false;
            }
        }
        return true;
    }

    /** A tenant has all legs, with leases of one length, when another of the same weight comes; seen at the ends of leases. */
    @ParameterizedTest(name = "{0} legs: {2} is the least error in {1} lease lengths")
    @CsvSource({"10,5,0.11", "20,4,0.19", "50,3,0.33"})
    void noOrderKeepsFivePercentWhenATenantComesAndAllLegsAreOut(int legs, int rounds, double floor) {
        var first = new int[rounds];
        first[0] = legs;
        assertThat(leastError(legs, first, 1, 0, 1)).as("error of any order").isBetween(floor, floor + 0.02);
    }

    /** Tries how many legs the first tenant may get in each round. A window counts if 20 leases are due to each. */
    private static double leastError(int legs, int[] first, int round, double error, double best) {
        if (error >= best || round == first.length) {
            return Math.min(error, best);
        }
        double least = best;
        for (first[round] = 0; first[round] <= legs; first[round]++) {
            double worst = error;
            for (int start = 0; start <= round; start++) {
                int all = legs * (round + 1 - start);
                int got = Arrays.stream(first, start, round + 1).sum();
                worst = Math.max(worst, all < 2 * TurnTrace.LEASES ? 0 : error(got, all - got, 1));
            }
            least = leastError(legs, first, round + 1, worst, least);
        }
        return least;
    }

    @Test
    void aTenantThatComesHasItsFullShareAsSoonAsTheLegsComeBack() {
        var simulation = new TurnSimulation(1, 10);
        var first = simulation.sender(1, always(SECOND)).constantly(10);
        var second = simulation.sender(1, always(SECOND));
        simulation.after(1, () -> second.constantly(10));

        simulation.run(2 * SECOND);
        assertThat(simulation.trace.had(second)).isCloseTo(simulation.trace.had(first), within(0.001 * SECOND));
        simulation.run(SECOND / 2);
        assertThat(second.out).isEqualTo(first.out);
    }

    /** The larger error of the two shares. */
    private static double error(double gotA, double gotB, double ratio) {
        double dueB = (gotA + gotB) / (1 + ratio);
        double dueA = gotA + gotB - dueB;
        return Math.max(Math.abs(gotA - dueA) / Math.max(gotA, dueA), Math.abs(gotB - dueB) / Math.max(gotB, dueB));
    }
}
