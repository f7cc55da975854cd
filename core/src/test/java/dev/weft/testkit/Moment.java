package dev.weft.testkit;

import java.util.Locale;

/** When a {@link Fault} happens: just before the server would answer. */
public enum Moment {
    /** The connection was accepted; nothing was sent. */
    CONNECT,
    /** The greeting is due. */
    GREETING,
    /** EHLO or HELO came. */
    EHLO,
    /** An AUTH command came. */
    AUTH,
    /** MAIL came. */
    MAIL,
    /** RCPT came. */
    RCPT,
    /** DATA came. */
    DATA,
    /** The first octet of a message came, by DATA or BDAT. */
    MESSAGE,
    /** The message is complete. */
    END_OF_DATA,
    /** RSET came. */
    RSET,
    /** QUIT came. */
    QUIT,
    /** Any other command came. */
    OTHER;

    static Moment of(String line) {
        var verb = line.strip().split("[ \t]", 2)[0].toUpperCase(Locale.ROOT);
        return switch (verb) {
            case "EHLO", "HELO" -> EHLO;
            case "AUTH" -> AUTH;
            case "MAIL" -> MAIL;
            case "RCPT" -> RCPT;
            case "DATA" -> DATA;
            case "RSET" -> RSET;
            case "QUIT" -> QUIT;
            default -> OTHER;
        };
    }
}
