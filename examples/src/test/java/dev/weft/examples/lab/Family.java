package dev.weft.examples.lab;

/** The internet protocol that a message travels over: each receiving host has a mail domain for each. */
enum Family {
    IPV4("v4"), IPV6("v6");

    private final String label;

    Family(String label) {
        this.label = label;
    }

    /** The mail domain that leads to a host over this protocol only. */
    String domain(String host) {
        return label + "." + host + ".test";
    }
}
