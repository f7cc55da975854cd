package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class ExperimentsTest {

    @Test
    void contendersAreTakenInTheirOwnOrder() {
        assertThat(Way.of(List.of("weft-mail", "direct"))).containsExactly(Way.DIRECT, Way.WEFT_MAIL);
        assertThat(Way.options()).isEqualTo("direct,postfix,weft-connect,weft-mail");
    }

    @Test
    void unknownNamesAreRefusedWithTheKnownOnes() {
        assertThatIllegalArgumentException().isThrownBy(() -> Way.of(List.of("direct", "exim")))
                .withMessage("unknown contender exim: give some of direct,postfix,weft-connect,weft-mail");
        assertThatIllegalArgumentException().isThrownBy(() -> Experiments.names(List.of("speed")))
                .withMessage("unknown experiment speed: give some of congestion, resources, fairness, or all");
    }

    @Test
    void allExperimentsAreAll() {
        assertThat(Experiments.names(List.of("all"))).containsExactly("congestion", "resources", "fairness");
        assertThat(Experiments.names(List.of("fairness"))).containsExactly("fairness");
    }

    @Test
    void recipientsAreSpreadOverTheReceivers() {
        assertThat(Site.recipients("s1", "x", 3, List.of("mx1", "mx2")))
                .containsExactly("s1-x0@mx1.test", "s1-x1@mx2.test", "s1-x2@mx1.test");
    }
}
