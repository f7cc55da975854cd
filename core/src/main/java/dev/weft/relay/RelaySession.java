package dev.weft.relay;

import java.net.InetSocketAddress;
import java.util.Optional;

/** A handler's live view of its session. For use on the session's event loop only. */
public interface RelaySession {

    /**
     * The session's id, which stands in every log line about it.
     *
     * @return an id unique within this process, and very likely across restarts
     */
    String id();

    /**
     * Who opened the connection.
     *
     * @return the client's address
     */
    InetSocketAddress client();

    /**
     * The address and port that the client dialled.
     *
     * @return the original destination
     */
    InetSocketAddress originalDestination();

    /**
     * Where the session goes on to.
     *
     * @return the route, empty before it is decided; a transaction may have another, see {@link Transaction#route}
     */
    Optional<Route> route();

    /**
     * The name that the client gave in its last EHLO or HELO.
     *
     * @return the name as sent, or empty before that
     */
    Optional<String> ehloName();

    /**
     * The TLS of the client leg.
     *
     * @return what it is, or empty while it is in clear
     */
    Optional<LegTls> clientTls();

    /**
     * The TLS of the server leg; bound {@link Binding#ON_MAIL} of the one that was leased last.
     *
     * @return what it is, or empty while it is in clear, or before there is one
     */
    Optional<LegTls> serverTls();

    /**
     * The transaction that MAIL opened.
     *
     * @return the transaction, or empty between transactions
     */
    Optional<Transaction> transaction();

    /**
     * Values that handlers keep for the session.
     *
     * @return the attributes
     */
    Attributes attributes();
}
