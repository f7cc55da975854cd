package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScaleTest {

    @ParameterizedTest
    @CsvSource({"9, 10, 6", "10, 10, 6", "10.1, 15, 4", "0.07, 0.08, 5", "1, 1, 6", "61, 80, 5", "1000, 1000, 6"})
    void aLinearScaleEndsAtARoundValue(double most, double end, int ticks) {
        var scale = Scale.linear(most);
        assertThat(scale.most()).isCloseTo(end, within(1e-9));
        assertThat(scale.ticks()).hasSize(ticks).startsWith(0.0);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -3, Double.NaN})
    void aLinearScaleWithoutValuesIsOneLong(double most) {
        assertThat(Scale.linear(most).most()).isEqualTo(1);
    }

    @Test
    void aLogarithmicScaleHasWholeDecades() {
        var scale = Scale.logarithmic(3, 420);
        assertThat(scale.ticks()).containsExactly(1.0, 10.0, 100.0, 1000.0);
        assertThat(scale.share(1)).isZero();
        assertThat(scale.share(10)).isCloseTo(1 / 3.0, within(1e-9));
        assertThat(scale.share(1000)).isEqualTo(1);
        assertThat(Scale.logarithmic(10, 10).ticks()).containsExactly(10.0, 100.0);
        assertThatIllegalArgumentException().isThrownBy(() -> Scale.logarithmic(0, 1)).withMessageContaining("above 0");
    }

    @Test
    void aScaleHasRoomForItsValues() {
        assertThat(Scale.of(DoubleStream.of(Double.NaN, 10, 2), false).most()).isEqualTo(15);
        assertThat(Scale.of(DoubleStream.of(0, Double.NaN, 10, 2), true).ticks()).containsExactly(1.0, 10.0, 100.0);
        assertThat(Scale.of(DoubleStream.of(0), true).ticks()).containsExactly(1.0, 10.0);
        assertThat(Scale.of(DoubleStream.empty(), false).most()).isEqualTo(1);
    }

    @Test
    void valuesBeyondTheEndsStayInside() {
        assertThat(Scale.linear(10).share(-1)).isZero();
        assertThat(Scale.linear(10).share(11)).isEqualTo(1);
        assertThat(Scale.logarithmic(1, 10).share(0)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1000, 1000", "99.96, 100", "12.34, 12.3", "20, 20", "1.5, 1.5", "2, 2", "0.02, 0.02",
        "0.0004, 0", "-3, -3"})
    void labelsHaveNoNeedlessDigits(double value, String label) {
        assertThat(Scale.label(value)).isEqualTo(label);
    }
}
