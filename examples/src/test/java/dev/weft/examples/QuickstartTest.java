package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class QuickstartTest {

    private static final char ESCAPE = 0x1b;

    @Test
    void threeMessagesFromTwoSendersArriveByteForByteAndTheTranscriptShowsHow() {
        var out = new ByteArrayOutputStream();
        assertThat(Quickstart.run(out, false)).as(out.toString(StandardCharsets.UTF_8)).isZero();
        var text = out.toString(StandardCharsets.UTF_8);
        assertThat(text)
                .contains("> EHLO first.example.com", "> EHLO second.example.org", "< 250-PIPELINING",
                        "> RCPT TO:<bert@example.net>",
                        "= message 2: accepted, 2 of 2 recipients", "end-of-data", "= session closed: quit", "connect",
                        "= TLS with the server: TLSv1.3", "certificate for mx.example.net, self-signed", "starttls", "ehlo2",
                        "3 of 3 messages reached the server in TLS", "OK: all 3 messages arrived byte for byte.")
                .doesNotContain(String.valueOf(ESCAPE));
        assertThat(text.lines().filter(line -> line.endsWith("octets: arrived byte for byte"))).hasSize(3);
    }

    @Test
    void coloursAreForTerminalsOnly() {
        var out = new ByteArrayOutputStream();
        assertThat(Quickstart.run(out, true)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains(ESCAPE + "[36m> EHLO first.example.com" + ESCAPE + "[0m");
    }

    @Test
    void aDifferenceIsNamedByItsFirstOctet() {
        assertThat(Quickstart.difference("abc".getBytes(StandardCharsets.UTF_8), "abc".getBytes(StandardCharsets.UTF_8)))
                .isEmpty();
        assertThat(Quickstart.difference("abc".getBytes(StandardCharsets.UTF_8), "abd".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("DIFFERS from octet 2 on: 0x63 was sent, 0x64 arrived (3 octets sent, 3 arrived)");
        assertThat(Quickstart.difference("abc".getBytes(StandardCharsets.UTF_8), "ab".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("DIFFERS from octet 2 on: 0x63 was sent, nothing arrived (3 octets sent, 2 arrived)");
    }
}
