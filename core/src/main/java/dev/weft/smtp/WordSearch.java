package dev.weft.smtp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Finds octets eight at a time, in direct and heap buffers of any byte order. */
final class WordSearch {
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final long HIGH_NIBBLES = ONES * 0xf0;
    private static final long DOTS = ONES * '.';
    private static final long CRS = ONES * '\r';
    private static final long LFS = ONES * '\n';

    private WordSearch() {
    }

    /**
     * The index of the first dot that has a CR or LF right before it, or end. The octet before from must be in the buffer too.
     *
     * <p>Four words a turn: one branch for 32 octets without a dot, two for those with dots inside lines.
     */
    static int dotAtLineStart(ByteBuffer in, int from, int end) {
        int i = from;
        for (; i <= end - 32; i += 32) {
            long a = zeros(in.getLong(i) ^ DOTS);
            long b = zeros(in.getLong(i + 8) ^ DOTS);
            long c = zeros(in.getLong(i + 16) ^ DOTS);
            long d = zeros(in.getLong(i + 24) ^ DOTS);
            if ((a | b | c | d) == 0) {
                continue;
            }
            // The words one octet earlier have each dot's predecessor in the dot's place.
            long behindLow = a & low(in.getLong(i - 1)) | b & low(in.getLong(i + 7))
                    | c & low(in.getLong(i + 15)) | d & low(in.getLong(i + 23));
            if (behindLow != 0) {
                int found = dotAtLineStartBytewise(in, i, i + 32);
                if (found < i + 32) {
                    return found;
                }
            }
        }
        return dotAtLineStartBytewise(in, i, end);
    }

    private static int dotAtLineStartBytewise(ByteBuffer in, int from, int end) {
        for (int i = from; i < end; i++) {
            if (in.get(i) == '.' && (in.get(i - 1) == Octets.LF || in.get(i - 1) == Octets.CR)) {
                return i;
            }
        }
        return end;
    }

    /** The index of the first CR or LF, or end. */
    static int lineEnd(ByteBuffer in, int from, int end) {
        int i = from;
        for (; i <= end - 8; i += 8) {
            long word = in.getLong(i);
            long cr = word ^ CRS;
            long lf = word ^ LFS;
            if ((zeros(cr) | zeros(lf)) != 0) {
                return i + Math.min(first(cr, in), first(lf, in));
            }
        }
        while (i < end && in.get(i) != Octets.CR && in.get(i) != Octets.LF) {
            i++;
        }
        return i;
    }

    /** Marks each byte that is zero. Others may be marked too, but only above one that is: the lowest mark is right. */
    private static long zeros(long word) {
        return word - ONES & ~word & HIGHS;
    }

    /** Marks the bytes below 16, CR and LF among them, and perhaps some others. */
    private static long low(long word) {
        return zeros(word & HIGH_NIBBLES);
    }

    /** Which of the word's bytes, in the buffer's order, is the first zero; 8 if none is. */
    private static int first(long word, ByteBuffer in) {
        long ordered = in.order() == ByteOrder.LITTLE_ENDIAN ? word : Long.reverseBytes(word);
        return Long.numberOfTrailingZeros(zeros(ordered)) >>> 3;
    }
}
