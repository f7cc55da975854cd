package dev.weft.smtp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Cuts the secrets out of a command before anyone but the server sees it (RFC 4954 §4: the initial response). */
final class Masking {
    private static final byte[] MASK = " ***\r\n".getBytes(StandardCharsets.US_ASCII);

    private Masking() {
    }

    static Command mask(Command command) {
        var line = command.raw();
        int end = command.textEnd();
        int verbEnd = command.verbEnd();
        int mechanism = Octets.skipBlanks(line, verbEnd, end);
        // "AUTH=PLAIN secret" and its like are no AUTH, but what follows was meant to be secret all the same.
        boolean misspelt = command.verb() == Verb.UNKNOWN && verbEnd - command.verbStart() > 4
                && Octets.equalsIgnoreCase(line, command.verbStart(), command.verbStart() + 4, "AUTH");
        if (mechanism == end || command.verb() != Verb.AUTH && !misspelt) {
            return command;
        }
        int mechanismEnd = Octets.skipToBlank(line, mechanism, end);
        if (misspelt || !isMechanism(line, mechanism, mechanismEnd)) {
            return cut(line, verbEnd);
        }
        return Octets.skipBlanks(line, mechanismEnd, end) == end ? command : cut(line, mechanismEnd);
    }

    /** RFC 4422 §3.1, in any case. What is longer or has other characters may be a response in the wrong place. */
    private static boolean isMechanism(byte[] line, int from, int end) {
        for (int i = from; i < end; i++) {
            int c = Octets.upperCase(line[i]);
            if (!(c >= 'A' && c <= 'Z' || Octets.isDigit(c) || c == '-' || c == '_')) {
                return false;
            }
        }
        return end - from <= 20;
    }

    private static Command cut(byte[] line, int keep) {
        var masked = Arrays.copyOf(line, keep + MASK.length);
        System.arraycopy(MASK, 0, masked, keep, MASK.length);
        return Command.owning(masked);
    }
}
