package dev.weft.policy;

import static dev.weft.policy.TurnSimulation.SECOND;
import static dev.weft.policy.TurnSimulation.always;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A tenant that comes while others contend has its first turn soon, whatever a third one had of the legs before. */
class NewcomerTurnsTest {

    /** A leg that is out is never taken away, so who holds some for long has more than its share: at nobody else's further cost. */
    @ParameterizedTest(name = "{0} legs, {1} of them held for {2} s by a tenant of weight {3}")
    @CsvSource({"2,1,600,1", "2,1,600,0.001", "2,1,3600,1000", "10,5,60,1", "10,9,600,1", "50,25,60,0.5"})
    void longLeasesDoNotHoldUpWhoComesLater(int limit, int held, long seconds, double weight) {
        var simulation = new TurnSimulation(1, limit);
        var slow = simulation.sender(weight, always(seconds * SECOND));
        slow.burst(held);
        simulation.after(SECOND, () -> {
            simulation.sender(1, always(SECOND)).constantly(limit);
            simulation.sender(1, always(SECOND)).constantly(limit);
        });
        for (long at : new long[] {seconds / 2, seconds - 1, seconds + 5, seconds + 20}) {
            simulation.after(at * SECOND, () -> simulation.sender(1, always(SECOND)).sessions(1, always(10 * seconds * SECOND)));
        }
        simulation.run((seconds + 300) * SECOND);

        for (var newcomer : simulation.senders.subList(3, 7)) {
            assertThat(newcomer.longestWait).as("until the first turn").isLessThanOrEqualTo(10 * SECOND);
        }
    }
}
