package dev.weft.examples.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The options of a command line: {@code --name value}, or {@code --flag} alone. */
public final class Arguments {

    private final Map<String, String> given = new HashMap<>();

    /**
     * Reads a command line.
     *
     * @param line the words of it
     * @param flags the options that stand alone
     * @param valued the options with a value behind them
     * @throws IllegalArgumentException if an option is unknown or lacks its value
     */
    public Arguments(String[] line, Set<String> flags, Set<String> valued) {
        for (int i = 0; i < line.length; i++) {
            var name = line[i];
            if (flags.contains(name)) {
                given.put(name, "");
            } else if (!valued.contains(name)) {
                throw new IllegalArgumentException("unknown option " + name + ": try --help");
            } else if (++i == line.length) {
                throw new IllegalArgumentException("option " + name + " needs a value");
            } else {
                given.put(name, line[i]);
            }
        }
    }

    /**
     * Whether an option was given.
     *
     * @param flag its name
     * @return true if so
     */
    public boolean has(String flag) {
        return given.containsKey(flag);
    }

    /**
     * The value of an option.
     *
     * @param name of the option
     * @param otherwise the value if it was not given
     * @return its value
     */
    public String text(String name, String otherwise) {
        return given.getOrDefault(name, otherwise);
    }

    /**
     * The value of an option that takes a whole number, 0 or more.
     *
     * @param name of the option
     * @param otherwise the value if it was not given
     * @return its value
     * @throws IllegalArgumentException if something else was given
     */
    public int number(String name, int otherwise) {
        var text = given.get(name);
        if (text == null) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Falls through to the same complaint as a negative number.
        }
        throw new IllegalArgumentException("option " + name + " " + text + ": give a whole number, 0 or more");
    }

    static int atLeastOne(String name, String text) {
        if (!text.matches("[1-9]\\d{0,5}")) {
            throw new IllegalArgumentException("option " + name + " " + text + ": give whole numbers, 1 or more");
        }
        return Integer.parseInt(text);
    }

    /**
     * The parts of an option's value.
     *
     * @param name of the option
     * @param otherwise the value if it was not given
     * @param separator a regular expression
     * @return the parts
     */
    public List<String> words(String name, String otherwise, String separator) {
        var text = text(name, otherwise).strip();
        return text.isEmpty() ? List.of() : List.of(text.split(separator));
    }
}
