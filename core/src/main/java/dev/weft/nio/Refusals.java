package dev.weft.nio;

import dev.weft.smtp.Reply;

/** What a client is told that never gets a session. */
final class Refusals {

    static final Reply TOO_MANY_SESSIONS = Reply.of(421, "4.3.2", "Too many sessions here, try again later");
    static final Reply TOO_MANY_OF_CLIENT = Reply.of(421, "4.7.0", "Too many sessions from your address, try again later");
    static final Reply LOOP = Reply.of(421, "4.4.6", "This connection leads back to the proxy itself");
    static final Reply NO_DESTINATION = Reply.of(421, "4.4.3", "The original destination of this connection can't be found");
    static final Reply UNTRUSTED = Reply.of(421, "4.7.1", "This listener takes connections from listed peers only");
    static final Reply FAILED = Reply.of(421, "4.3.0", "Local problem, closing");
    static final Reply BAD_HEADER = Reply.of(421, "4.5.0", "PROXY protocol header expected");

    private Refusals() {}
}
