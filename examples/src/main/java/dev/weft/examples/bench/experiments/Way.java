package dev.weft.examples.bench.experiments;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What stands between the senders and the receivers. */
enum Way {
    /** Nothing but routing. */
    DIRECT("direct", "direct"),
    /** A Postfix that they use as their smarthost. */
    POSTFIX("postfix", "Postfix relay"),
    /** Weft with a server leg for each client connection. */
    WEFT_CONNECT("weft-connect", "Weft on connect"),
    /** Weft with a lease on a server leg for each transaction. */
    WEFT_MAIL("weft-mail", "Weft on mail");

    private final String option;
    private final String title;

    Way(String option, String title) {
        this.option = option;
        this.title = title;
    }

    /** As on the command line, and in file names. */
    String option() {
        return option;
    }

    String title() {
        return title;
    }

    /** Whether the receivers see one address for all senders. */
    boolean oneAddress() {
        return this != DIRECT;
    }

    boolean weft() {
        return this == WEFT_CONNECT || this == WEFT_MAIL;
    }

    static String options() {
        return Arrays.stream(values()).map(Way::option).collect(Collectors.joining(","));
    }

    /** The ways of those names, in the order of this list. */
    static List<Way> of(List<String> options) {
        for (var option : options) {
            if (Arrays.stream(values()).noneMatch(way -> way.option.equals(option))) {
                throw new IllegalArgumentException("unknown contender " + option + ": give some of " + options());
            }
        }
        return Arrays.stream(values()).filter(way -> options.contains(way.option)).toList();
    }
}
