package dev.weft.smtp;

import java.util.Set;
import java.util.function.Predicate;

/** Which of a server's capabilities a proxy may pass on: those that it can frame. What it can't frame must not be promised. */
public final class EhloKeywords {
    /** The keywords that are passed on by default, in upper case. STARTTLS and REQUIRETLS follow rules of their own. */
    public static final Set<String> DEFAULT = Set.of("SIZE", "8BITMIME", "PIPELINING", "ENHANCEDSTATUSCODES", "DSN", "SMTPUTF8",
            "CHUNKING", "BINARYMIME", "DELIVERBY", "MT-PRIORITY", "FUTURERELEASE", "LIMITS", "NO-SOLICITING", "RRVS", "SUBMITTER",
            "VRFY", "EXPN", "HELP", "ETRN", "AUTH");

    private EhloKeywords() {
    }

    /**
     * The default list as a filter for {@link Capabilities#keep}.
     *
     * @return true for a keyword, in upper case, of {@link #DEFAULT}
     */
    public static Predicate<String> passed() {
        return DEFAULT::contains;
    }
}
