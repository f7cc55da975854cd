package dev.weft.smtp;

import java.util.List;

/** A reverse-path or forward-path: who a message is from, or for whom it is (RFC 5321 §4.1.2). */
public sealed interface Path permits Path.Null, Path.Mailbox, Path.Unparsed {

    /**
     * What stands on the wire between the brackets, source route and all.
     *
     * @return the text, without brackets
     */
    String text();

    /**
     * Makes a path from an address, for hosts.
     *
     * @param addressSpec {@code local@domain}, {@code postmaster}, or nothing for the null reverse-path; with or without brackets
     * @return the path, never {@link Unparsed}
     * @throws IllegalArgumentException if the text is no address that can be sent as it is
     */
    static Path of(String addressSpec) {
        return PathSyntax.strict(addressSpec);
    }

    /** The null reverse-path {@code <>}: a value of its own, not the absence of one (RFC 5321 §4.5.5). */
    record Null() implements Path {
        @Override
        public String text() {
            return "";
        }

        /**
         * As on the wire.
         *
         * @return {@code <>}
         */
        @Override
        public String toString() {
            return "<>";
        }
    }

    /**
     * An address, as it was written.
     *
     * @param localPart what stands before the {@code @}, quotes included
     * @param domain a domain, an address literal in its square brackets, or nothing for {@code <postmaster>}
     * @param sourceRoute the hosts of a source route, without their {@code @}; nearly always empty (RFC 5321 appendix C)
     * @param bracketed whether it stands in angle brackets, as it should
     */
    record Mailbox(String localPart, String domain, List<String> sourceRoute, boolean bracketed) implements Path {

        /**
         * Copies the source route and refuses control characters.
         *
         * @param localPart what stands before the {@code @}
         * @param domain what stands behind it
         * @param sourceRoute the hosts to pass
         * @param bracketed whether it stands in angle brackets
         * @throws IllegalArgumentException if a part holds a control character
         */
        public Mailbox {
            sourceRoute = List.copyOf(sourceRoute);
            PathSyntax.refuseControls(localPart);
            PathSyntax.refuseControls(domain);
            sourceRoute.forEach(PathSyntax::refuseControls);
        }

        @Override
        public String text() {
            return sourceRoute.isEmpty() ? address() : "@" + String.join(",@", sourceRoute) + ":" + address();
        }

        /**
         * The address without a source route.
         *
         * @return {@code local@domain}, or the local part alone where there is no domain
         */
        public String address() {
            return domain.isEmpty() ? localPart : localPart + "@" + domain;
        }

        /**
         * As on the wire.
         *
         * @return the text, in brackets if it stood so
         */
        @Override
        public String toString() {
            return bracketed ? "<" + text() + ">" : text();
        }
    }

    /**
     * What no path could be made of. The command may still be one that the server understands.
     *
     * @param text whatever stood there, decoded for viewing
     */
    record Unparsed(String text) implements Path {
        /**
         * Says that it was not understood; control characters are escaped.
         *
         * @return for logs
         */
        @Override
        public String toString() {
            return "unparsed: " + Octets.escape(text);
        }
    }
}
