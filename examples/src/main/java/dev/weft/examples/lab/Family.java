package dev.weft.examples.lab;

/** The internet protocol that a message travels over: each receiving host has a mail domain for each. */
public enum Family {
    /** IPv4 only. */
    IPV4("v4"),
    /** IPv6 only. */
    IPV6("v6");

    private final String label;

    Family(String label) {
        this.label = label;
    }

    /**
     * The mail domain that leads to a host over this protocol only.
     *
     * @param host its name
     * @return the domain
     */
    public String domain(String host) {
        return label + "." + host + ".test";
    }
}
