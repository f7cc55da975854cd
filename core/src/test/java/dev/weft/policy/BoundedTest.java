package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class BoundedTest {

    @Test
    void forgetsWhatWasUsedLongestAgo() {
        var map = new Bounded<String, int[]>(2);
        for (var key : List.of("a", "b", "a", "c")) {
            map.update(key, () -> new int[1], count -> count[0]++);
        }
        assertThat(keys(map)).containsExactly("a", "c");
        assertThat(map.read("b", count -> count[0])).isEmpty();
        assertThat(map.read("a", count -> count[0])).contains(2);
        map.update("d", () -> new int[1], count -> count[0]++);
        assertThat(keys(map)).containsExactly("a", "d");
        map.remove("a");
        assertThat(map.size()).isEqualTo(1);
    }

    @Test
    void neverHoldsMoreThanItsCap() {
        for (int cap : new int[] {1, 63, 1023, 1024, 1030, 5000}) {
            var map = new Bounded<Integer, Integer>(cap);
            for (int i = 0; i < 4 * cap; i++) {
                map.update(i, () -> 0, value -> value);
            }
            assertThat(map.size()).isBetween(cap * 9 / 10, cap);
            assertThat(map.read(4 * cap - 1, value -> value)).isPresent();
        }
        assertThatThrownBy(() -> new Bounded<String, String>(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 or more");
    }

    @Test
    void noChangeIsLostBetweenThreads() throws Exception {
        var map = new Bounded<Integer, int[]>(2000);
        var threads = Executors.newFixedThreadPool(4);
        try {
            Callable<Void> work = () -> {
                for (int i = 0; i < 100_000; i++) {
                    map.update(i % 1000, () -> new int[1], count -> count[0]++);
                }
                return null;
            };
            for (var done : threads.invokeAll(List.of(work, work, work, work))) {
                done.get();
            }
        } finally {
            threads.shutdown();
        }
        map.forEach((key, count) -> assertThat(count[0]).isEqualTo(400));
        assertThat(map.size()).isEqualTo(1000);
    }

    private static List<String> keys(Bounded<String, int[]> map) {
        var keys = new ArrayList<String>();
        map.forEach((key, value) -> keys.add(key));
        return keys;
    }
}
