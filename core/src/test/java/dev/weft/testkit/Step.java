package dev.weft.testkit;

import dev.weft.session.Leg;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One step of a transcript.
 *
 * @param line its line, from 1; of several joined lines the first
 * @param kind what it is
 * @param leg the leg that it is about; null for an event
 * @param octets sent or expected
 * @param text of an event or a state
 */
record Step(int line, Kind kind, Leg leg, byte[] octets, String text) {

    enum Kind {
        /** A peer sends octets. */
        SENDS,
        /** Octets, or none, must have been written to a peer since the last check. */
        GETS,
        /** A leg, or its reading, must be in a state. */
        IS,
        /** Something happens. */
        EVENT
    }

    static List<Step> parse(String text) {
        var steps = new ArrayList<Step>();
        int number = 0;
        for (var raw : text.split("\n", -1)) {
            number++;
            var line = raw.strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            var step = parseLine(number, line);
            int last = steps.size() - 1;
            if (last >= 0 && steps.get(last).continuedBy(step)) {
                steps.set(last, steps.get(last).and(step));
            } else {
                steps.add(step);
            }
        }
        return steps;
    }

    private static Step parseLine(int number, String line) {
        if (line.startsWith("(") && line.endsWith(")")) {
            return new Step(number, Kind.EVENT, null, new byte[0], line.substring(1, line.length() - 1).strip());
        }
        for (var leg : Leg.values()) {
            var name = leg.name().toLowerCase(Locale.ROOT);
            if (line.startsWith(name + ":")) {
                return new Step(number, Kind.SENDS, leg, Escapes.octets(after(line, name + ":")), "");
            }
            if (line.startsWith(name + " gets:")) {
                return new Step(number, Kind.GETS, leg, Escapes.octets(after(line, name + " gets:")), "");
            }
            if (line.equals(name + " gets nothing")) {
                return new Step(number, Kind.GETS, leg, new byte[0], "");
            }
            for (var what : new String[] {" leg:", " reading:"}) {
                if (line.startsWith(name + what)) {
                    return new Step(number, Kind.IS, leg, new byte[0], what.strip() + after(line, name + what).strip());
                }
            }
        }
        throw new IllegalArgumentException("line " + number + " of a transcript, \"" + line
                + "\": begin with client: server: client gets: server gets: client leg: server leg: client reading: or an (event)");
    }

    private static String after(String line, String prefix) {
        var rest = line.substring(prefix.length());
        return rest.startsWith(" ") ? rest.substring(1) : rest;
    }

    private boolean continuedBy(Step next) {
        return kind == next.kind && leg == next.leg && (kind == Kind.SENDS || kind == Kind.GETS);
    }

    private Step and(Step next) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(octets);
        out.writeBytes(next.octets);
        return new Step(line, kind, leg, out.toByteArray(), text);
    }
}
