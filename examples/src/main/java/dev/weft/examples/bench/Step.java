package dev.weft.examples.bench;

import java.util.Locale;

/** The timed steps of a client's session, each from a command to its complete reply. */
enum Step {
    CONNECT, GREETING, EHLO,
    /** STARTTLS, its reply, and the handshake as far as the client has to wait for it. */
    STARTTLS,
    EHLO2, MAIL, RCPT, DATA,
    /** From the first octet of the message to the reply after its end. */
    MESSAGE,
    QUIT;

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }
}
