package dev.weft.testkit;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A message that a {@link ScriptedServer} accepted.
 *
 * @param connection 1 for the server's first connection
 * @param hello the argument of the last EHLO or HELO
 * @param mail the MAIL command as it came
 * @param recipients the accepted RCPT commands as they came
 * @param raw the octets on the wire, still dot-stuffed, with the last line's CRLF, without the end-of-data marker
 * @param content the octets without dot-stuffing
 */
public record ReceivedMessage(int connection, String hello, String mail, List<String> recipients, byte[] raw, byte[] content) {

    /**
     * Makes the list immutable.
     *
     * @param connection 1 for the server's first connection
     * @param hello the argument of the last EHLO or HELO
     * @param mail the MAIL command as it came
     * @param recipients the accepted RCPT commands as they came
     * @param raw the octets on the wire, still dot-stuffed, with the last line's CRLF, without the end-of-data marker
     * @param content the octets without dot-stuffing
     */
    public ReceivedMessage {
        recipients = List.copyOf(recipients);
    }

    /**
     * The content, one character an octet.
     *
     * @return the content as ISO-8859-1
     */
    public String text() {
        return new String(content, StandardCharsets.ISO_8859_1);
    }
}
