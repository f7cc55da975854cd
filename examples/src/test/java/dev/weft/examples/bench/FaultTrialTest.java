package dev.weft.examples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.examples.bench.TrialLedger.Outcome;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link FaultTrials} in small. */
class FaultTrialTest {

    @ParameterizedTest(name = "{0} loops, limit {1}")
    @CsvSource({"1, 1, 200", "2, 10, 500", "4, 3, 300"})
    void everyMessageEndsInOneWayOnBothSides(int loops, int limit, int transactions) throws Exception {
        long seed = new Random().nextInt();
        var result = new FaultTrial(new FaultTrial.Setup(loops, limit, false, transactions, 40, 60, seed)).run();
        assertThat(result.broken()).as("seed " + seed).isEmpty();
        assertThat(result.totals().messages()).isGreaterThanOrEqualTo(transactions + 120);
        assertThat(result.totals().outcomes()).as("seed " + seed).containsKeys(Outcome.DELIVERED, Outcome.REFUSED, Outcome.DEFERRED);
    }

    @ParameterizedTest(name = "{0} loops, limit {1}")
    @CsvSource({"1, 1", "4, 3"})
    void legsThatAreClosedBetweenTransactionsCostNoMessage(int loops, int limit) throws Exception {
        long seed = new Random().nextInt();
        var result = new FaultTrial(new FaultTrial.Setup(loops, limit, true, 250, 40, 0, seed)).run();
        assertThat(result.broken()).as("seed " + seed).isEmpty();
        assertThat(result.totals().outcomes()).as("seed " + seed).doesNotContainKeys(Outcome.REFUSED, Outcome.DEFERRED);
    }
}
