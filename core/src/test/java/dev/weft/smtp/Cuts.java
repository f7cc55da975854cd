package dev.weft.smtp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Gives the same octets cut in many ways, in buffers of all kinds: whole, at every octet, octet by octet and at random. */
final class Cuts {

    private Cuts() {
    }

    /** One char an octet. */
    static byte[] octets(String latin1) {
        return latin1.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String text(byte[] octets) {
        return new String(octets, StandardCharsets.ISO_8859_1);
    }

    static void each(byte[] octets, Consumer<List<ByteBuffer>> check) {
        check(octets, List.of(), 0, "whole", check);
        for (int cut = 0; cut <= octets.length; cut++) {
            check(octets, List.of(cut), cut, "cut at " + cut, check);
        }
        var all = new ArrayList<Integer>();
        for (int cut = 1; cut < octets.length; cut++) {
            all.add(cut);
        }
        check(octets, all, 1, "octet by octet", check);
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int round = 0; round < 20 && octets.length > 0; round++) {
            var cuts = new TreeSet<Integer>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                cuts.add(random.nextInt(octets.length));
            }
            check(octets, new ArrayList<>(cuts), round, "seed " + seed + ", round " + round, check);
        }
    }

    private static void check(byte[] octets, List<Integer> cuts, int kind, String how, Consumer<List<ByteBuffer>> check) {
        var buffers = new ArrayList<ByteBuffer>();
        int from = 0;
        for (int cut : cuts) {
            buffers.add(buffer(octets, from, cut, kind + buffers.size()));
            from = cut;
        }
        buffers.add(buffer(octets, from, octets.length, kind + buffers.size()));
        try {
            check.accept(buffers);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("with the octets " + Octets.escape(text(octets)) + " " + how + ": " + e.getMessage(), e);
        }
    }

    /** Direct or heap, either order, and never beginning at 0: what surrounds the octets would be mistaken for an end. */
    static ByteBuffer buffer(byte[] octets, int from, int end, int kind) {
        int before = kind % 3;
        int size = before + end - from + 9;
        var buffer = kind % 2 == 0 ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
        buffer.order(kind % 4 < 2 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        var around = octets("\r\n.\r\n.\r\n.");
        buffer.put(around, 0, before);
        buffer.put(octets, from, end - from);
        buffer.put(around, 0, 9);
        buffer.position(before).limit(before + end - from);
        return buffer;
    }

    static byte[] join(byte[] a, byte[] b) {
        var joined = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, joined, a.length, b.length);
        return joined;
    }
}
