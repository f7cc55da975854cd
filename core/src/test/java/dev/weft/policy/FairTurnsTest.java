package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weft.policy.Turn.State;
import dev.weft.relay.Tenant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of {@link FairTurns}, one by one. */
class FairTurnsTest {

    private static final long SECOND = 1_000_000_000L;
    private static final Tenant A = Tenant.of("a");
    private static final Tenant B = Tenant.of("b");
    private static final Tenant C = Tenant.of("c");

    private final FairTurns<String> turns = new FairTurns<>(1);
    private long now = 5 * SECOND;

    @Test
    void aFreeLegIsGrantedAtOnce() {
        assertThat(ask(A, "a1").isGranted()).isTrue();
        assertThat(ask(A, "a2").state()).isEqualTo(State.WAITING);
        assertThat(turns.out()).isEqualTo(1);
        assertThat(turns.waiting()).isEqualTo(1);
        assertThat(turns.next(now)).isEmpty();
    }

    @Test
    void aReleasedLegGoesToTheNextWaiter() {
        var a1 = ask(A, "a1");
        ask(A, "a2");
        ask(A, "a3");

        assertThat(releaseAfter(1, a1)).containsExactly("a2");
        assertThat(a1.state()).isEqualTo(State.RELEASED);
    }

    @Test
    void nobodyOvertakesWaitersWhileTheirGrantIsStillToBeFetched() {
        var a1 = ask(A, "a1");
        ask(A, "a2");
        turns.release(a1, now);

        assertThat(ask(A, "a3").state()).isEqualTo(State.WAITING);
        assertThat(grants()).containsExactly("a2");
    }

    @Test
    void tenantsTakeTurns() {
        var first = ask(A, "a1");
        for (var name : List.of("a2", "a3", "a4")) {
            ask(A, name);
        }
        for (var name : List.of("b1", "b2", "c1", "c2")) {
            ask(Tenant.of(name.substring(0, 1)), name);
        }

        assertThat(served(first)).containsExactly("a1", "b1", "c1", "a2", "b2", "c2", "a3", "a4");
    }

    @Test
    void aWeightOfTwoGetsTwoTurnsForOne() {
        var first = ask(C, "c0");
        for (int i = 1; i <= 6; i++) {
            ask(A.withWeight(2), "a" + i);
        }
        for (int i = 1; i <= 3; i++) {
            ask(B, "b" + i);
        }

        assertThat(served(first)).containsExactly("c0", "a1", "b1", "a2", "b2", "a3", "a4", "b3", "a5", "a6");
    }

    @Test
    void aSlowTenantPaysForItsTime() {
        var c1 = ask(C, "c1");
        var a1 = ask(A, "a1");
        ask(A, "a2");
        for (int i = 1; i <= 4; i++) {
            ask(B, "b" + i);
        }

        assertThat(releaseAfter(1, c1)).containsExactly("a1");
        var later = new ArrayList<String>();
        var out = a1;
        long seconds = 3;
        while (out != null) {
            now += seconds * SECOND;
            turns.release(out, now);
            out = turns.next(now).orElse(null);
            later.add(out == null ? "-" : out.waiter());
            seconds = 1;
        }
        assertThat(later).as("after a1's three seconds").containsExactly("b1", "b2", "b3", "a2", "b4", "-");
    }

    @Test
    void aTimeWithoutContentionIsNobodysDebt() {
        var a1 = ask(A, "a1");
        now += 1000 * SECOND;
        ask(A, "a2");
        ask(B, "b1");
        ask(B, "b2");
        ask(B, "b3");

        assertThat(served(a1)).containsExactly("a1", "b1", "a2", "b2", "b3");
    }

    @Test
    void legsThatAreOutCountWhenTurnsAreGivenTogether() {
        var a1 = ask(A, "a1");
        for (int i = 2; i <= 9; i++) {
            ask(A, "a" + i);
            ask(B, "b" + i);
            ask(C, "c" + i);
        }
        turns.limit(7);
        var granted = grants();

        assertThat(granted).hasSize(6);
        assertThat(granted.stream().filter(name -> name.startsWith("b"))).hasSize(2);
        assertThat(granted.stream().filter(name -> name.startsWith("c"))).hasSize(2);
        assertThat(a1.isGranted()).isTrue();
    }

    @Test
    void aLoweredLimitTakesNoTurnAway() {
        turns.limit(3);
        var a1 = ask(A, "a1");
        var a2 = ask(A, "a2");
        var a3 = ask(A, "a3");
        ask(A, "a4");
        turns.limit(1);

        assertThat(turns.out()).isEqualTo(3);
        assertThat(releaseAfter(1, a1)).isEmpty();
        assertThat(releaseAfter(1, a3)).isEmpty();
        assertThat(releaseAfter(1, a2)).containsExactly("a4");
    }

    @Test
    void aTenantsQueueIsBoundedAndOthersAreNotTouched() {
        var small = new FairTurns<String>(1, 2, Duration.ofSeconds(30));
        small.ask(A, "a1", now);
        assertThat(small.ask(A, "a2", now).state()).isEqualTo(State.WAITING);
        var a3 = small.ask(A, "a3", now);
        assertThat(a3.state()).isEqualTo(State.WAITING);
        var a4 = small.ask(A, "a4", now);
        assertThat(a4.state()).isEqualTo(State.REFUSED);
        assertThat(small.withdraw(a4, now)).isFalse();
        assertThat(small.ask(B, "b1", now).state()).isEqualTo(State.WAITING);

        small.withdraw(a3, now);
        assertThat(small.ask(A, "a5", now).state()).isEqualTo(State.WAITING);
    }

