package dev.weft.testkit;

import java.nio.ByteBuffer;
import java.util.Random;

/** How inputs are cut, and in what kind of buffer each piece comes. */
final class Cuts {

    private static final int[] LONGEST = {1, 2, 3, 7, 40, 1000, 100_000};

    private final String name;
    private final Random random;
    private final int fixed;

    private Cuts(String name, Random random, int fixed) {
        this.name = name;
        this.random = random;
        this.fixed = fixed;
    }

    static Cuts whole() {
        return new Cuts("nowhere", null, Integer.MAX_VALUE);
    }

    static Cuts eachByte() {
        return new Cuts("at every octet", null, 1);
    }

    static Cuts random(long seed) {
        return new Cuts("at random, seed " + seed, new Random(seed), 0);
    }

    int next(int left) {
        int longest = random == null ? fixed : 1 + random.nextInt(LONGEST[random.nextInt(LONGEST.length)]);
        return Math.min(left, longest);
    }

    /** Where time begins. It may be before zero: System.nanoTime() may give that. */
    long origin() {
        return random == null ? 0 : random.nextLong() / 4;
    }

    /** Whether a verdict that is there arrives between two pieces. */
    boolean verdictBetween() {
        return random != null && random.nextBoolean();
    }

    /** Whether a store's answers are there at once, as from memory, or later, as from a disk. */
    boolean storeAnswersAtOnce() {
        return random == null ? fixed > 1 : random.nextBoolean();
    }

    ByteBuffer buffer(byte[] octets, int from, int length) {
        int offset = random == null ? 0 : random.nextInt(5);
        int more = random == null ? 0 : random.nextInt(5);
        var buffer = random != null && random.nextBoolean()
                ? ByteBuffer.allocateDirect(offset + length + more)
                : ByteBuffer.allocate(offset + length + more);
        buffer.position(offset).limit(offset + length);
        buffer.put(offset, octets, from, length);
        return buffer;
    }

    @Override
    public String toString() {
        return name;
    }
}
