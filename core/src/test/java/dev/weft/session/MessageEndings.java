package dev.weft.session;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Every short mix of dots, line ends and text that a message can end in, and what each is worth, found without the code under
 * test: by searching strings.
 */
final class MessageEndings {

    private static final String ALPHABET = ".\r\nx";
    private static final String CRLF = "\r\n";
    /** What is refused: 550 5.5.2. */
    static final String SMUGGLING =
            "client gets: 550 5.5.2 Message refused: it holds a dot between bare CR or LF that may be read as its end\n";

    private MessageEndings() {}

    /** All strings of the alphabet up to a length, the empty one first. */
    static List<String> mixes(int longest) {
        var all = new ArrayList<>(List.of(""));
        for (int from = 0, length = 0; length < longest; length++) {
            int to = all.size();
            for (; from < to; from++) {
                for (char c : ALPHABET.toCharArray()) {
                    all.add(all.get(from) + c);
                }
            }
        }
        return all;
    }

    /** All messages as a client may send them behind DATA, the end included, whose last octets are such mixes. */
    static void eachWire(int longest, Consumer<String> check) {
        check.accept(".\r\n");
        for (var mix : mixes(longest)) {
            var wire = mix + "\r\n.\r\n";
            if ((CRLF + wire).indexOf("\r\n.\r\n") == wire.length() + 2 - 5) { // else it ends earlier
                check.accept(wire);
            }
        }
    }

    /** Where a lax receiver could see an end that is none: how many octets go before it is completed; -1 if nowhere. */
    static int lookAlike(String wire) {
        var all = CRLF + wire;
        for (int i = 0; i + 2 < all.length(); i++) {
            if (isLineEnd(all.charAt(i)) && all.charAt(i + 1) == '.' && isLineEnd(all.charAt(i + 2)) && !all.startsWith("\r\n.\r\n", i - 1)) {
                return i; // with the dot, and without the CRLF that was put before
            }
        }
        return -1;
    }

    private static boolean isLineEnd(char c) {
        return c == '\r' || c == '\n';
    }

    /** What goes on of the beginning of a message: a CR that may complete a look-alike waits for the next octet. */
    static String goesOn(String beginning) {
        return (CRLF + beginning).endsWith("\r\n.\r") ? beginning.substring(0, beginning.length() - 1) : beginning;
    }

    /** The message itself. */
    static String content(String wire) {
        return wire.substring(0, wire.length() - 3).replaceAll("(?<=^|\r\n)\\.", "");
    }

    /** The wire that a message is sent as. */
    static String stuffed(String content) {
        var ended = content.isEmpty() || content.endsWith(CRLF);
        return dotted(content) + (ended ? "" : CRLF) + ".\r\n";
    }

    /** With the dots of transparency, without the end. */
    static String dotted(String content) {
        return content.replaceAll("(?<=^|\r\n)\\.", "..");
    }

    /** For a line of a transcript that ends where the text does. */
    static String escaped(String text) {
        return text.replace("\r", "\\r").replace("\n", "\\n") + "\\";
    }

    /** A line of a transcript; none for nothing. */
    static String line(String who, String text) {
        return text.isEmpty() ? "" : who + ": " + escaped(text) + "\n";
    }
}
