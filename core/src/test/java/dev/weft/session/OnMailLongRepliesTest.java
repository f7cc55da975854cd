package dev.weft.session;

import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.smtp.Reply;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/**
 * What a server said once of a whole transaction is repeated at each recipient. A client that reads nothing, and has sent a
 * thousand of them, must not make that fill the memory.
 */
class OnMailLongRepliesTest {

    private static final int ROOM = 2048;

    private static Reply wordy(int code, int lines, String text) {
        var wire = new StringBuilder();
        for (int i = 1; i <= lines; i++) {
            wire.append(code).append(i < lines ? '-' : ' ').append(text).append("\r\n");
        }
        return Reply.parse(wire.toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void requireShort(Reply reply) {
        assertThat(reply.length()).isLessThanOrEqualTo(ROOM);
        for (var line : new String(reply.bytes(), StandardCharsets.ISO_8859_1).split("\r\n")) {
            assertThat(line.length()).as("RFC 5321 §4.5.3.1.5").isLessThanOrEqualTo(510);
            assertThat(line).matches("451[- ].*|550[- ].*");
        }
        assertThat(Reply.parse(reply.bytes())).isEqualTo(reply);
    }

    @Test
    void a421IsQuotedInPart() {
        for (var text : new String[] {"", "x", "4.999.999", "x".repeat(500), "\u00e9\u0001\u007f".repeat(300), "4.7.0 " + "y".repeat(80)}) {
            for (int lines : new int[] {1, 2, 5, 40, 5000}) {
                requireShort(Answers.softened(wordy(421, lines, text)));
            }
        }
        assertThat(Answers.softened(wordy(421, 8, "4.7.0 " + "y".repeat(80))).lines()).hasSize(8);
    }

    @Test
    void aRefusedMailIsRepeatedInPart() {
        for (var text : new String[] {"x", "x".repeat(500), "\u00e9\u0001\u007f".repeat(300), "5.7.1 " + "y".repeat(80)}) {
            for (int lines : new int[] {5, 40, 900}) {
                requireShort(Answers.repeatable(wordy(550, lines, text)));
            }
        }
        for (var asItIs : new Reply[] {wordy(550, 1, ""), wordy(550, 20, "5.7.1 " + "y".repeat(80)), wordy(550, 1, "\u00e9")}) {
            assertThat(Answers.repeatable(asItIs)).isSameAs(asItIs);
        }
    }

    @Test
    void soItGoesToTheClient() {
        var said = "server: 550-5.7.1 \\{600*x}\n".repeat(40) + "server: 550 5.7.1 end\n";
        var told = "client gets: 550-5.7.1 \\{394*x}\n".repeat(3) + "client gets: 550 5.7.1 \\{394*x}\n";
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: RCPT TO:<c@example.net>
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<c@example.net>
                """, said, "server: 503 b\nserver: 503 c\n", told, told,
                "server gets: RSET\nserver: 250 reset\nserver leg: given back\nclient: RCPT TO:<d@example.net>\n", told,
                "client: RSET\nclient gets: 250 2.0.0 Ok\n", QUIT).replay();
    }
}
