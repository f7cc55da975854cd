package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class TextTableTest {

    @Test
    void figuresStandToTheRightAndWordsToTheLeft() {
        var table = new TextTable("contender", "seconds", "verdict");
        table.row("direct", "9.50", "1.00 met");
        table.row("relay", "–", "12.00 MISSED");
        assertThat(table.lines()).containsExactly(
                "contender  seconds  verdict",
                "--------------------------------",
                "direct        9.50  1.00 met",
                "relay            –  12.00 MISSED");
    }

    @Test
    void aTableWithoutRowsHasItsHead() {
        assertThat(new TextTable("a", "b").lines()).containsExactly("a  b", "----");
    }

    @Test
    void aRowOfAnotherLengthIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new TextTable("a", "b").row("1")).withMessageContaining("1 cells");
    }
}
