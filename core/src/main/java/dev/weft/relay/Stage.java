package dev.weft.relay;

/**
 * The timed steps of a session. Each is the time from an order of the proxy's to what answers it, as the proxy saw it. Where the
 * session is bound {@link Binding#ON_MAIL} the steps before {@link #LEASE} are nobody's own, and absent from its records.
 */
public enum Stage {
    /** Opening the TCP connection to the server. */
    CONNECT,
    /** From the connection to the complete greeting. */
    GREETING,
    /** EHLO or HELO to its reply; with TLS wanted, the first one, in clear. */
    EHLO,
    /** STARTTLS on the server leg to the end of the handshake. */
    STARTTLS,
    /** The second EHLO, inside TLS, to its reply. */
    EHLO2,
    /**
     * Where the session is bound on mail: waiting for the tenant's turn and for a server leg, which may have to be connected,
     * greeted and secured first. Absent if none was had.
     */
    LEASE,
    /** MAIL to the server's reply. */
    MAIL,
    /** RCPT to its reply, summed over the transaction's recipients. */
    RCPT,
    /** DATA to its reply. */
    DATA,
    /** End-of-data, or BDAT LAST, to its reply. */
    END_OF_DATA
}
