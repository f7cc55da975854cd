package dev.weft.smtp;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The grammar of paths: tolerant of what comes from the wire, strict about what comes from a host (RFC 5321 §4.1.2). */
final class PathSyntax {
    private static final String ATEXT_SPECIALS = "!#$%&'*+-/=?^_`{|}~.";

    private PathSyntax() {
    }

    /**
     * Finds where a path ends.
     *
     * @return the index behind it, or -1 if there is no end: an open bracket or an open quote
     */
    static int end(byte[] line, int from, int end) {
        boolean bracketed = from < end && line[from] == '<';
        boolean quoted = false;
        for (int i = bracketed ? from + 1 : from; i < end; i++) {
            byte b = line[i];
            if (quoted && b == '\\') {
                i++;
            } else if (b == '"') {
                quoted = !quoted;
            } else if (!quoted && bracketed && b == '>') {
                return i + 1;
            } else if (!quoted && !bracketed && Octets.isBlank(b)) {
                return i;
            }
        }
        return bracketed || quoted ? -1 : end;
    }

    /** Reads what {@link #end} delimited. */
    static Path parse(String text) {
        boolean bracketed = text.startsWith("<");
        var inner = bracketed ? text.substring(1, text.length() - 1) : text;
        if (inner.isEmpty()) {
            return bracketed ? new Path.Null() : new Path.Unparsed(text);
        }
        var route = new ArrayList<String>();
        int start = inner.charAt(0) == '@' ? sourceRoute(inner, route) : 0;
        var mailbox = start < 0 ? null : mailbox(inner.substring(start), route, bracketed);
        return mailbox == null ? new Path.Unparsed(text) : mailbox;
    }

    /** Returns where the mailbox begins, or -1. */
    private static int sourceRoute(String inner, List<String> route) {
        int hostStart = 1;
        boolean literal = false;
        for (int i = 1; i < inner.length(); i++) {
            char c = inner.charAt(i);
            literal = c == '[' || literal && c != ']';
            if (literal || c != ',' && c != ':') {
                continue;
            }
            var host = inner.substring(hostStart, i);
            if (!isDomain(host)) {
                return -1;
            }
            route.add(host);
            if (c == ':') {
                return i + 1;
            }
            if (i + 1 == inner.length() || inner.charAt(i + 1) != '@') {
                return -1;
            }
            hostStart = i + 2;
            i++;
        }
        return -1;
    }

    private static Path.Mailbox mailbox(String text, List<String> route, boolean bracketed) {
        if (text.chars().anyMatch(Octets::isAsciiControl)) {
            // A tab: not even quoted strings hold one (RFC 5321 §4.1.2, qtextSMTP and quoted-pairSMTP).
            return null;
        }
        int at = -1;
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && c == '@') {
                // Receivers that allow several take the last; so must whoever judges the address.
                at = i;
            } else if (!quoted && (c == ' ' || c == '<' || c == '>')) {
                return null;
            } else if (!quoted && c == '\\' && i + 1 < text.length() && "\\\"@<>,:".indexOf(text.charAt(i + 1)) >= 0) {
                // Receivers differ on escapes outside quotes: better not understood than misunderstood.
                return null;
            }
        }
        if (quoted || at == 0 || text.isEmpty()) {
            return null;
        }
        if (at < 0) {
            // "MAIL FROM: SIZE=10" has no path; a bare local part with a "=" is nobody's address.
            return !bracketed && text.indexOf('=') >= 0 ? null : new Path.Mailbox(text, "", route, bracketed);
        }
        var domain = text.substring(at + 1);
        return isDomain(domain) ? new Path.Mailbox(text.substring(0, at), domain, route, bracketed) : null;
    }

    private static boolean isDomain(String domain) {
        return !domain.isEmpty()
                && domain.chars().noneMatch(c -> Octets.isAsciiControl(c) || "\"@<> ".indexOf(c) >= 0)
                && domain.startsWith("[") == domain.endsWith("]");
    }

    static Path strict(String addressSpec) {
        var spec = addressSpec.startsWith("<") && addressSpec.endsWith(">")
                ? addressSpec.substring(1, addressSpec.length() - 1)
                : addressSpec;
        Octets.refuseControls("address", spec, "an address is one line of text");
        if (spec.isEmpty()) {
            return new Path.Null();
        }
        var path = parse("<" + spec + ">");
        if (!(path instanceof Path.Mailbox mailbox) || !isStrictLocal(mailbox.localPart())) {
            throw unfit(addressSpec, "write local@domain, and put a local part with blanks or specials in double quotes");
        }
        if (mailbox.domain().isEmpty() && !mailbox.localPart().equalsIgnoreCase("postmaster")) {
            throw unfit(addressSpec, "only postmaster may stand without a domain (RFC 5321 §4.1.1.3); add @domain");
        }
        if (!isStrictDomain(mailbox.domain())) {
            throw unfit(addressSpec,
                    "a domain has letters, digits, hyphens and dots, or is an address literal such as [192.0.2.1]");
        }
        Octets.encode(spec, StandardCharsets.UTF_8);
        return mailbox;
    }

    private static boolean isStrictLocal(String local) {
        if (local.startsWith("\"")) {
            return isQuotedString(local);
        }
        return local.chars().allMatch(c -> c >= 0x80 || Character.isLetterOrDigit(c) || ATEXT_SPECIALS.indexOf(c) >= 0);
    }

    private static boolean isQuotedString(String local) {
        for (int i = 1; i < local.length(); i++) {
            if (local.charAt(i) == '\\') {
                i++;
            } else if (local.charAt(i) == '"') {
                return i == local.length() - 1;
            }
        }
        return false;
    }

    private static boolean isStrictDomain(String domain) {
        return domain.startsWith("[")
                ? domain.substring(1, domain.length() - 1).chars().noneMatch(c -> c >= 0x80 || "[]\\ ".indexOf(c) >= 0)
                : domain.chars().allMatch(c -> c >= 0x80 || Character.isLetterOrDigit(c) || "-._".indexOf(c) >= 0);
    }

    private static IllegalArgumentException unfit(String address, String mend) {
        return new IllegalArgumentException("\"" + Octets.escape(address) + "\" is no address to send: " + mend);
    }

    static void refuseControls(String part) {
        for (int i = 0; i < part.length(); i++) {
            if (Octets.isAsciiControl(part.charAt(i))) {
                throw new IllegalArgumentException("\"" + Octets.escape(part)
                        + "\" holds a control character: make addresses with Path.of, which says what is wrong with them");
            }
        }
    }
}
