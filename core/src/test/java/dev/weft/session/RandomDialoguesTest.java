package dev.weft.session;

import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random valid dialogues against a naive server: whatever happens, each command gets its own reply and each message arrives as it
 * was sent.
 */
class RandomDialoguesTest {

    @Test
    void everyCommandGetsItsOwnReplyAndEveryMessageArrivesAsItWasSent() {
        long first = Long.getLong("seed", new Random().nextLong());
        for (int i = 0; i < Integer.getInteger("dialogues", 3000); i++) {
            run(first + i);
        }
    }

    private static void run(long seed) {
        var world = new RandomDialogue(seed);
        try {
            world.run();
            world.check();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + "L: " + e.getMessage() + "\n" + world.client + "\n"
                    + String.join("\n", world.recorder.lines()), e);
        }
    }
}
