package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JsonObjectTest {

    private static final String BACKSLASH_U = "\\" + "u";

    private static List<List<String>> strings() {
        return List.of(
                List.of("plain", "plain"),
                List.of("", ""),
                List.of("say \"hi\"", "say \\\"hi\\\""),
                List.of("C:\\mail", "C:\\\\mail"),
                List.of("a\r\nb\tc", "a\\r\\nb\\tc"),
                List.of("\0\u001b\u007f\u009b", BACKSLASH_U + "0000" + BACKSLASH_U + "001b" + BACKSLASH_U + "007f" + BACKSLASH_U
                        + "009b"),
                List.of("Gr\u00fc\u00dfe \u2713 \ud83d\udce7", "Gr\u00fc\u00dfe \u2713 \ud83d\udce7"),
                List.of("\u2028\u2029", BACKSLASH_U + "2028" + BACKSLASH_U + "2029"),
                List.of("\ud800", BACKSLASH_U + "d800"),
                List.of("\udc00x\ud800", BACKSLASH_U + "dc00x" + BACKSLASH_U + "d800"));
    }

    @ParameterizedTest
    @MethodSource("strings")
    void stringsAreEscaped(List<String> pair) {
        assertThat(new JsonObject().put("s", pair.get(0))).hasToString("{\"s\":\"" + pair.get(1) + "\"}");
    }

    @Test
    void everyCharacterGivesOnePrintableLineOfValidUtf8() {
        for (int c = 0; c <= 0xffff; c++) {
            var json = new JsonObject().put("s", "a" + (char) c + "b").toString();
            assertThat(json.chars().noneMatch(Character::isISOControl)).as("U+%04X", c).isTrue();
            var octets = json.getBytes(StandardCharsets.UTF_8);
            assertThat(new String(octets, StandardCharsets.UTF_8)).as("U+%04X", c).isEqualTo(json);
        }
    }

    @Test
    void membersOfEveryKindKeepTheirOrder() {
        var json = new JsonObject()
                .put("n", -5L)
                .put("b", true)
                .put("absent", (String) null)
                .put("missing", (JsonObject) null)
                .put("o", new JsonObject().put("x", 1))
                .putStrings("s", List.of("a", "\""))
                .putObjects("l", List.of(new JsonObject(), new JsonObject().put("y", 2)))
                .putStrings("none", List.of());
        assertThat(json).hasToString(
                "{\"n\":-5,\"b\":true,\"o\":{\"x\":1},\"s\":[\"a\",\"\\\"\"],\"l\":[{},{\"y\":2}],\"none\":[]}");
    }

    @Test
    void timesAreMillisecondsWithThreePlaces() {
        assertThat(new JsonObject().put("a", Duration.ofNanos(1_234_567)).put("b", Duration.ZERO)
                .put("c", Duration.ofSeconds(61)))
                .hasToString("{\"a\":1.234,\"b\":0.000,\"c\":61000.000}");
    }
}
