package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LearntLimitTest {

    private static final long SECOND = 1_000_000_000L;

    private final LearntLimit limit = LegLimit.learnt(10, 20).start();
    private long now = -7 * SECOND;

    @Test
    void aRefusalCutsToAPartOfTheLegsThatWereOut() {
        assertThat(limit.refused(10, now)).isTrue();
        assertThat(limit.legs()).isEqualTo(7);
        assertThat(limit.refusedAt()).isEqualTo(10);
    }

    @Test
    void aLimitFarAboveUseIsCutToUse() {
        assertThat(limit.refused(4, now)).isTrue();
        assertThat(limit.legs()).isEqualTo(2);
    }

    @Test
    void aBurstOfRefusalsCutsOnce() {
        limit.refused(10, now);
        for (int i = 0; i < 9; i++) {
            now += SECOND;
            assertThat(limit.refused(10 - i, now)).isFalse();
        }
        assertThat(limit.legs()).isEqualTo(7);
        now += SECOND;
        assertThat(limit.refused(7, now)).isTrue();
        assertThat(limit.legs()).isEqualTo(4);
    }

    @Test
    void itNeverFallsBelowOne() {
        for (int i = 0; i < 20; i++) {
            limit.refused(limit.legs(), now += 60 * SECOND);
        }
        assertThat(limit.legs()).isEqualTo(1);
    }

    @Test
    void itRisesByOneForALimitfulOfGoodLeases() {
        for (int i = 0; i < 9; i++) {
            assertThat(limit.succeeded(true, now)).isFalse();
        }
        assertThat(limit.succeeded(true, now)).isTrue();
        assertThat(limit.legs()).isEqualTo(11);
    }

    @Test
    void itRisesNoFasterThanItsPace() {
        assertThat(goodLeases(1000, 0)).isEqualTo(11);
        now += SECOND;
        assertThat(goodLeases(1000, 0)).isEqualTo(12);
    }

    @Test
    void aLimitThatHoldsNothingBackDoesNotRise() {
        for (int i = 0; i < 1000; i++) {
            now += SECOND;
            assertThat(limit.succeeded(false, now)).isFalse();
        }
        assertThat(limit.legs()).isEqualTo(10);
    }

    @Test
    void theRiseEndsAtTheMost() {
        assertThat(goodLeases(1000, SECOND)).isEqualTo(20);
    }

    @Test
    void afterACutItRisesQuicklyToWhatWasAllowedAndSlowlyBeyond() {
        limit.refused(11, now);
        assertThat(limit.refusedAt()).as("no more than the limit was out by our doing").isEqualTo(10);
        now += 20 * SECOND;
        assertThat(goodLeases(7 + 8, SECOND)).as("at full pace up to one less than was refused").isEqualTo(9);
        assertThat(goodLeases(17, SECOND)).as("then at half the pace").isEqualTo(9);
        assertThat(goodLeases(1, SECOND)).isEqualTo(10);
        for (int i = 0; i < 3; i++) {
            limit.refused(10, now += 20 * SECOND);
        }
        now += 20 * SECOND;
        while (limit.legs() < 3) {
            goodLeases(1, SECOND);
        }
        int before = limit.legs();
        assertThat(goodLeases(before * 15, SECOND)).as("after four cuts, near the last refusal").isLessThanOrEqualTo(before + 1);
    }

    @Test
    void cutsAreForgottenAfterAWhile() {
        limit.refused(10, now);
        now += Duration.ofMinutes(10).toNanos();
        assertThat(goodLeases(7 + 8 + 9 + 10, SECOND)).isEqualTo(11);
        assertThat(limit.refusedAt()).isZero();
    }

    @Test
    void anHourOfRefusalsIsForgottenInAnHour() {
        for (int i = 0; i < 180; i++) {
            limit.refused(1, now += 20 * SECOND);
        }
        assertThat(limit.legs()).isEqualTo(1);
        now += Duration.ofHours(1).toNanos();
        assertThat(goodLeases(1 + 2 + 3, SECOND)).as("at full pace").isEqualTo(4);
    }

    @Test
    void itSettlesJustBelowWhatADestinationAllows() {
        long legSeconds = 0;
        int refusals = 0;
        for (int second = 0; second < 3600; second++) {
            now += SECOND;
            if (limit.legs() > 8) {
                refusals++;
                limit.refused(limit.legs(), now);
            }
            goodLeases(Math.min(8, limit.legs()), 0);
            legSeconds += Math.min(8, limit.legs());
        }
        assertThat(refusals).as("connections refused in an hour").isBetween(2, 80);
        assertThat(legSeconds / 3600.0).as("legs of 8 that were used").isGreaterThan(7.2);
    }

    @Test
    void aFixedLimitLearnsNothing() {
        for (var fixed : new LegLimit[] {LegLimit.fixed(3), LegLimit.unlimited()}) {
            var state = fixed.start();
            assertThat(state.refused(3, now)).isFalse();
            assertThat(state.succeeded(true, now)).isFalse();
            assertThat(state.legs()).isEqualTo(fixed.initial());
        }
        assertThat(LegLimit.unlimited().start().legs()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void cutAndPaceCanBeSet() {
        var own = LegLimit.learnt(10, 20).withCut(0.5, Duration.ofSeconds(1)).withRise(Duration.ZERO).start();
        own.refused(10, now);
        assertThat(own.legs()).isEqualTo(5);
        assertThat(own.refused(5, now + SECOND)).isTrue();
        assertThat(own.legs()).isEqualTo(2);
    }

    @Test
    void badSettingsAreRefusedByName() {
        assertThatIllegalArgumentException().isThrownBy(() -> LegLimit.fixed(0)).withMessageContaining("limit 0");
        assertThatIllegalArgumentException().isThrownBy(() -> LegLimit.learnt(5, 4)).withMessageContaining("from 5 up to 4");
        assertThatIllegalArgumentException().isThrownBy(() -> LegLimit.fixed(1).withCut(1, Duration.ZERO))
                .withMessageContaining("1.0");
        assertThatIllegalArgumentException().isThrownBy(() -> LegLimit.fixed(1).withRise(Duration.ofDays(2)))
                .withMessageContaining("PT48H");
        assertThat(LegLimit.learnt(5, 9)).hasToString("learnt, from 5 up to 9");
    }

    private int goodLeases(int count, long apart) {
        for (int i = 0; i < count; i++) {
            now += apart;
            limit.succeeded(true, now);
        }
        return limit.legs();
    }
}
