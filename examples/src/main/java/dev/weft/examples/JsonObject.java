package dev.weft.examples;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/** Writes one JSON object on one line (RFC 8259), members in the order in which they come. Absent values are left out. */
final class JsonObject {

    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private final StringBuilder text = new StringBuilder(256).append('{');

    JsonObject put(String name, String value) {
        if (value != null) {
            string(name(name), value);
        }
        return this;
    }

    JsonObject put(String name, long value) {
        name(name).append(value);
        return this;
    }

    /** A member that may be missing. */
    JsonObject put(String name, OptionalInt value) {
        value.ifPresent(number -> put(name, number));
        return this;
    }

    JsonObject put(String name, boolean value) {
        name(name).append(value);
        return this;
    }

    JsonObject put(String name, JsonObject value) {
        if (value != null) {
            name(name).append(value);
        }
        return this;
    }

    /** In milliseconds, down to microseconds. */
    JsonObject put(String name, Duration value) {
        if (value == null) {
            return this;
        }
        long micros = value.toNanos() / 1000;
        name(name).append(micros / 1000).append('.');
        text.append((char) ('0' + micros / 100 % 10)).append((char) ('0' + micros / 10 % 10)).append((char) ('0' + micros % 10));
        return this;
    }

    JsonObject putStrings(String name, List<String> values) {
        name(name).append('[');
        for (int i = 0; i < values.size(); i++) {
            string(i == 0 ? text : text.append(','), values.get(i));
        }
        text.append(']');
        return this;
    }

    JsonObject putObjects(String name, List<JsonObject> values) {
        name(name).append('[');
        for (int i = 0; i < values.size(); i++) {
            (i == 0 ? text : text.append(',')).append(values.get(i));
        }
        text.append(']');
        return this;
    }

    private StringBuilder name(String name) {
        return string(text.length() == 1 ? text : text.append(','), name).append(':');
    }

    /** What JSON forbids unescaped (RFC 8259 §7), and what would not survive UTF-8, a terminal or a line reader as it is. */
    private static StringBuilder string(StringBuilder text, String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029' || loneSurrogate(value, i)) {
                        text.append("\\u").append(HEX[c >> 12]).append(HEX[c >> 8 & 15]).append(HEX[c >> 4 & 15])
                                .append(HEX[c & 15]);
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        return text.append('"');
    }

    private static boolean loneSurrogate(String value, int i) {
        char c = value.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == value.length() || !Character.isLowSurrogate(value.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(value.charAt(i - 1)));
    }

    /** The object as far as it is written. */
    @Override
    public String toString() {
        return text + "}";
    }
}
