package dev.weft.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** How a transcript writes octets: UTF-8 text with backslash escapes. */
final class Escapes {

    private static final int SHOWN = 2000;

    private Escapes() {}

    /** The octets of a line; CRLF is added unless the line ends in a lone backslash. */
    static byte[] octets(String line) {
        var out = new ByteArrayOutputStream();
        var crlf = true;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c != '\\') {
                int end = Character.isHighSurrogate(c) ? i + 2 : i + 1;
                out.writeBytes(line.substring(i, end).getBytes(StandardCharsets.UTF_8));
                i = end - 1;
                continue;
            }
            i++;
            if (i == line.length()) {
                crlf = false;
                break;
            }
            switch (line.charAt(i)) {
                case 'r' -> out.write('\r');
                case 'n' -> out.write('\n');
                case 't' -> out.write('\t');
                case '0' -> out.write(0);
                case 's' -> out.write(' ');
                case '\\' -> out.write('\\');
                case 'x' -> {
                    out.write(Integer.parseInt(line.substring(i + 1, i + 3), 16));
                    i += 2;
                }
                case '{' -> {
                    int star = line.indexOf('*', i);
                    int end = line.indexOf('}', i);
                    out.writeBytes(line.substring(star + 1, end).repeat(Integer.parseInt(line.substring(i + 1, star)))
                            .getBytes(StandardCharsets.UTF_8));
                    i = end;
                }
                default -> throw new IllegalArgumentException("\\" + line.charAt(i) + " in \"" + line
                        + "\": use \\r \\n \\t \\0 \\s \\\\ \\xHH \\{count*text}, or a lone \\ at the end for no CRLF");
            }
        }
        if (crlf) {
            out.write('\r');
            out.write('\n');
        }
        return out.toByteArray();
    }

    /** Octets as lines that a transcript could hold. */
    static String show(byte[] octets) {
        if (octets.length == 0) {
            return "    (nothing)";
        }
        var out = new StringBuilder("    ");
        for (int i = 0; i < Math.min(octets.length, SHOWN); i++) {
            int b = octets[i] & 0xff;
            switch (b) {
                case '\r' -> out.append("\\r");
                case '\n' -> out.append("\\n").append(i + 1 < octets.length ? "\n    " : "");
                case '\\' -> out.append("\\\\");
                default -> {
                    if (b >= ' ' && b < 0x7f) {
                        out.append((char) b);
                    } else {
                        out.append(String.format("\\x%02x", b));
                    }
                }
            }
        }
        return out.append(octets.length > SHOWN ? "... (" + octets.length + " octets)" : "").toString();
    }
}
