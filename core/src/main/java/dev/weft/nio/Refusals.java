package dev.weft.nio;

import dev.weft.smtp.Reply;

/** What a client is told without its session: that it gets none, or no turn. */
final class Refusals {

    static final Reply TOO_MANY_SESSIONS = Reply.of(421, "4.3.2", "Too many sessions here, try again later");
    static final Reply TOO_MANY_OF_CLIENT = Reply.of(421, "4.7.0", "Too many sessions from your address, try again later");
    static final Reply LOOP = Reply.of(421, "4.4.6", "This connection leads back to the proxy itself");
    static final Reply NO_DESTINATION = Reply.of(421, "4.4.3", "The original destination of this connection can't be found");
    static final Reply UNTRUSTED = Reply.of(421, "4.7.1", "This listener takes connections from listed peers only");
    static final Reply FAILED = Reply.of(421, "4.3.0", "Local problem, closing");
    static final Reply BAD_HEADER = Reply.of(421, "4.5.0", "PROXY protocol header expected");

    private Refusals() {}

    /** A 451 and at MAIL: it suspends nothing in the client's queue, as a 421 would. */
    static Reply noTurn(String why) {
        return Reply.of(451, "4.3.2", Character.toUpperCase(why.charAt(0)) + printable(why.substring(1)));
    }

    private static String printable(String text) {
        var clean = text.replaceAll("[^\\x20-\\x7e]", "?");
        return clean.length() <= 300 ? clean : clean.substring(0, 300);
    }
}
