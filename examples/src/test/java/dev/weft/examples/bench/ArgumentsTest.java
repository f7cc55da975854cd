package dev.weft.examples.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Set;
import org.junit.jupiter.api.Test;

class ArgumentsTest {

    @Test
    void flagsAndValuesComeInAnyOrder() {
        var arguments = arguments("--rounds", "3", "--quick", "--cases", "1x1,many20");
        assertThat(arguments.has("--quick")).isTrue();
        assertThat(arguments.number("--rounds", 5)).isEqualTo(3);
        assertThat(arguments.words("--cases", "", ",")).containsExactly("1x1", "many20");
    }

    @Test
    void whatIsNotGivenHasItsDefault() {
        var arguments = arguments();
        assertThat(arguments.has("--quick")).isFalse();
        assertThat(arguments.number("--rounds", 5)).isEqualTo(5);
        assertThat(arguments.words("--cases", "", ",")).isEmpty();
    }

    @Test
    void mistakesAreNamed() {
        assertThatIllegalArgumentException().isThrownBy(() -> arguments("--fast")).withMessageContaining("--fast");
        assertThatIllegalArgumentException().isThrownBy(() -> arguments("--rounds")).withMessageContaining("--rounds");
        for (var wrong : new String[] {"x", "-1", ""}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> arguments("--rounds", wrong).number("--rounds", 5))
                    .withMessageContaining("--rounds " + wrong);
        }
    }

    @Test
    void lastCountOfSmtpSinkCounts() {
        assertThat(SmtpSink.lastCount("sess=1 quit=0 mesg=1\rsess=1 quit=1 mesg=42\r")).isEqualTo(42);
        assertThat(SmtpSink.lastCount("")).isZero();
    }

    private static Arguments arguments(String... line) {
        return new Arguments(line, Set.of("--quick"), Set.of("--rounds", "--cases"));
    }
}
