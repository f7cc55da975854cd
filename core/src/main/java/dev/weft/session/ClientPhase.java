package dev.weft.session;

/**
 * Where the client leg is.
 *
 * <pre>
 * WAITING      -> COMMAND (greeting relayed)
 * COMMAND      -> BLIND (220 to a STARTTLS that was the server's to answer)
 * COMMAND      -> AUTH (334) | DATA (354) | CHUNK (BDAT) | TLS (STARTTLS answered) | ENDED
 * TLS          -> COMMAND (established) | ENDED (failed)
 * AUTH         -> COMMAND (final reply)
 * DATA         -> COMMAND (end-of-data) | DRAIN_DATA (nothing may go on)
 * CHUNK        -> COMMAND (last octet)  | DRAIN_CHUNK (nothing may go on)
 * COMMAND      -> HOLD (DATA of a message that is held)
 * HOLD         -> JUDGED (end-of-data)  | DRAIN_DATA (it can't pass)
 * DATA, CHUNK  -> JUDGED (all but the end has left: it waits for a verdict)
 * JUDGED       -> COMMAND (sent, or refused)
 * DRAIN_DATA   -> COMMAND (true end-of-data: the held reply is given)
 * DRAIN_CHUNK  -> COMMAND (last octet: the held reply is given)
 * any          -> ENDED
 * </pre>
 */
enum ClientPhase {
    /** No greeting yet: bytes wait. */
    WAITING,
    /** The next line is a command. */
    COMMAND,
    /** The next line belongs to an AUTH exchange: opaque. */
    AUTH,
    /** A handshake is under way: nothing in clear is acted on. */
    TLS,
    /** Client and server speak TLS with each other: all bytes go on. */
    BLIND,
    /** A message flows on, up to CRLF.CRLF. */
    DATA,
    /** A counted chunk flows on. */
    CHUNK,
    /** A message is kept, up to CRLF.CRLF, before the server hears of it. */
    HOLD,
    /** A message is whole, and waits for a verdict or for the server to have it. */
    JUDGED,
    /** A message is read to its end and discarded. */
    DRAIN_DATA,
    /** A chunk is read to its end and discarded. */
    DRAIN_CHUNK,
    /** The last reply is written; nothing is read any more. */
    ENDED;

    /** Whether nothing in clear may be said to the client, since it would be taken for a part of its TLS. */
    boolean opaque() {
        return this == TLS || this == BLIND;
    }

    /** Whether the client is in the middle of a message or chunk, so that a vanished client leaves something partial. */
    boolean midMessage() {
        return this == DATA || this == CHUNK || this == HOLD || this == DRAIN_DATA || this == DRAIN_CHUNK;
    }
}
