package dev.weft.smtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CapabilitiesTest {

    /** Texts of lines, as the server would send them. */
    private static Capabilities of(String... lines) {
        var wire = new StringBuilder();
        for (int i = 0; i < lines.length; i++) {
            wire.append(i == lines.length - 1 ? "250 " : "250-").append(lines[i]).append("\r\n");
        }
        return Capabilities.parse(Reply.parse(Cuts.octets(wire.toString())));
    }

    private static String wire(Capabilities capabilities) {
        return Cuts.text(capabilities.toReply().bytes());
    }

    @Test
    void dropsStarttlsWhereverItStandsAndStaysWellFormed() {
        for (var capabilities : new Capabilities[] {of("mx", "STARTTLS", "SIZE 1", "HELP"),
                of("mx", "SIZE 1", "STARTTLS", "HELP"), of("mx", "SIZE 1", "HELP", "STARTTLS"),
                of("mx", "SIZE 1", "StartTLS  ", "HELP"), of("mx", "starttls\tx", "SIZE 1", "HELP")}) {
            assertThat(capabilities.offers("STARTTLS")).isTrue();
            assertThat(wire(capabilities.without("StartTls"))).isEqualTo("250-mx\r\n250-SIZE 1\r\n250 HELP\r\n");
            assertThat(wire(capabilities.keep(EhloKeywords.passed()))).isEqualTo("250-mx\r\n250-SIZE 1\r\n250 HELP\r\n");
        }
        assertThat(wire(of("mx", "STARTTLS").without("STARTTLS"))).isEqualTo("250 mx\r\n");
        assertThat(wire(of("mx"))).isEqualTo("250 mx\r\n");
    }

    @Test
    void keepsOctetsAndOrderOfLinesThatStay() {
        var capabilities = of("mx.example.net  Hello  \u00fc", "8bitmime  ", "X-ANONYMOUSTLS", "Size\t1000 ", "PRDR", "dsn");

        assertThat(wire(capabilities)).isEqualTo("250-mx.example.net  Hello  \u00fc\r\n250-8bitmime  \r\n250-X-ANONYMOUSTLS\r\n"
                + "250-Size\t1000 \r\n250-PRDR\r\n250 dsn\r\n");
        assertThat(wire(capabilities.keep(EhloKeywords.passed())))
                .isEqualTo("250-mx.example.net  Hello  \u00fc\r\n250-8bitmime  \r\n"
                + "250-Size\t1000 \r\n250 dsn\r\n");
    }

    @Test
    void readsKeywordsInAnyCase() {
        var capabilities = of("mx", "Size 1000", "auth PLAIN LOGIN ", "8BITMIME");

        assertThat(capabilities.keywords()).containsExactly("SIZE", "AUTH", "8BITMIME");
        assertThat(capabilities.offers("size")).isTrue();
        assertThat(capabilities.parameter("Auth")).contains("PLAIN LOGIN");
        assertThat(capabilities.parameter("8bitmime")).contains("");
        assertThat(capabilities.parameter("DSN")).isEmpty();
        assertThat(capabilities.greeting()).isEqualTo("mx");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", " SIZE 1", "-", "=PLAIN", "\u00fcber", "SI\u00dfE 1", "STARTTLS\0", "a.b"})
    void givesOddLinesAnEmptyKeywordAndTheDefaultDropsThem(String odd) {
        var capabilities = of("mx", odd, "DSN");

        assertThat(capabilities.keywords()).containsExactly("", "DSN");
        assertThat(capabilities.offers("")).isFalse();
        assertThat(wire(capabilities)).isEqualTo("250-mx\r\n250-" + odd + "\r\n250 DSN\r\n");
        assertThat(wire(capabilities.keep(EhloKeywords.passed()))).isEqualTo("250-mx\r\n250 DSN\r\n");
    }

    @Test
    void readsBareCodesAsEmptyLines() {
        var capabilities = Capabilities.parse(Reply.parse(Cuts.octets("250-\r\n250-DSN\n250\r\n")));

        assertThat(capabilities.keywords()).containsExactly("DSN", "");
        assertThat(wire(capabilities)).isEqualTo("250-\r\n250-DSN\r\n250 \r\n");
    }

    @Test
    void takesTheOldAuthLineForAnotherKeyword() {
        var capabilities = of("mx", "AUTH=PLAIN LOGIN", "AUTH PLAIN LOGIN");

        assertThat(capabilities.keywords()).containsExactly("AUTH=", "AUTH");
        assertThat(wire(capabilities.keep(EhloKeywords.passed()))).isEqualTo("250-mx\r\n250 AUTH PLAIN LOGIN\r\n");
        assertThat(of("mx", "AUTH=PLAIN").offers("AUTH")).isFalse();
    }

    @Test
    void dropsWhatCannotBeFramedAndWhatAFirewallMasked() {
        var capabilities = of("mx", "XXXXXXXA", "PRDR", "X-EXPS GSSAPI", "XEXCH50", "BURL", "ATRN", "TURN", "PIPECONNECT",
                "XCLIENT NAME",
                "XFORWARD NAME", "REQUIRETLS", "STARTTLS", "VRFY");

        assertThat(capabilities.offers("STARTTLS")).isTrue();
        assertThat(capabilities.keep(EhloKeywords.passed()).keywords()).containsExactly("VRFY");
        assertThat(of("mx", "XXXXXXXA").offers("STARTTLS")).isFalse();
        Predicate<String> wider = EhloKeywords.passed().or("XCLIENT"::equals);
        assertThat(capabilities.keep(wider).keywords()).containsExactly("XCLIENT", "VRFY");
    }

    @ParameterizedTest
    @CsvSource({
        "SIZE 1000,                      SIZE 500,   SIZE 500, 500",
        "SIZE 500,                       size 1000,  SIZE 500, 500",
        "SIZE 0,                         SIZE 7,     SIZE 7, 7",
        "SIZE,                           SIZE 7,     SIZE 7, 7",
        "SIZE,                           SIZE 0,     SIZE, -1",
        "SIZE x,                         SIZE 7,     SIZE 7, 7",
        "SIZE 99999999999999999999,      SIZE 7,     SIZE 7, 7",
    })
    void makesOneOfSeveralSizes(String first, String second, String left, long size) {
        var capabilities = of("mx", first, "DSN", second);

        assertThat(wire(capabilities)).isEqualTo("250-mx\r\n250-" + left + "\r\n250 DSN\r\n");
        assertThat(capabilities.size()).isEqualTo(size < 0 ? OptionalLong.empty() : OptionalLong.of(size));
    }

    @Test
    void addsOrReplacesALine() {
        var capabilities = of("mx", "SIZE 1000", "DSN");

        assertThat(wire(capabilities.with("SIZE 500"))).isEqualTo("250-mx\r\n250-SIZE 500\r\n250 DSN\r\n");
        assertThat(wire(capabilities.with("STARTTLS"))).isEqualTo("250-mx\r\n250-SIZE 1000\r\n250-DSN\r\n250 STARTTLS\r\n");
        assertThat(wire(of("mx").with("DSN"))).isEqualTo("250-mx\r\n250 DSN\r\n");
        assertThat(wire(of("mx", "AUTH A", "DSN", "AUTH B").with("auth C"))).isEqualTo("250-mx\r\n250-auth C\r\n250 DSN\r\n");
        assertThat(wire(capabilities)).isEqualTo("250-mx\r\n250-SIZE 1000\r\n250 DSN\r\n");
        for (var bad : new String[] {"", " SIZE", "DSN\r\n250 X", "x".repeat(600), "\u00fc"}) {
            assertThatThrownBy(() -> capabilities.with(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void makesAnAnswerOfItsOwn() {
        assertThat(wire(Capabilities.of("relay.example", "PIPELINING", "SIZE 5")))
                .isEqualTo("250-relay.example\r\n250-PIPELINING\r\n250 SIZE 5\r\n");
        assertThat(wire(Capabilities.of("relay.example"))).isEqualTo("250 relay.example\r\n");
        assertThat(Capabilities.of("mx", "DSN")).isEqualTo(of("mx", "DSN")).hasSameHashCodeAs(of("mx", "DSN"))
                .isNotEqualTo(of("mx", "dsn"));
        assertThat(of("mx", "DSN")).hasToString("250 mx DSN");
    }

    @Test
    void comparesWithWhatWasPromised() {
        var promised = of("mx", "SIZE 1000", "AUTH PLAIN LOGIN", "DSN");

        assertThat(of("other", "dsn", "CHUNKING", "size 2000", "AUTH LOGIN plain X").sameOrMore(promised)).isTrue();
        assertThat(promised.sameOrMore(promised)).isTrue();
        assertThat(of("mx", "SIZE", "AUTH PLAIN LOGIN", "DSN").sameOrMore(promised)).isTrue();
        assertThat(of("mx", "SIZE 0", "AUTH PLAIN", "AUTH LOGIN", "DSN").sameOrMore(promised)).isTrue();
        assertThat(of("mx", "SIZE 999", "AUTH PLAIN LOGIN", "DSN").sameOrMore(promised)).isFalse();
        assertThat(of("mx", "AUTH PLAIN LOGIN", "DSN").sameOrMore(promised)).isFalse();
        assertThat(of("mx", "SIZE 1000", "AUTH LOGIN", "DSN").sameOrMore(promised)).isFalse();
        assertThat(of("mx", "SIZE 1000", "AUTH PLAIN LOGIN").sameOrMore(promised)).isFalse();
        assertThat(of("mx", "SIZE 1000").sameOrMore(of("mx", "SIZE 0"))).isFalse();
        assertThat(of("mx", "SIZE 1000").sameOrMore(of("mx"))).isFalse();
        assertThat(of("mx").sameOrMore(of("mx", "", "?"))).isTrue();
    }

    @Test
    void refusesARefusal() {
        assertThatThrownBy(() -> Capabilities.parse(Reply.plain(502, "no")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("502 no");
    }

    @Test
    void namesNoDefaultThatChangesTheFraming() {
        assertThat(EhloKeywords.DEFAULT).hasSize(20).doesNotContain("STARTTLS", "REQUIRETLS", "XCLIENT", "PRDR", "AUTH=", "");
    }
}
