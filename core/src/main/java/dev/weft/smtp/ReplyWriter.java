package dev.weft.smtp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Builds the octets of a reply of our own, and lets nothing into them that could be read as another (RFC 5321 §4.2). */
final class ReplyWriter {
    /** With the CRLF (RFC 5321 §4.5.3.1.5). */
    private static final int LONGEST_LINE = 512;

    private ReplyWriter() {
    }

    static Reply write(int code, String enhanced, String... lines) {
        if (code < 200 || code > 599) {
            throw new IllegalArgumentException("reply code " + code + " does not exist: use 200 to 599 (RFC 5321 §4.2)");
        }
        var texts = lines.length == 0 ? new String[] {""} : lines;
        var out = new ByteArrayOutputStream(128);
        for (int i = 0; i < texts.length; i++) {
            var text = enhanced.isEmpty() || texts[i].isEmpty() ? enhanced + texts[i] : enhanced + " " + texts[i];
            writeLine(out, code, i == texts.length - 1 ? ' ' : '-', text);
        }
        return Reply.owning(out.toByteArray());
    }

    private static void writeLine(ByteArrayOutputStream out, int code, char separator, String text) {
        var line = (code + String.valueOf(separator) + printable(text) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        if (line.length > LONGEST_LINE) {
            throw new IllegalArgumentException("reply line \"" + Octets.escape(text) + "\" has " + line.length
                    + " octets with code and CRLF, " + LONGEST_LINE + " are allowed: shorten it or give it as several lines");
        }
        out.writeBytes(line);
    }

    /** HT is the one control character that a text may hold (RFC 5321 §4.2, textstring). */
    private static String printable(String text) {
        Octets.refuseControls("reply text", text.replace('\t', ' '), "give each line as an argument of its own");
        var out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> out.append(c < 0x80 ? (char) c : '?'));
        return out.toString();
    }
}
