package dev.weft.smtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyTest {

    private static Reply parse(String wire) {
        return Reply.parse(Cuts.octets(wire));
    }

    private static String wire(Reply reply) {
        return Cuts.text(reply.bytes());
    }

    @Test
    void repeatsTheEnhancedCodeOnEachLine() {
        assertThat(wire(Reply.of(550, "5.7.1", "no", "", "never"))).isEqualTo("550-5.7.1 no\r\n550-5.7.1\r\n550 5.7.1 never\r\n");
        assertThat(wire(Reply.of(250, "2.0.0"))).isEqualTo("250 2.0.0\r\n");
    }

    @Test
    void writesPlainLines() {
        assertThat(wire(Reply.plain(354, "go on"))).isEqualTo("354 go on\r\n");
        assertThat(wire(Reply.plain(250))).isEqualTo("250 \r\n");
        assertThat(wire(Reply.plain(250, "a", "b"))).isEqualTo("250-a\r\n250 b\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\rb", "a\nb", "a\0b", "a\u007fb", "a\u0085b", "a\u2028b", "a\u2029b", "a\u001bb", "\r\n250 ok"})
    void refusesControlCharactersAndNamesThem(String text) {
        assertThatThrownBy(() -> Reply.of(550, "5.7.1", "fine", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Octets.escape(text))
                .hasMessageContaining("argument of its own");
    }

    @Test
    void neverMakesALineEndOutOfAHarmlessCharacter() {
        // The low octets of these are CR and LF.
        var reply = Reply.plain(550, "no\u560d\u560a250 ok \u760d\u760a \ud83d\ude00 \u00e9");

        assertThat(wire(reply)).isEqualTo("550 no??250 ok ?? ? ?\r\n");
        assertThat(reply.lines()).hasSize(1);
    }

    @Test
    void allowsLinesOfFiveHundredAndTwelveOctetsAndNoLonger() {
        assertThat(Reply.plain(250, "x".repeat(506)).length()).isEqualTo(512);
        assertThatThrownBy(() -> Reply.plain(250, "x".repeat(507)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("513").hasMessageContaining("shorten");
        assertThatThrownBy(() -> Reply.of(550, "5.7.1", "x".repeat(501))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void checksTheCodes() {
        for (int code : new int[] {-1, 0, 99, 199, 600, 1000}) {
            assertThatThrownBy(() -> Reply.plain(code, "x"))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(String.valueOf(code));
        }
        assertThatThrownBy(() -> Reply.of(550, "4.7.1", "x")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("4.7.1");
        assertThatThrownBy(() -> Reply.of(354, "2.0.0", "x")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("plain");
        assertThatThrownBy(() -> Reply.of(550, "no\r\n", "x"))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("no\\r\\n");
    }

    @Test
    void letsTheLastLineDecide() {
        var reply = parse("220-mx\r\n521 5.7.1 blocked\r\n");

        assertThat(reply.code()).isEqualTo(521);
        assertThat(reply.codesAgree()).isFalse();
        assertThat(reply.isPermanent()).isTrue();
        assertThat(reply.isPositive()).isFalse();
        assertThat(reply.lines()).containsExactly("mx", "5.7.1 blocked");
        assertThat(reply.enhancedCode()).contains(new EnhancedCode(5, 7, 1));
    }

    @Test
    void knowsItsClass() {
        assertThat(parse("250\r\n").isPositive()).isTrue();
        assertThat(parse("354\r\n").isIntermediate()).isTrue();
        assertThat(parse("421 x\r\n").isTransient()).isTrue();
        assertThat(parse("500-\r\n500\r\n").isPermanent()).isTrue();
        assertThat(parse("500-\r\n500\r\n").codesAgree()).isTrue();
        assertThat(parse("150 x\r\n").code()).isEqualTo(150);
    }

    @Test
    void findsTheEnhancedCodeOfTheLastLineElseOfTheFirst() {
        assertThat(parse("421-4.7.26 a\r\n421-4.7.27\r\n421 \r\n").enhancedCode()).contains(new EnhancedCode(4, 7, 26));
        assertThat(parse("421-4.7.26 a\r\n421 4.7.28\r\n").enhancedCode()).contains(new EnhancedCode(4, 7, 28));
        assertThat(parse("250\r\n").enhancedCode()).isEqualTo(Optional.empty());
        assertThat(parse("250 5.7.1x\r\n").enhancedCode()).isEmpty();
    }

    @Test
    void keepsTheOctetsAndDecodesThemForViewingOnly() {
        var utf8 = new String("250 gr\u00fc\u00dfe\r\n".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        for (var wire : new String[] {utf8, "250 gr\u00fc\u00dfe\r\n"}) {
            assertThat(wire(parse(wire))).isEqualTo(wire);
            assertThat(parse(wire).text()).isEqualTo("gr\u00fc\u00dfe");
        }
        var odd = "250-\r\n250\ta\0\n";
        assertThat(wire(parse(odd))).isEqualTo(odd);
        assertThat(parse(odd).lines()).containsExactly("", "a\0");
        assertThat(parse(odd).bareLineFeeds()).isTrue();
        assertThat(parse("250-a\r\n250 b\r\n").bareLineFeeds()).isFalse();
    }

    @Test
    void isNotChangedThroughItsArray() {
        var wire = Cuts.octets("250 ok\r\n");
        var reply = Reply.parse(wire);
        wire[0] = '5';
        reply.bytes()[0] = '5';

        assertThat(wire(reply)).isEqualTo("250 ok\r\n");
        assertThat(reply.asBuffer().isReadOnly()).isTrue();
        assertThat(reply.asBuffer().remaining()).isEqualTo(reply.length()).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "250", "250 ok", "250-ok\r\n", "250 a\r\n250 b\r\n", "hello\r\n", "250 a\r\nx"})
    void parsesExactlyOneReply(String wire) {
        assertThatThrownBy(() -> parse(wire)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("exactly one");
    }

    @Test
    void isEqualByItsOctetsAndPrintsOneLine() {
        assertThat(parse("250 ok\r\n")).isEqualTo(Reply.plain(250, "ok")).hasSameHashCodeAs(Reply.plain(250, "ok"))
                .isNotEqualTo(parse("250 ok\n"));
        assertThat(parse("250-a\u001b\r\n250 b\0\r\n")).hasToString("250 a\\u001b b\\u0000");
        assertThat(parse("250\r\n")).hasToString("250");
    }
}
