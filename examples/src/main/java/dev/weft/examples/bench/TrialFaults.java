package dev.weft.examples.bench;

import dev.weft.examples.bench.TrialFault.Moment;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Draws the faults of a trial at random, and counts them. One thread. */
final class TrialFaults {

    private static final double ALL = 10_000;

    private final Random random;
    private final Map<Moment, Map<TrialFault, Integer>> odds = new EnumMap<>(Moment.class);
    private final Map<String, Integer> drawn = new TreeMap<>();
    private final boolean usedOnly;
    private boolean calm;

    /**
     * @param usedOnly whether nothing goes wrong but between two transactions of a connection, up to the MAIL of the second
     */
    TrialFaults(long seed, boolean usedOnly) {
        this.random = new Random(seed);
        this.usedOnly = usedOnly;
        // In 10,000 of such moments.
        if (usedOnly) {
            at(Moment.IDLE).putAll(Map.of(TrialFault.THEN_CUT, 1000, TrialFault.THEN_RESET, 1000, TrialFault.THEN_421, 1000));
            set(Moment.MAIL, 300, 0, 300, 300, 300, 0, 0);
            set(Moment.QUIT, 300, 0, 300, 300, 0, 0, 0);
            return;
        }
        at(Moment.ACCEPT).put(TrialFault.AWAY, 40);
        set(Moment.GREETING, 300, 2, 100, 100, 100, 100, 100);
        at(Moment.GREETING).put(TrialFault.CROWDED, 30);
        set(Moment.EHLO, 200, 2, 80, 80, 80, 80, 80);
        at(Moment.EHLO).put(TrialFault.UNKNOWN, 40);
        set(Moment.MAIL, 200, 2, 80, 80, 80, 150, 150);
        set(Moment.RCPT, 150, 2, 60, 60, 60, 250, 250);
        set(Moment.DATA, 150, 2, 60, 60, 60, 80, 80);
        set(Moment.MESSAGE, 0, 0, 60, 60, 60, 0, 40);
        set(Moment.END, 200, 2, 60, 60, 80, 150, 150);
        at(Moment.END).put(TrialFault.TAKEN_CUT, 60);
        at(Moment.END).put(TrialFault.TAKEN_RESET, 60);
        at(Moment.END).put(TrialFault.TAKEN_SILENT, 3);
        set(Moment.RSET, 200, 2, 80, 80, 80, 50, 50);
        at(Moment.IDLE).put(TrialFault.THEN_CUT, 250);
        at(Moment.IDLE).put(TrialFault.THEN_RESET, 250);
        at(Moment.IDLE).put(TrialFault.THEN_421, 250);
        set(Moment.QUIT, 300, 20, 200, 200, 0, 0, 0);
    }

    private Map<TrialFault, Integer> at(Moment moment) {
        return odds.computeIfAbsent(moment, each -> new EnumMap<>(TrialFault.class));
    }

    private void set(Moment moment, int slow, int silent, int cut, int reset, int says421, int temporary, int permanent) {
        at(moment).putAll(Map.of(TrialFault.SLOW, slow, TrialFault.SILENT, silent, TrialFault.CUT, cut, TrialFault.RESET, reset,
                TrialFault.SAYS_421, says421, TrialFault.TEMPORARY, temporary, TrialFault.PERMANENT, permanent));
    }

    /** From now on nothing goes wrong, or again. */
    void calm(boolean on) {
        calm = on;
    }

    /** @param used whether the connection has carried a transaction before */
    TrialFault draw(Moment moment, boolean used) {
        if (calm || usedOnly && !used) {
            return TrialFault.NONE;
        }
        double left = random.nextDouble() * ALL;
        for (var each : at(moment).entrySet()) {
            left -= each.getValue();
            if (left < 0) {
                drawn.merge(moment + ": " + each.getKey().words, 1, Integer::sum);
                return each.getKey();
            }
        }
        return TrialFault.NONE;
    }

    /** A time between two moments, in ms. */
    int millis(int most) {
        return random.nextInt(most + 1);
    }

    /** Whether a connection offers what most do. */
    boolean offers(double share) {
        return usedOnly || random.nextDouble() < share;
    }

    Map<String, Integer> drawn() {
        return drawn;
    }
}
