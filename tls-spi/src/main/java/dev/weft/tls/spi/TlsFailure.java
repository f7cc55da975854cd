package dev.weft.tls.spi;

import java.util.Objects;

/**
 * Why a connection failed.
 *
 * @param kind what sort of failure
 * @param reason one line of printable ASCII for a log or a reply, without the noise of engines
 */
public record TlsFailure(Kind kind, String reason) {

    /** The sort of a failure. */
    public enum Kind {
        /** The peer sent something else than TLS, such as a line of plain text. */
        NOT_TLS,
        /** The peer gave up and told so with an alert, whose name is the reason, in RFC 8446 section 6's spelling. */
        ALERT_FROM_PEER,
        /** The peer ended the connection with close_notify before the handshake was done. */
        CLOSED_IN_HANDSHAKE,
        /** The peer asked for a renegotiation, which is always refused. */
        RENEGOTIATION,
        /** This side found no way to go on: no common version or cipher, a broken record, a missing certificate. */
        PROTOCOL,
        /** The engine itself broke down, or lacks a resource such as file descriptors. */
        ENGINE
    }

    /**
     * Makes the reason fit for one line: of several lines the first is kept.
     *
     * @param kind what sort of failure
     * @param reason one line of printable ASCII for a log or a reply, without the noise of engines
     * @throws NullPointerException if one is null
     */
    public TlsFailure {
        Objects.requireNonNull(kind, "kind");
        reason = OneLine.of(reason);
    }
}
