package dev.weft.session;

import dev.weft.relay.Stage;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** Sums the time that each stage took. */
final class StageTimes {

    private static final Stage[] STAGES = Stage.values();

    private long[] nanos;

    void add(Stage stage, long taken) {
        if (nanos == null) {
            nanos = new long[STAGES.length];
        }
        // 1 ns at least, so that a stage that happened is told from one that did not
        nanos[stage.ordinal()] += Math.max(1, taken);
    }

    Map<Stage, Duration> toMap() {
        var map = new EnumMap<Stage, Duration>(Stage.class);
        for (int i = 0; nanos != null && i < nanos.length; i++) {
            if (nanos[i] != 0) {
                map.put(STAGES[i], Duration.ofNanos(nanos[i]));
            }
        }
        return map;
    }
}
