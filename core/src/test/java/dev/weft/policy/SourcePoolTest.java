package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SourcePoolTest {

    private static final int TENANTS = 30_000;

    private static SourceAddress source(String address) {
        return SourceAddress.of(TestSession.ip(address));
    }

    private static String first(SourcePool pool, String tenant, String destination) {
        return pool.inOrder(Inet4Address.class, tenant, destination).get(0).address().getHostAddress();
    }

    @Test
    void sharesFollowTheWeights() {
        var pool = SourcePool.of("p", source("192.0.2.1"), source("192.0.2.2").weighing(2), source("192.0.2.3").weighing(3));
        var shares = new HashMap<String, Integer>();
        for (int i = 0; i < TENANTS; i++) {
            shares.merge(first(pool, "10.0." + i / 256 + "." + i % 256, "203.0.113.25:25"), 1, Integer::sum);
        }
        assertThat(shares.get("192.0.2.1")).isCloseTo(TENANTS / 6, within(TENANTS / 60));
        assertThat(shares.get("192.0.2.2")).isCloseTo(TENANTS / 3, within(TENANTS / 60));
        assertThat(shares.get("192.0.2.3")).isCloseTo(TENANTS / 2, within(TENANTS / 60));
    }

    @Test
    void aTenantsAddressesAtManyDestinationsAreSpreadToo() {
        var pool = SourcePool.of("p", source("192.0.2.1"), source("192.0.2.2"));
        int firsts = 0;
        for (int i = 0; i < 1000; i++) {
            firsts += first(pool, "tenant", "mx" + i).equals("192.0.2.1") ? 1 : 0;
        }
        assertThat(firsts).isCloseTo(500, within(80));
    }

    @Test
    void anAddressThatGoesMovesOnlyItsOwnTenants() {
        var all = SourcePool.of("p", source("192.0.2.1"), source("192.0.2.2").weighing(3), source("192.0.2.3"));
        var less = SourcePool.of("p", source("192.0.2.3"), source("192.0.2.2").weighing(3));
        int moved = 0;
        for (int i = 0; i < 5000; i++) {
            var before = first(all, "tenant" + i, "mx");
            var after = first(less, "tenant" + i, "mx");
            if (!before.equals(after)) {
                assertThat(before).isEqualTo("192.0.2.1");
                var second = all.inOrder(Inet4Address.class, "tenant" + i, "mx").get(1);
                assertThat(after).isEqualTo(second.address().getHostAddress());
                moved++;
            }
        }
        assertThat(moved).isBetween(800, 1200);
    }

    /** No version of Weft may change these: each tenant would change its address at each destination. */
    @Test
    void theChoiceIsTheSameInEveryRun() {
        var pool = SourcePool.of("p", source("192.0.2.1"), source("192.0.2.2").weighing(2), source("192.0.2.3"),
                source("192.0.2.4"));
        assertThat(List.of(first(pool, "10.0.0.1", "203.0.113.25:25"), first(pool, "10.0.0.2", "203.0.113.25:25"),
                first(pool, "10.0.0.2", "203.0.113.26:25"), first(pool, "panel7", "a provider")))
                .containsExactly("192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.3");
    }

    @Test
    void onlyTheServersFamilyCounts() {
        var pool = SourcePool.of("p", source("192.0.2.1"), source("2001:db8::1"));
        assertThat(pool.inOrder(Inet6Address.class, "t", "d")).containsExactly(source("2001:db8::1"));
        assertThat(SourcePool.of("p", source("192.0.2.1")).inOrder(Inet6Address.class, "t", "d")).isEmpty();
    }

    @Test
    void wrongPoolsAreRefusedWithTheMend() {
        assertThatThrownBy(() -> SourcePool.of("p")).hasMessageContaining("at least one");
        assertThatThrownBy(() -> SourcePool.of("a b", source("192.0.2.1"))).hasMessageContaining("a%20b");
        assertThatThrownBy(() -> SourcePool.of("p", source("192.0.2.1"), source("192.0.2.1").weighing(2)))
                .hasMessageContaining("192.0.2.1 twice");
        assertThatThrownBy(() -> source("0.0.0.0")).hasMessageContaining("own addresses");
        assertThatThrownBy(() -> source("192.0.2.1").weighing(0)).hasMessageContaining("1 to 1000");
        assertThatThrownBy(() -> source("192.0.2.1").as("a b")).hasMessageContaining("EHLO name");
        assertThatThrownBy(() -> new WarmUp(0, 1.5, 10)).hasMessageContaining("from 0");
        assertThatThrownBy(() -> new WarmUp(10, 0.5, 10)).hasMessageContaining("0.5");
        assertThatThrownBy(() -> WarmUp.upTo(49)).hasMessageContaining("49");
        assertThat(source("192.0.2.1").as("mx.example.com").ehloName()).isEqualTo(Optional.of("mx.example.com"));
    }

    @Test
    void allowancesGrowByDay() {
        var plan = WarmUp.upTo(400);
        assertThat(IntStream.of(1, 2, 3, 6, 7, 100_000).map(plan::allowance).boxed())
                .containsExactly(50, 75, 112, 379, 400, 400);
    }
}
