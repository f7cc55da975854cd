package dev.weft.examples;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads one JSON value, strictly, for tests of the event log: maps, lists, strings, doubles, booleans, null. */
final class Json {

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(String line) {
        var json = new Json(line);
        var value = json.value();
        if (json.at != line.length()) {
            throw json.wrong();
        }
        return (Map<String, Object>) value;
    }

    private Object value() {
        return switch (peek()) {
            case '{' -> map();
            case '[' -> list();
            case '"' -> string();
            default -> literal();
        };
    }

    private Map<String, Object> map() {
        var map = new LinkedHashMap<String, Object>();
        take('{');
        while (peek() != '}') {
            if (!map.isEmpty()) {
                take(',');
            }
            var name = string();
            take(':');
            if (map.containsKey(name)) {
                throw wrong();
            }
            map.put(name, value());
        }
        take('}');
        return map;
    }

    private List<Object> list() {
        var list = new ArrayList<Object>();
        take('[');
        while (peek() != ']') {
            if (!list.isEmpty()) {
                take(',');
            }
            list.add(value());
        }
        take(']');
        return list;
    }

    private String string() {
        var string = new StringBuilder();
        take('"');
        while (peek() != '"') {
            char c = text.charAt(at++);
            if (c < ' ') {
                throw wrong();
            }
            string.append(c == '\\' ? escaped() : c);
        }
        take('"');
        return string.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> (char) Integer.parseInt(text.substring(at, at += 4), 16);
            default -> throw wrong();
        };
    }

    private Object literal() {
        int from = at;
        while (at < text.length() && ",]}".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        var word = text.substring(from, at);
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            case "null" -> null;
            default -> {
                if (!word.matches("-?(0|[1-9]\\d*)(\\.\\d+)?")) {
                    throw wrong();
                }
                yield Double.valueOf(word);
            }
        };
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong();
        }
        return text.charAt(at);
    }

    private void take(char expected) {
        if (peek() != expected) {
            throw wrong();
        }
        at++;
    }

    private AssertionError wrong() {
        return new AssertionError("no JSON at character " + at + ": " + text);
    }
}
