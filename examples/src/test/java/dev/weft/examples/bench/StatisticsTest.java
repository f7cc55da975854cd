package dev.weft.examples.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StatisticsTest {

    @Test
    void percentileIsTheValueOfTheNearestRankAbove() {
        var hundred = IntStream.rangeClosed(1, 100).mapToDouble(i -> 101 - i).toArray();
        assertThat(Statistics.percentile(hundred, 50)).isEqualTo(50);
        assertThat(Statistics.percentile(hundred, 99)).isEqualTo(99);
        assertThat(Statistics.percentile(hundred, 99.5)).isEqualTo(100);
        assertThat(Statistics.percentile(hundred, 100)).isEqualTo(100);
        assertThat(Statistics.percentile(hundred, 0)).isEqualTo(1);
    }

    @Test
    void percentileOfOneValueIsThatValue() {
        assertThat(Statistics.percentile(new double[] {7}, 1)).isEqualTo(7);
        assertThat(Statistics.percentile(new double[] {7}, 99)).isEqualTo(7);
    }

    @Test
    void percentileLeavesTheValuesInTheirOrder() {
        double[] values = {3, 1, 2};
        Statistics.percentile(values, 50);
        assertThat(values).containsExactly(3, 1, 2);
    }

    @Test
    void medianIsTheMiddleOrTheMeanOfBothMiddles() {
        assertThat(Statistics.median(List.of(9.0, 1.0, 2.0))).isEqualTo(2);
        assertThat(Statistics.median(List.of(9.0, 1.0, 2.0, 4.0))).isEqualTo(3);
    }

    @Test
    void noValuesHaveNoMiddle() {
        assertThatIllegalArgumentException().isThrownBy(() -> Statistics.median(List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> Statistics.percentile(new double[0], 50));
    }
}
