package dev.weft.smtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParameterTest {

    @ParameterizedTest
    @ValueSource(strings = {"SIZE=1000", "SMTPUTF8", "AUTH=<>", "ENVID=a+20b", "X=", "X=a=b", "=x", "=x=y", "="})
    void keepsItsTextRaw(String text) {
        assertThat(Parameter.parse(text).text()).isEqualTo(text);
        assertThat(Parameter.parse(text)).hasToString(text);
    }

    @Test
    void dividesAtTheFirstEqualsSign() {
        assertThat(Parameter.parse("ORCPT=rfc822;a=b")).isEqualTo(Parameter.of("ORCPT", "rfc822;a=b"));
        assertThat(Parameter.parse("X=").value()).contains("");
        assertThat(Parameter.parse("SMTPUTF8")).isEqualTo(new Parameter("SMTPUTF8", Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a\tb", "a\r\nDATA", "a\0"})
    void refusesBlanksAndControlCharacters(String text) {
        assertThatThrownBy(() -> Parameter.of("ENVID", text))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(Octets.escape(text))
                        .hasMessageContaining("xtext");
        assertThatThrownBy(() -> Parameter.of(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesAKeywordThatHoldsAValue() {
        assertThatThrownBy(() -> Parameter.of("SIZE=1")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SIZE=1");
        assertThatThrownBy(() -> Parameter.of("", "1")).isInstanceOf(IllegalArgumentException.class);
    }
}
