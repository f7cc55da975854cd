package dev.weft.smtp;

import java.util.OptionalLong;

/** What follows BDAT: {@code chunk-size [SP "LAST"]} and nothing else (RFC 3030 §2). */
final class ChunkArgument {
    /** Some servers count in 32 bits: for them a chunk of 4 GiB has no octets, and what follows is commands. */
    private static final long LARGEST = Integer.MAX_VALUE;

    private ChunkArgument() {
    }

    static OptionalLong size(Command command) {
        if (command.verb() != Verb.BDAT) {
            return OptionalLong.empty();
        }
        var line = command.raw();
        int end = Octets.trimEnd(line, command.verbEnd(), command.textEnd());
        int sizeStart = Octets.skipBlanks(line, command.verbEnd(), end);
        int sizeEnd = Octets.skipToBlank(line, sizeStart, end);
        int rest = Octets.skipBlanks(line, sizeEnd, end);
        boolean wellEnded = rest == end || Octets.equalsIgnoreCase(line, rest, end, "LAST");
        return wellEnded ? number(line, sizeStart, sizeEnd) : OptionalLong.empty();
    }

    static boolean isLast(Command command) {
        if (size(command).isEmpty()) {
            return false;
        }
        var line = command.raw();
        int end = Octets.trimEnd(line, command.verbEnd(), command.textEnd());
        return !Octets.isDigit(line[end - 1]);
    }

    private static OptionalLong number(byte[] line, int from, int end) {
        long number = 0;
        for (int i = from; i < end; i++) {
            int digit = line[i] - '0';
            if (digit < 0 || digit > 9 || number > (LARGEST - digit) / 10) {
                return OptionalLong.empty();
            }
            number = number * 10 + digit;
        }
        return from == end ? OptionalLong.empty() : OptionalLong.of(number);
    }
}
