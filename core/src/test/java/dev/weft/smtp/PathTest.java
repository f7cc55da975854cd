package dev.weft.smtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathTest {

    private static Path parse(String path) {
        return Command.of("MAIL FROM:" + path + " SIZE=10").path();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "<a@example.com>                      | a                        | example.com",
        "<\"a b\"@example.com>                | \"a b\"                  | example.com",
        "<\"a>b\"@example.com>                | \"a>b\"                  | example.com",
        "<\"a@b\"@example.com>                | \"a@b\"                  | example.com",
        "<\"a\\\"> b\\\\\"@example.com>       | \"a\\\"> b\\\\\"         | example.com",
        "<\"\"@example.com>                   | \"\"                     | example.com",
        "<SRS0=x=y=example.com=u@example.net> | SRS0=x=y=example.com=u   | example.net",
        "<a..b.@example.com>                  | a..b.                    | example.com",
        "<.a@example.com.>                    | .a                       | example.com.",
        "<a@example..com>                     | a                        | example..com",
        "<a@[192.0.2.1]>                      | a                        | [192.0.2.1]",
        "<a@[IPv6:2001:db8::1]>               | a                        | [IPv6:2001:db8::1]",
        "<postmaster>                         | postmaster               | ``",
        "<a+b/c@my_host>                      | a+b/c                    | my_host",
        "<EXAMPLE\\user@example.com>          | EXAMPLE\\user            | example.com",
        "<a@b@example.com>                    | a@b                      | example.com",
        "<!#$%&'*@example.com>                | !#$%&'*                  | example.com",
        "<\u4f60@\u597d.example>              | \u4f60                   | \u597d.example",
        "a@example.com                        | a                        | example.com",
        "\"a b\"@example.com                  | \"a b\"                  | example.com",
        "postmaster                           | postmaster               | ``",
    })
    void understandsMailboxesAsTheyAreWritten(String text, String local, String domain) {
        boolean bracketed = text.startsWith("<");

        assertThat(parse(text)).isEqualTo(new Path.Mailbox(local, domain, List.of(), bracketed));
        assertThat(parse(text)).hasToString(text);
        assertThat(parse(text).text()).isEqualTo(bracketed ? text.substring(1, text.length() - 1) : text);
    }

    @Test
    void understandsSourceRoutes() {
        assertThat(parse("<@a.example,@[IPv6:::1]:\"u:v\"@c.example>"))
                .isEqualTo(new Path.Mailbox("\"u:v\"", "c.example", List.of("a.example", "[IPv6:::1]"), true));
        assertThat(parse("<@a.example,@b.example:u@c.example>").text()).isEqualTo("@a.example,@b.example:u@c.example");
        assertThat(parse("<@a.example:u@c.example>")).isInstanceOfSatisfying(Path.Mailbox.class,
                mailbox -> assertThat(mailbox.address()).isEqualTo("u@c.example"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"<", ">", "< >", "<a b@example.com>", "< a@example.com>", "<a@>", "<@example.com>", "<@a,b:c@d>",
            "<@a,@b>", "<@:a@b>",
            "<@a,:b@c>", "<a\"b@c>", "<a@b\">", "<a@\"b\">", "<a\\@b@c>", "<a@[::1>", "<a@::1]>", "a@", "@b", "a<b@c>",
                    "SIZE=5", "<a@b>c",
            "<a\\>@b>"})
    void marksWhatReceiversWouldReadInDifferentWays(String text) {
        assertThat(parse(text)).isInstanceOf(Path.Unparsed.class);
    }

    @Test
    void makesPathsForHosts() {
        assertThat(Path.of("a@example.com")).isEqualTo(Path.of("<a@example.com>"))
                .isEqualTo(new Path.Mailbox("a", "example.com", List.of(), true));
        assertThat(Path.of("")).isEqualTo(Path.of("<>")).isEqualTo(new Path.Null());
        assertThat(Path.of("Postmaster").text()).isEqualTo("Postmaster");
        for (var address : new String[] {"\"a b\"@example.com", "\"a\\\"@b\"@c", "a@[IPv6:2001:db8::1]",
                "\u00fc@b\u00fccher.example", "a..b@c.",
                "SRS0=x=y=example.com=u@example.net", "@a:b@c"}) {
            assertThat(Path.of(address).text()).isEqualTo(address);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a@", "@b", "a b@c", "a@b c", "a@b@c", "a@b>", "a@b> SIZE=1", "a@b\r\nDATA", "a\0@b",
            "a@b\u0085", "\"a@b", "\"a\"b@c",
            "a@b,c", "a(x)@b", "a@[1] ", "a@[[1]", "\ud83d@b", "<a@b", "a@b!c", "a\\b@c"})
    void refusesToMakeWhatCannotBeSent(String address) {
        assertThatThrownBy(() -> Path.of(address)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Octets.escape(address).replace("<a@b", "a@b"));
    }

    @Test
    void keepsControlCharactersOutOfMailboxesAndLogs() {
        assertThatThrownBy(() -> new Path.Mailbox("a\r\n", "b", List.of(), true))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("a\\r\\n").hasMessageContaining("Path.of");
        assertThatThrownBy(() -> new Path.Mailbox("a", "b\n", List.of(), true)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Path.Mailbox("a", "b", List.of("\0"), true)).isInstanceOf(IllegalArgumentException.class);
        assertThat(new Path.Unparsed("a\0")).hasToString("unparsed: a\\u0000");
        assertThat(new Path.Null()).hasToString("<>");
    }
}
