package dev.weft.smtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnhancedCodeTest {

    @ParameterizedTest
    @ValueSource(strings = {"2.0.0", "4.7.26", "5.999.999"})
    void readsWhatItPrints(String text) {
        assertThat(EnhancedCode.parse(text)).hasValueSatisfying(code -> assertThat(code).hasToString(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "5.7", "5.7.", "5..1", ".7.1", "5.7.1.1", "3.0.0", "1.0.0", "5.1000.1", "5.7.1000",
            "5.7.1 ", " 5.7.1",
            "5.7.a", "5.-7.1", "55.7.1", "5.7.\u0661", "5.7.1\r\n"})
    void readsNothingElse(String text) {
        assertThat(EnhancedCode.parse(text)).isEmpty();
    }

    @Test
    void refusesNumbersOutOfRange() {
        assertThatThrownBy(() -> new EnhancedCode(3, 0, 0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3.0.0");
        assertThatThrownBy(() -> new EnhancedCode(5, 1000, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new EnhancedCode(5, 0, -1)).isInstanceOf(IllegalArgumentException.class);
    }
}
