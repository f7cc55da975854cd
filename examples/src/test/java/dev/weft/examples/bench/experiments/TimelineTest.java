package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {

    private static final long START = 1_700_000_000_000_000L;
    private static final long SEEN = START + 10_000_000;

    private static Timeline.Passage passage(double queuedSecond, double latencyMillis) {
        long queued = START + (long) (queuedSecond * 1e6);
        return new Timeline.Passage(queued, queued + (long) (latencyMillis * 1e3), SEEN);
    }

    private static final Timeline TIMELINE = new Timeline(START, 4, List.of(
            passage(-0.5, 700), // arrives in second 0
            passage(0.1, 10), passage(0.2, 30), passage(0.9, 200), // the last arrives in second 1
            passage(3.0, 5), passage(3.9, 500), // the last arrives after the end
            new Timeline.Passage(START + 3_500_000, -1, SEEN)));

    @Test
    void arrivalsAreCountedInTheSecondTheyHappened() {
        assertThat(TIMELINE.arrivals()).containsExactly(3, 1, 0, 1);
    }

    @Test
    void latenciesBelongToTheSecondOfSending() {
        assertThat(TIMELINE.medians()).containsExactly(30, Double.NaN, Double.NaN, 500);
    }

    @Test
    void whatHasNotArrivedCountsWithItsLatencySoFar() {
        assertThat(TIMELINE.late()).isEqualTo(1);
        assertThat(TIMELINE.latencies(START + 3_000_000, START + 4_000_000)).containsExactly(5, 500, 6500);
    }

    @Test
    void theEndOfATimeIsNotPartOfIt() {
        assertThat(TIMELINE.latencies(START, START + 3_000_000)).containsExactly(10, 30, 200);
        assertThat(TIMELINE.rate(START, START + 2_000_000)).isEqualTo(2);
    }

    @Test
    void nothingHasNoMedian() {
        assertThat(Timeline.median(new double[0])).isNaN();
        assertThat(Timeline.percentile(new double[0], 99)).isNaN();
        assertThat(Timeline.median(new double[] {4, 1, 3, 2})).isEqualTo(2.5);
    }
}
