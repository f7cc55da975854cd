package dev.weft.examples.bench;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class ToolsTest {

    @Test
    void missingProgramIsNamedWithItsPackage() {
        assertThatExceptionOfType(Tools.MissingToolException.class)
                .isThrownBy(() -> Tools.find("no-such-program-of-weft", "the-package"))
                .withMessageContainingAll("no-such-program-of-weft", "the-package");
    }
}
