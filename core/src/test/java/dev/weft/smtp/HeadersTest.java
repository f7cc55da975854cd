package dev.weft.smtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadersTest {

    private static final String HEADER = "Received: from a\r\n\tby b\r\n  for c\r\nSubject:x\r\nX-Odd \t: \u00ff\u00fe\r\nsubject: =?utf-8?q?y?=\r\n";

    private static byte[] octets(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void fieldsKeepTheirOctetsAndTheirOrder() {
        var headers = Headers.parse(octets(HEADER + "\r\nNot: a field\r\n"));
        assertThat(headers.bytes()).isEqualTo(octets(HEADER));
        assertThat(headers.fields()).extracting(Header::name).containsExactly("Received", "Subject", "X-Odd", "subject");
        assertThat(headers.fields()).extracting(Header::value)
                .containsExactly("from a\tby b  for c", "x", "\u00ff\u00fe", "=?utf-8?q?y?=");
        assertThat(headers.all("SUBJECT")).hasSize(2);
        assertThat(headers.first("x-odd")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\r\n", "no field\r\n\r\n", ": no name\r\n", " folded: from nothing\r\n", "bare\n: x\r\n", "\u00e4: x\r\n"})
    void messageWithoutAHeaderHasNone(String message) {
        assertThat(Headers.parse(octets(message))).isEqualTo(Headers.NONE);
    }

    @Test
    void lineThatIsNoFieldEndsTheHeader() {
        assertThat(Headers.parse(octets("A: b\r\nFrom someone\r\nC: d\r\n")).bytes()).isEqualTo(octets("A: b\r\n"));
    }

    @Test
    void beginningIsWholeExactlyWhenMoreCannotChangeTheHeader() {
        for (var rest : List.of("\r\nbody: x\r\n", "no field\r\n\r\n", "\u00e4\r\n")) {
            var message = octets(HEADER + rest);
            var all = Headers.parse(message);
            for (int length = 0; length < message.length; length++) {
                var beginning = Arrays.copyOf(message, length);
                if (Headers.whole(beginning)) {
                    assertThat(Headers.parse(beginning)).as("%d octets", length).isEqualTo(all);
                }
            }
            assertThat(Headers.whole(message)).as(rest).isTrue();
            assertThat(Headers.whole(octets(HEADER))).isFalse();
        }
    }

    @Test
    void changesLeaveTheOthersAlone() {
        var headers = Headers.parse(octets(HEADER));
        var added = Header.of("X-New", "1");
        assertThat(headers.prepend(List.of(added)).bytes()).isEqualTo(octets("X-New: 1\r\n" + HEADER));
        assertThat(headers.without("SUBJECT").bytes())
                .isEqualTo(octets("Received: from a\r\n\tby b\r\n  for c\r\nX-Odd \t: \u00ff\u00fe\r\n"));
        assertThat(headers.replace("subject", List.of(added)).bytes())
                .isEqualTo(octets("Received: from a\r\n\tby b\r\n  for c\r\nX-New: 1\r\nX-Odd \t: \u00ff\u00fe\r\n"));
        assertThat(headers.replace("Nothing", List.of(added)).bytes()).isEqualTo(octets(HEADER + "X-New: 1\r\n"));
    }

    @Test
    void fieldIsFoldedAsItsLinesSay() {
        assertThat(Header.of("X", "a", "b", " c").bytes()).isEqualTo(octets("X: a\r\n\tb\r\n c\r\n"));
        assertThat(Header.of("X", "").bytes()).isEqualTo(octets("X: \r\n"));
        assertThat(Header.of("X", "\u00e4").bytes()).isEqualTo("X: \u00e4\r\n".getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nEvil: b", "a\nEvil: b", "a\r", "a\0b"})
    void valueCannotSmuggleAFieldIn(String value) {
        assertThatIllegalArgumentException().isThrownBy(() -> Header.of("X", value)).withMessageContaining("CR, LF or NUL");
        assertThatIllegalArgumentException().isThrownBy(() -> Header.of("X", "ok", value)).withMessageContaining("CR, LF or NUL");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a:b", "a\r\nb", "\u00e4", "a\t"})
    void nameIsPrintableAsciiWithoutColon(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> Header.of(name, "x")).withMessageContaining("no header name");
    }

    @Test
    void linesThatNoReceiverMustTakeAreRefused() {
        assertThat(Header.of("X", "y".repeat(995)).length()).isEqualTo(1000);
        assertThatIllegalArgumentException().isThrownBy(() -> Header.of("X", "y".repeat(996))).withMessageContaining("998");
        assertThatIllegalArgumentException().isThrownBy(() -> Header.of("X", "\u00e4".repeat(498))).withMessageContaining("998");
        assertThatIllegalArgumentException().isThrownBy(() -> Header.of("X", "y", " ")).withMessageContaining("blank line");
        assertThatIllegalArgumentException().isThrownBy(() -> Header.of("X")).withMessageContaining("no value");
    }
}
