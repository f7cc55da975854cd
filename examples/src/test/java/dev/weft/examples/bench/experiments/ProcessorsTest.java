package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ProcessorsTest {

    @Test
    void countsAllButIdlenessAndWaitingForDisksAsBusy() {
        var processors = Processors.of("cpu  100 20 30 1000 40 5 6 7 90 0");

        assertThat(processors).isEqualTo(new Processors(100 + 20 + 30 + 5 + 6 + 7, 1208));
    }

    @Test
    void tellsHowMuchWasInUseBetweenTwoTimes() {
        var then = Processors.of("cpu  100 0 0 1000 0 0 0 0 0 0");
        var later = Processors.of("cpu  160 0 10 1020 10 0 0 0 0 0");

        assertThat(later.busyPercentSince(then)).isEqualTo(70);
    }

    @Test
    void tellsNothingOfNoTime() {
        var now = new Processors(5, 10);

        assertThat(now.busyPercentSince(now)).isNaN();
    }

    @Test
    void refusesAnotherLine() {
        assertThatThrownBy(() -> Processors.of("cpu0 1 2 3 4 5 6 7 8 9 0")).hasMessageContaining("cpu0");
        assertThatThrownBy(() -> Processors.of("cpu  1 2 3")).hasMessageContaining("cpu  1 2 3");
        assertThatThrownBy(() -> Processors.of("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void readsWhatLinuxTells() throws IOException {
        var now = Processors.now();

        assertThat(now.busy()).isPositive().isLessThan(now.all());
    }
}