    @Test
    void aWithdrawnWaiterIsNotGranted() {
        var a1 = ask(A, "a1");
        var a2 = ask(A, "a2");
        ask(B, "b1");

        assertThat(turns.withdraw(a2, now)).isTrue();
        assertThat(turns.withdraw(a2, now)).isFalse();
        assertThat(a2.state()).isEqualTo(State.WITHDRAWN);
        assertThat(releaseAfter(1, a1)).containsExactly("b1");
    }

    @Test
    void aGrantedTurnCannotBeWithdrawn() {
        var a1 = ask(A, "a1");
        assertThat(turns.withdraw(a1, now)).isFalse();
        assertThat(a1.isGranted()).isTrue();
        assertThat(turns.out()).isEqualTo(1);
    }

    @Test
    void aWaitEndsAfterThirtySeconds() {
        var a1 = ask(A, "a1");
        assertThat(turns.nextExpiry()).isEmpty();
        long asked = now;
        var b1 = ask(B, "b1");
        now += SECOND;
        ask(A, "a2");
        assertThat(turns.nextExpiry()).hasValue(asked + 30 * SECOND);

        assertThat(turns.expire(asked + 30 * SECOND - 1)).isEmpty();
        assertThat(turns.expire(asked + 30 * SECOND)).containsExactly(b1);
        assertThat(b1.state()).isEqualTo(State.EXPIRED);
        assertThat(turns.nextExpiry()).hasValue(asked + 31 * SECOND);
        now = asked + 30 * SECOND;
        assertThat(releaseAfter(0, a1)).containsExactly("a2");
    }

    @Test
    void aClockThatWrapsIsNoTrouble() {
        now = Long.MAX_VALUE - SECOND;
        var a1 = ask(A, "a1");
        ask(A, "a2");
        now += 2 * SECOND;
        assertThat(now).isNegative();
        assertThat(turns.expire(now)).isEmpty();
        ask(B, "b1");
        assertThat(served(a1)).containsExactly("a1", "b1", "a2");
    }

    @Test
    void aTimeFromAnotherThreadMayBeALittleLate() {
        var a1 = ask(A, "a1");
        ask(B, "b1");
        turns.release(a1, now - SECOND);
        assertThat(grants()).containsExactly("b1");
    }

    @Test
    void aTurnIsReleasedOnce() {
        var a1 = ask(A, "a1");
        turns.release(a1, now);
        assertThatIllegalStateException().isThrownBy(() -> turns.release(a1, now)).withMessageContaining("turn of a, RELEASED");
        assertThat(turns.out()).isZero();
    }

    @Test
    void aTurnBelongsToItsDestination() {
        var other = new FairTurns<String>(1).ask(A, "a1", now);
        assertThatIllegalArgumentException().isThrownBy(() -> turns.release(other, now))
                .withMessageContaining("another destination");
        assertThatIllegalArgumentException().isThrownBy(() -> turns.withdraw(other, now));
    }

    @Test
    void aWeightMayChangeWhileATenantWaits() {
        var first = ask(C, "c0");
        ask(A, "a1");
        ask(B, "b1");
        ask(B, "b2");
        ask(A.withWeight(3), "a2");
        for (int i = 3; i <= 6; i++) {
            ask(A.withWeight(3), "a" + i);
        }
        assertThat(turns.snapshot(now).tenants().get(0).weight()).isEqualTo(3);
        assertThat(served(first)).containsExactly("c0", "a1", "b1", "a2", "a3", "b2", "a4", "a5", "a6");
    }

    @Test
    void theSnapshotShowsWhoWaitsAndWhoIsOut() {
        ask(A.withWeight(2), "a1");
        ask(B, "b1");
        now += 3 * SECOND;
        ask(B, "b2");

        assertThat(turns.snapshot(now)).isEqualTo(new TurnsSnapshot(1, 1, 2, List.of(
                new TurnsSnapshot.OfTenant("a", 2, 1, 0, Duration.ZERO),
                new TurnsSnapshot.OfTenant("b", 1, 0, 2, Duration.ofSeconds(3)))));
        assertThat(turns.isFull()).isTrue();
        assertThat(turns.isIdle()).isFalse();
    }

    @Test
    void badBoundsAreRefusedByName() {
        assertThatIllegalArgumentException().isThrownBy(() -> new FairTurns<String>(0)).withMessageContaining("limit 0");
        assertThatIllegalArgumentException().isThrownBy(() -> turns.limit(-1)).withMessageContaining("limit -1");
        assertThatIllegalArgumentException().isThrownBy(() -> new FairTurns<String>(1, 0, Duration.ofSeconds(1)))
                .withMessageContaining("waiters per tenant: 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FairTurns<String>(1, 1, Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageContaining("at most a day");
        assertThatIllegalArgumentException().isThrownBy(() -> new FairTurns<String>(1, 1, Duration.ZERO))
                .withMessageContaining("PT0S");
    }

    private Turn<String> ask(Tenant tenant, String waiter) {
        return turns.ask(tenant, waiter, now);
    }

    private List<String> releaseAfter(int seconds, Turn<String> turn) {
        now += seconds * SECOND;
        turns.release(turn, now);
        return grants();
    }

    private List<String> grants() {
        var granted = new ArrayList<String>();
        for (var turn = turns.next(now); turn.isPresent(); turn = turns.next(now)) {
            granted.add(turn.get().waiter());
        }
        return granted;
    }

    /** All in the order in which they are served, a second each. */
    private List<String> served(Turn<String> first) {
        var order = new ArrayList<String>();
        for (var out = first; out != null; out = turns.next(now).orElse(null)) {
            order.add(out.waiter());
            now += SECOND;
            turns.release(out, now);
        }
        return order;
    }
}
