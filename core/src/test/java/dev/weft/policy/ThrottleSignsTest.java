package dev.weft.policy;

import static dev.weft.policy.ThrottleSign.NONE;
import static dev.weft.policy.ThrottleSign.RATE_LIMITED;
import static dev.weft.policy.ThrottleSign.SOURCE_BLOCKED;
import static dev.weft.policy.ThrottleSign.TOO_MANY_CONNECTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weft.smtp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThrottleSignsTest {

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', value = {
        "TOO_MANY_CONNECTIONS | 421 4.7.0 mx.example Error: too many connections from 192.0.2.1",
        "TOO_MANY_CONNECTIONS | 421 Too many concurrent SMTP connections from this host; come back later",
        "TOO_MANY_CONNECTIONS | 421 4.3.2 the number of simultaneous connections is at its limit",
        "TOO_MANY_CONNECTIONS | 421 4.3.2 TOO MANY OPEN CONNECTIONS",
        "TOO_MANY_CONNECTIONS | 554 5.7.1 too many sessions from you",
        "TOO_MANY_CONNECTIONS | 421 4.7.1 [192.0.2.1] has exceeded the maximum number of connections allowed",
        "RATE_LIMITED | 421 4.7.28 192.0.2.1 has sent an unusual amount of mail",
        "RATE_LIMITED | 450 4.7.1 too much mail from 192.0.2.1",
        "RATE_LIMITED | 421 4.3.2 connection rate limit exceeded",
        "RATE_LIMITED | 451 4.7.0 Your messages come too fast: slow down",
        "RATE_LIMITED | 421 4.7.0 unexpected volume or complaints, messages temporarily deferred",
        "RATE_LIMITED | 421 4.7.0 Temporary problem, try again later",
        "RATE_LIMITED | 451 rate-limited",
        "RATE_LIMITED | 550 5.4.5 daily sending limit reached",
        "SOURCE_BLOCKED | 554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using list.example",
        "SOURCE_BLOCKED | 550 5.7.1 your IP address is on our block list",
        "SOURCE_BLOCKED | 421 4.7.0 poor sender reputation",
        "SOURCE_BLOCKED | 550 5.7.1 our system saw an unusual rate of unsolicited mail. Mail from your IP has been blocked",
        "SOURCE_BLOCKED | 553 listed in an RBL, see https://rbl.example/",
        "NONE | 450 4.7.1 Greylisted, try again in 300 seconds",
        "NONE | 421 4.7.0 too many messages in this session",
        "NONE | 550 5.7.1 link in the message is on a URL blocklist",
        "NONE | 452 4.5.3 too many recipients",
        "NONE | 421 4.4.2 timeout, closing connection",
        "NONE | 451 4.3.0 try again later",
        "NONE | 550 5.1.1 no such user",
        "NONE | 250 2.0.0 too many connections",
        "NONE | 421 4.7.0",
    })
    void wordingsOfKnownKinds(ThrottleSign sign, String reply) {
        assertThat(read(reply)).isEqualTo(sign);
    }

    @Test
    void aPhraseMayBeBrokenAcrossLines() {
        assertThat(ThrottleSigns.defaults().read(parse("421-4.7.0 Too many\r\n421-\r\n421 connections\r\n")))
                .isEqualTo(TOO_MANY_CONNECTIONS);
    }

    @Test
    void hostsRulesComeFirst() {
        var rule = ThrottleRule.of(SOURCE_BLOCKED, "421", "4.7", "Blorp* ... today");
        var signs = ThrottleSigns.defaults().withFirst(rule, ThrottleRule.of(NONE, "554", ""));

        assertThat(signs.read(reply("421 4.7.99 blorped, not today; too many connections"))).isEqualTo(SOURCE_BLOCKED);
        assertThat(signs.match(reply("421 4.7.99 blorped, not today"))).contains(rule);
        assertThat(signs.read(reply("421 4.8.99 blorped, not today"))).isEqualTo(NONE);
        assertThat(signs.read(reply("554 too many connections"))).isEqualTo(NONE);
        assertThat(signs.read(reply("421 too many connections"))).isEqualTo(TOO_MANY_CONNECTIONS);
        assertThat(ThrottleSigns.of(List.of()).read(reply("421 too many connections"))).isEqualTo(NONE);
        assertThat(rule).hasToString("421 4.7 with one of [Blorp* ... today]: SOURCE_BLOCKED");
    }

    @Test
    void enhancedCodesAreComparedByNumber() {
        var signs = ThrottleSigns.of(List.of(ThrottleRule.of(RATE_LIMITED, "", "*.7.2")));
        assertThat(signs.read(reply("450 4.7.2 x"))).isEqualTo(RATE_LIMITED);
        assertThat(signs.read(reply("550 5.7.2 x"))).isEqualTo(RATE_LIMITED);
        assertThat(signs.read(reply("450 4.7.28 x"))).isEqualTo(NONE);
        assertThat(signs.read(reply("450 x"))).isEqualTo(NONE);
    }

    @Test
    void aGapIsBounded() {
        var signs = ThrottleSigns.of(List.of(ThrottleRule.of(RATE_LIMITED, "", "", "a ... b c")));
        assertThat(signs.read(reply("450 a b c"))).isEqualTo(RATE_LIMITED);
        assertThat(signs.read(reply("450 a 1 2 3 4 5 6 7 8 b c"))).isEqualTo(RATE_LIMITED);
        assertThat(signs.read(reply("450 a 1 2 3 4 5 6 7 8 9 b c"))).isEqualTo(NONE);
        assertThat(signs.read(reply("450 a 1 2 3 4 5 a 6 7 8 9 b c"))).isEqualTo(RATE_LIMITED);
        assertThat(signs.read(reply("450 a b d c"))).isEqualTo(NONE);
        assertThat(signs.read(reply("450 a b b c"))).isEqualTo(RATE_LIMITED);
        assertThat(signs.read(reply("450 ab c"))).isEqualTo(NONE);
    }

    @Test
    void longTextsAreReadInPart() {
        assertThat(read("421 " + "x".repeat(1900) + " too many connections")).isEqualTo(TOO_MANY_CONNECTIONS);
        assertThat(read("421 " + "x".repeat(2000) + " too many connections")).isEqualTo(NONE);
    }

    @Test
    void unreadableRulesAreRefusedByName() {
        assertThatIllegalArgumentException().isThrownBy(() -> ThrottleRule.of(NONE, "2", ""))
                .withMessageContaining("codes \"2\"");
        assertThatIllegalArgumentException().isThrownBy(() -> ThrottleRule.of(NONE, "", "4.x"))
                .withMessageContaining("\"4.x\"");
        assertThatIllegalArgumentException().isThrownBy(() -> ThrottleRule.of(NONE, "", ""))
                .withMessageContaining("without a condition");
        assertThatIllegalArgumentException().isThrownBy(() -> ThrottleRule.of(NONE, "", "", "rate-limit"))
                .withMessageContaining("\"rate-limit\" is no word");
        assertThatIllegalArgumentException().isThrownBy(() -> ThrottleRule.of(NONE, "", "", "..."))
                .withMessageContaining("no word");
    }

    private static ThrottleSign read(String line) {
        return ThrottleSigns.defaults().read(reply(line));
    }

    private static Reply reply(String line) {
        return parse(line + "\r\n");
    }

    private static Reply parse(String wire) {
        return Reply.parse(wire.getBytes(StandardCharsets.US_ASCII));
    }
}
