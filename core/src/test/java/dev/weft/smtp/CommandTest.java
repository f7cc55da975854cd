package dev.weft.smtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandTest {

    private static Command parse(String line) {
        return Command.parse(Cuts.octets(line));
    }

    private static String wire(Command command) {
        return Cuts.text(command.bytes());
    }

    private static Path.Mailbox mailbox(String local, String domain) {
        return new Path.Mailbox(local, domain, List.of(), true);
    }

    @ParameterizedTest
    @EnumSource(value = Verb.class, names = "UNKNOWN", mode = EnumSource.Mode.EXCLUDE)
    void knowsAVerbInAnyCaseAmongBlanks(Verb verb) {
        var lower = verb.name().toLowerCase(Locale.ROOT);
        for (var line : new String[] {verb.name(), lower, verb.name() + "  ", "\t " + lower + "\tx ", lower + " " + verb}) {
            assertThat(parse(line).verb()).as(line).isEqualTo(verb);
            assertThat(wire(parse(line))).isEqualTo(line + "\r\n");
        }
        for (var line : new String[] {verb + "X", verb + "\0", "X" + verb, verb + ":", lower.substring(1)}) {
            assertThat(parse(line).verb()).as(line).isEqualTo(Verb.UNKNOWN);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "X", "DATAX", "XFOO bar", "\0\0\0\0", "\u00c4UTH", "AUTHENTICATE"})
    void takesAnyOtherLineAsUnknown(String line) {
        assertThat(parse(line).verb()).isEqualTo(Verb.UNKNOWN);
        assertThat(wire(parse(line))).isEqualTo(line + "\r\n");
    }

    @Test
    void dividesVerbAndArgumentForViewing() {
        var command = parse(" ehlo \t mx.example.com \t\r\n");

        assertThat(command.verbText()).isEqualTo("ehlo");
        assertThat(command.argument()).isEqualTo("mx.example.com");
        assertThat(command.text()).isEqualTo(" ehlo \t mx.example.com \t");
        assertThat(command.length()).isEqualTo(26);
        assertThat(parse("").verbText()).isEmpty();
        assertThat(parse("").argument()).isEmpty();
    }

    @Test
    void refusesALineEndInsideAndNothingElse() {
        for (var line : new String[] {"NOOP\nQUIT", "NOOP\rQUIT", "NOOP\r\nQUIT\r\n", "NOOP\r\r\n", "NOOP\n", "NOOP\r",
                "\n\r\n"}) {
            assertThatThrownBy(() -> parse(line))
                    .as(Octets.escape(line)).isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining(Octets.escape(line));
        }
        assertThat(parse("NOOP")).isEqualTo(parse("NOOP\r\n"));
    }

    @Test
    void makesACommandOfTextInUtf8AndRefusesControlCharacters() {
        assertThat(wire(Command.of("EHLO b\u00fccher.example"))).isEqualTo("EHLO b\u00c3\u00bccher.example\r\n");
        for (var text : new String[] {"NOOP\r\nQUIT", "NOOP\0", "NOOP\u0085", "NOOP\u2028"}) {
            assertThatThrownBy(() -> Command.of(text)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(Octets.escape(text)).hasMessageContaining("one line");
        }
        assertThatThrownBy(() -> Command.of("NOOP \ud83d")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\\ud83d");
        assertThat(Command.of("NOOP \u560d\u560a").length()).isEqualTo(13);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MAIL FROM:<a@example.com>", "mail from: <a@example.com>", "Mail From:a@example.com",
            "MAIL  FROM : <a@example.com> ",
            "MAIL\tfrom\t:\t<a@example.com>\t", " MAIL FROM:<a@example.com>", "RCPT TO:<a@example.com>",
                    "rcpt to :<a@example.com>",
            "RCPT to:a@example.com  "})
    void understandsAPathHoweverItIsWritten(String line) {
        assertThat(parse(line).path()).isInstanceOfSatisfying(Path.Mailbox.class, mailbox -> {
            assertThat(mailbox.localPart()).isEqualTo("a");
            assertThat(mailbox.domain()).isEqualTo("example.com");
            assertThat(mailbox.bracketed()).isEqualTo(line.contains("<"));
        });
        assertThat(parse(line).parameters()).isEmpty();
        assertThat(wire(parse(line))).isEqualTo(line + "\r\n");
    }

    @Test
    void takesTheNullSenderAsAValue() {
        assertThat(parse("MAIL FROM:<>").path()).isEqualTo(new Path.Null());
        assertThat(parse("MAIL FROM: <> SIZE=1").parameter("size")).contains("1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MAIL", "MAIL FROM", "MAIL FROM:", "MAIL FROM: ", "MAIL FROM: SIZE=10", "MAIL TO:<a@example.com>",
            "MAIL FRO", "MAIL FROMX:<a@b>",
            "RCPT FROM:<a@example.com>", "MAIL FROM:<a@example.com", "MAIL FROM:<a@example.com>SIZE=1",
                    "MAIL FROM:<<a@example.com>>",
            "MAIL FROM:<\"a@example.com>", "NOOP <a@example.com>", "MAIL FROM:<a\0b@example.com>", "VRFY a@example.com", "QUIT"})
    void marksAPathThatItCannotUnderstand(String line) {
        assertThat(parse(line).path()).isInstanceOf(Path.Unparsed.class);
        assertThat(wire(parse(line))).isEqualTo(line + "\r\n");
    }

    @Test
    void offersParametersAsOrderedRawPairs() {
        var line = "MAIL FROM:<SRS0=x=y=example.com=u@example.net> SMTPUTF8 BODY=8BITMIME  RET=HDRS"
                + " ENVID=a+20b\tAUTH=<> MT-PRIORITY=3 X= ";
        var command = parse(line);

        assertThat(command.path()).isEqualTo(mailbox("SRS0=x=y=example.com=u", "example.net"));
        assertThat(command.parameters()).containsExactly(Parameter.of("SMTPUTF8"), Parameter.of("BODY", "8BITMIME"),
                Parameter.of("RET", "HDRS"), Parameter.of("ENVID", "a+20b"), Parameter.of("AUTH", "<>"),
                Parameter.of("MT-PRIORITY", "3"), Parameter.of("X", ""));
        assertThat(command.parameter("envid")).contains("a+20b");
        assertThat(command.parameter("smtputf8")).contains("");
        assertThat(command.parameter("SIZE")).isEmpty();
        assertThat(wire(command)).isEqualTo(line + "\r\n");
    }

    @Test
    void replacesThePathAndKeepsAllElse() {
        assertThat(wire(parse("mail from : <a@b>  SIZE=10\tX=y ").withPath(Path.of("c@d"))))
                .isEqualTo("mail from : <c@d>  SIZE=10\tX=y \r\n");
        assertThat(wire(parse("MAIL FROM:a@b SIZE=10").withPath(Path.of("c@d")))).isEqualTo("MAIL FROM:<c@d> SIZE=10\r\n");
        assertThat(wire(parse("MAIL FROM:<a@b>").withPath(new Path.Null()))).isEqualTo("MAIL FROM:<>\r\n");
        assertThat(wire(parse("RCPT TO:<a@b>").withPath(Path.of("\u00fc@d")))).isEqualTo("RCPT TO:<\u00c3\u00bc@d>\r\n");
        var same = parse("MAIL FROM:<\u00fc@b> X=\u00ff");
        assertThat(same.withPath(same.path())).isSameAs(same);
    }

    @Test
    void keepsOctetsThatAreNoUtf8WhenAHostTakesThemOver() {
        var command = parse("RCPT TO:<j\u00fcrgen@b>");
        var old = (Path.Mailbox) command.path();

        assertThat(wire(command.withPath(mailbox(old.localPart(), "c")))).isEqualTo("RCPT TO:<j\u00fcrgen@c>\r\n");
    }

    @Test
    void letsNothingElseInWithAPath() {
        var command = parse("RCPT TO:<a@b> NOTIFY=NEVER");
        for (var bad : List.of(mailbox("x@y> NOTIFY=SUCCESS,x", "c"), mailbox("a b", "c"), mailbox("", "c"),
                mailbox("a", "c> X=<d"), new Path.Mailbox("a b", "c", List.of(), false),
                new Path.Mailbox("", "", List.of(), false), mailbox("a", "\ud83d"))) {
            assertThatThrownBy(() -> command.withPath(bad)).as(bad.toString()).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> command.withPath(new Path.Unparsed("x"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> parse("NOOP").withPath(Path.of("a@b"))).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("NOOP");
    }

    @Test
    void replacesTheParametersAndKeepsAllElse() {
        var command = parse("rcpt To:<a@b>  NOTIFY=NEVER ORCPT=rfc822;x");

        assertThat(wire(command.withParameters(List.of(Parameter.of("ORCPT", "rfc822;x"), Parameter.of("Y")))))
                .isEqualTo("rcpt To:<a@b> ORCPT=rfc822;x Y\r\n");
        assertThat(wire(command.withParameters(List.of()))).isEqualTo("rcpt To:<a@b>\r\n");
        assertThatThrownBy(() -> parse("MAIL FROM").withParameters(List.of())).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", value = {
        "BDAT 10,                         10, false",
        "BDAT 0 LAST,                     0, true",
        "bdat\t10  last  ,                10, true",
        "BDAT 0010,                       10, false",
        "BDAT 2147483647 LAST,            2147483647, true",
        "BDAT 2147483648,                 -, false",
        "BDAT 99999999999999999999,       -, false",
        "BDAT 18446744073709551617,       -, false",
        "BDAT -1,                         -, false",
        "BDAT +1,                         -, false",
        "BDAT,                            -, false",
        "BDAT LAST,                       -, false",
        "BDAT 10 LASTX,                   -, false",
        "BDAT 10 LAST LAST,               -, false",
        "BDAT 10LAST,                     -, false",
        "BDAT 10 11,                      -, false",
        "BDAT 0x10,                       -, false",
        "BDATX 10,                        -, false",
        "NOOP 10 LAST,                    -, false",
    })
    void readsTheSizeOfAChunkOrNothing(String line, Long size, boolean last) {
        assertThat(parse(line).chunkSize()).isEqualTo(size == null ? OptionalLong.empty() : OptionalLong.of(size));
        assertThat(parse(line).lastChunk()).isEqualTo(last);
    }

    @ParameterizedTest
    @CsvSource(value = {
        "AUTH PLAIN AGEAYg==            | AUTH PLAIN ***",
        "auth  plain  AGEAYg== x        | auth  plain ***",
        "AUTH PLAIN =                   | AUTH PLAIN ***",
        "AUTH PLAIN                     | AUTH PLAIN",
        "AUTH                           | AUTH",
        "AUTH AGEAYg==                  | AUTH ***",
        "AUTH AGEAYgAAAAAAAAAAAAAAAAAAA | AUTH ***",
        "AUTH=PLAIN AGEAYg==            | AUTH=PLAIN ***",
        "AUTHX secret                   | AUTHX ***",
        "NOOP AUTH PLAIN x              | NOOP AUTH PLAIN x",
    }, delimiter = '|')
    void cutsTheInitialResponseOutOfAuth(String line, String masked) {
        var command = parse(line);

        assertThat(command.masked().text()).isEqualTo(masked);
        assertThat(command).hasToString(masked);
        assertThat(wire(command)).isEqualTo(line + "\r\n");
        if (line.equals(masked)) {
            assertThat(command.masked()).isSameAs(command);
        }
    }

    @Test
    void decodesUtf8ElseLatin1() {
        assertThat(parse("EHLO b\u00c3\u00bccher").argument()).isEqualTo("b\u00fccher");
        assertThat(parse("EHLO b\u00fccher").argument()).isEqualTo("b\u00fccher");
        assertThat(Command.parse("MAIL FROM:<\u4f60@\u597d.example>".getBytes(StandardCharsets.UTF_8)).path())
                .isEqualTo(mailbox("\u4f60", "\u597d.example"));
    }

    @Test
    void isNotChangedThroughItsArrayAndIsEqualByOctets() {
        var line = Cuts.octets("NOOP\r\n");
        var command = Command.parse(line);
        line[0] = 'X';
        command.bytes()[0] = 'X';

        assertThat(command).isEqualTo(Command.of("NOOP")).hasSameHashCodeAs(Command.of("NOOP")).isNotEqualTo(Command.of("noop"));
        assertThat(command.asBuffer().isReadOnly()).isTrue();
        assertThat(parse("NOOP \0\u001b")).hasToString("NOOP \\u0000\\u001b");
    }

    @Test
    void neverThrowsOnWhatComesFromTheWire() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        var beginnings = new String[] {"MAIL FROM:", "RCPT TO:<", "MAIL FROM:<@", "BDAT ", "AUTH ", "RCPT TO:<\"", ""};
        var alphabet = "<>@\"\\,:.[]= \t\0ab1\u00ff\u00c3\u00bc";
        for (int round = 0; round < 50_000; round++) {
            var line = new StringBuilder(beginnings[random.nextInt(beginnings.length)]);
            for (int i = random.nextInt(14); i > 0; i--) {
                line.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            var command = parse(line.toString());
            assertThatCode(() -> {
                command.argument();
                command.parameters();
                command.chunkSize();
                command.lastChunk();
                command.masked();
                command.hashCode();
                if (!(command.path() instanceof Path.Unparsed)) {
                    assertThat(command.withPath(command.path())).isSameAs(command);
                    var other = command.withPath(Path.of("c@d"));
                    assertThat(other.path()).isEqualTo(Path.of("c@d"));
                    // Back again, through the encoder.
                    assertThat(other.withPath(command.path()).path()).isEqualTo(command.path());
                    assertThat(command.withParameters(command.parameters()).parameters()).isEqualTo(command.parameters());
                }
            }).as("seed %d, round %d: %s", seed, round, Octets.escape(line)).doesNotThrowAnyException();
        }
    }
}
