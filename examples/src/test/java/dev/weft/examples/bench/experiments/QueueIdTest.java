package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueueIdTest {

    @Test
    void aLongQueueIdTellsWhenItsFileWasMade() {
        // The example of postconf(5): 20 March 2011, 14:31:48.353025 UTC.
        assertThat(QueueId.micros("3Pt2mN2VXxznjll")).hasValue(1_300_631_508_353_025L);
    }

    @Test
    void theFilesNumberDoesNotMatter() {
        assertThat(QueueId.micros("3Pt2mN2VXxz0")).isEqualTo(QueueId.micros("3Pt2mN2VXxznjll"));
    }

    @Test
    void secondsMayTakeMoreDigits() {
        assertThat(QueueId.micros("1000000" + "0001" + "zB")).hasValue(19_770_609_664L * 1_000_000 + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "z", "zzzzzzzzzzzz", "4F1A2B3C4D", "Pt2mN2VXxznjll", "3Pt2mN2VXx", "3Pt2mN2VXxz",
            "3Pt2mNzzzzznjll", "3Pt2mNAVXxznjll", "3Pt2mN2VXxy", "3Pt2mN-VXxznjll", "1234567892VXxzn"})
    void anythingElseTellsNothing(String id) {
        assertThat(QueueId.micros(id)).isEmpty();
    }
}
