package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SteadyFlowTest {

    private static final long INTERVAL = 100;

    @Test
    void beginsAtItsPlaceInTheIntervalOfTheMomentOrTheNext() {
        assertThat(SteadyFlow.nextTurn(1_020, INTERVAL, 50)).isEqualTo(1_050);
        assertThat(SteadyFlow.nextTurn(1_050, INTERVAL, 50)).isEqualTo(1_050);
        assertThat(SteadyFlow.nextTurn(1_051, INTERVAL, 50)).isEqualTo(1_150);
    }

    @Test
    void twoFlowsNeverMeetWheneverEachBegins() {
        for (long first = -250; first < 250; first++) {
            for (long second = first; second < first + 250; second++) {
                long apart = SteadyFlow.nextTurn(second, INTERVAL, 50) - SteadyFlow.nextTurn(first, INTERVAL, 0);

                assertThat(Math.floorMod(apart, INTERVAL)).isEqualTo(50);
            }
        }
    }
}
