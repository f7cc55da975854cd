package dev.weft.session;

import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Sessions bound on mail between odd clients and servers with faults: each command gets its own reply, each message reaches at
 * most one server whole, no leg is left to others that is not between transactions, and what servers do ends no session.
 */
class RandomOnMailDialoguesTest {

    @Test
    void serversNeverEndASessionAndLegsAreGivenBackInGoodOrder() {
        long first = Long.getLong("seed", new Random().nextLong());
        for (int i = 0; i < Integer.getInteger("dialogues", 1500); i++) {
            run(first + i);
        }
    }

    private static void run(long seed) {
        var world = new RandomOnMailDialogue(seed);
        try {
            world.run();
            world.check();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + "L: " + e.getMessage() + "\n" + world.client + "\n"
                    + String.join("\n", world.recorder.lines()) + "\n\n" + String.join("\n", world.log), e);
        }
    }
}
