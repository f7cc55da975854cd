package dev.weft.smtp;

import java.util.Locale;
import java.util.Optional;
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
     * The keyword that a server must have offered for a parameter of MAIL or RCPT.
     *
     * @param parameter the parameter
     * @return the keyword in upper case, or empty if none is known
     */
    public static Optional<String> behind(Parameter parameter) {
        var name = parameter.keyword().toUpperCase(Locale.ROOT);
        return Optional.ofNullable(switch (name) {
            case "BODY" -> parameter.value().orElse("").equalsIgnoreCase("BINARYMIME") ? "BINARYMIME" : "8BITMIME";
            case "RET", "ENVID", "NOTIFY", "ORCPT" -> "DSN";
            case "BY" -> "DELIVERBY";
            case "HOLDFOR", "HOLDUNTIL" -> "FUTURERELEASE";
            case "SOLICIT" -> "NO-SOLICITING";
            case "SIZE", "SMTPUTF8", "AUTH", "MT-PRIORITY", "RRVS", "SUBMITTER", "REQUIRETLS" -> name;
            default -> null;
        });
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
