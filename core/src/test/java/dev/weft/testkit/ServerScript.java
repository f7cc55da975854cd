package dev.weft.testkit;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a scripted server says and does, shared by its connections. */
final class ServerScript {

    /** An answer to commands that begin so. */
    private record Exchange(String prefix, String answer, boolean once) {
        boolean matches(String line) {
            return line.toUpperCase(Locale.ROOT).startsWith(prefix.toUpperCase(Locale.ROOT));
        }
    }

    private record Event(Fault fault, boolean once) {}

    final String name;
    final String greeting;
    final List<String> capabilities;
    final List<byte[]> terminators;
    private final List<Exchange> exchanges;
    private final Map<Moment, List<Event>> events;

    private ServerScript(Draft draft) {
        name = draft.name;
        greeting = draft.greeting != null ? draft.greeting : "220 " + draft.name + " ESMTP";
        capabilities = List.copyOf(draft.capabilities);
        terminators = List.copyOf(draft.terminators);
        exchanges = new ArrayList<>(draft.exchanges);
        events = new EnumMap<>(Moment.class);
        draft.events.forEach((moment, list) -> events.put(moment, new ArrayList<>(list)));
    }

    /** The scripted answer to a command, or null for the usual one. */
    synchronized String answer(String line) {
        for (var exchange : exchanges) {
            if (exchange.matches(line)) {
                if (exchange.once) {
                    exchanges.remove(exchange);
                }
                return exchange.answer;
            }
        }
        return null;
    }

    /** The faults of a moment, in order; one-time faults are used up, one a visit. */
    synchronized List<Fault> faults(Moment moment) {
        var due = new ArrayList<Fault>();
        var list = events.getOrDefault(moment, List.of());
        var usedOne = false;
        for (var each : List.copyOf(list)) {
            if (each.once && usedOne) {
                continue;
            }
            due.add(each.fault);
            if (each.once) {
                usedOne = true;
                list.remove(each);
            }
        }
        return due;
    }

    /** What is written before the server starts. */
    static final class Draft {
        String name = "mx.example.net";
        String greeting;
        List<String> capabilities = List.of("PIPELINING", "SIZE 52428800", "8BITMIME", "ENHANCEDSTATUSCODES", "CHUNKING", "SMTPUTF8");
        final List<byte[]> terminators = new ArrayList<>(List.of(new byte[] {'\r', '\n', '.', '\r', '\n'}));
        private final List<Exchange> exchanges = new ArrayList<>();
        private final Map<Moment, List<Event>> events = new EnumMap<>(Moment.class);

        void exchange(String prefix, String answer, boolean once) {
            exchanges.add(new Exchange(prefix, answer, once));
        }

        void fault(Moment moment, Fault fault, boolean once) {
            events.computeIfAbsent(moment, m -> new ArrayList<>()).add(new Event(fault, once));
        }

        ServerScript finish() {
            return new ServerScript(this);
        }
    }
}
