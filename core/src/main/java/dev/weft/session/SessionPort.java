package dev.weft.session;

import dev.weft.relay.Route;
import dev.weft.smtp.Reply;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * What a session orders. The driver carries the orders out and never calls the session back from within one: what comes of an
 * order is told as an input of its own, on the session's thread.
 */
public interface SessionPort {

    /**
     * The time, from any fixed origin.
     *
     * @return nanoseconds that never run backwards
     */
    long now();

    /**
     * Connect a server leg. Answered by {@link SmtpSession#serverConnected} or {@link SmtpSession#serverUnreachable}.
     *
     * @param generation the new leg's generation, which its bytes and events must bear
     * @param route the server and the source address
     */
    void connect(int generation, Route route);

    /**
     * Say what the server of a route offers, as far as it is known from the last leg to it; probe it if it is not. Answered by
     * {@link SmtpSession#offerKnown}, also where it can't be known in time. A driver without a pool need not implement this nor
     * the orders of leases below, as long as no route is bound {@link dev.weft.relay.Binding#ON_MAIL}.
     *
     * @param route the route that transactions will probably take
     */
    default void askOffer(Route route) {
        throw new UnsupportedOperationException("this driver leases no legs: give it routes with Binding.ON_CONNECT only");
    }

    /**
     * A leased leg to a route's server offers less than was answered to {@link #askOffer}, and therefore promised: what it offers
     * is the answer from now on. Where the leg's route has another source address, EHLO name or TLS than the one that was asked
     * for, that is no answer for other tenants.
     *
     * @param asked the route that was asked for
     * @param leased the leg's route, to the same server
     * @param hello the server's answer to EHLO on that leg
     */
    default void offersLess(Route asked, Route leased, Reply hello) {}

    /**
     * Lease a server leg for a transaction: wait for the tenant's turn, then take an idle leg or make a new one. Answered by
     * {@link SmtpSession#leaseGranted} or {@link SmtpSession#leaseRefused}, in bounded time. The leg, and with it the lease, is
     * given up by {@link #giveBack} or by {@link #close}; a {@link #close} before the answer withdraws the request.
     *
     * @param generation the leg's generation, which its bytes and events must bear
     * @param route the server, the source address, and all that must be equal for a leg to be used again
     * @param fresh whether only a new leg will do, since an idle one turned out to be dead
     */
    default void lease(int generation, Route route, boolean fresh) {
        throw new UnsupportedOperationException("this driver leases no legs: give it routes with Binding.ON_CONNECT only");
    }

    /**
     * Take the leased leg back: it is between transactions, and owes no reply. It may serve others.
     *
     * @param use what the transaction did to it
     */
    default void giveBack(LegFacts.Use use) {
        throw new UnsupportedOperationException("this driver leases no legs: give it routes with Binding.ON_CONNECT only");
    }

    /**
     * The server ended a leased leg with a 421: its destination allows less than was thought. A {@link #close} follows.
     *
     * @param reply the 421
     */
    default void turnedAway(Reply reply) {}

    /**
     * Write to a leg, after what was written before. The bytes are taken over before this returns.
     *
     * @param leg the leg
     * @param bytes read from position to limit, and consumed
     */
    void write(Leg leg, ByteBuffer bytes);

    /**
     * Write to a leg, after what was written before.
     *
     * @param leg the leg
     * @param bytes not changed afterwards by either side
     */
    void write(Leg leg, byte[] bytes);

    /**
     * Begin a TLS handshake on a leg: as its client on the server leg, as its server on the client leg. Answered by
     * {@link SmtpSession#serverSecured} or {@link SmtpSession#serverTlsFailed}, {@link SmtpSession#clientSecured} or
     * {@link SmtpSession#clientTlsFailed}. What was written before goes out in clear first. A driver without TLS need not
     * implement it, as long as no route wants TLS and no client is offered any.
     *
     * @param leg the leg
     * @param route the route, with its policy
     * @param serverName the name to ask the server for, empty for none; of no meaning on the client leg
     */
    default void startTls(Leg leg, Route route, Optional<String> serverName) {
        throw new UnsupportedOperationException("this driver has no TLS: give it routes with TlsPolicy.none() only");
    }

    /**
     * Whether TLS failed towards this route's server a short while ago, so that it need not be tried where the policy is
     * {@code may}.
     *
     * @param route the route
     * @return true if it did
     */
    default boolean tlsBroken(Route route) {
        return false;
    }

    /**
     * TLS failed towards this route's server: to be remembered for a while.
     *
     * @param route the route
     */
    default void tlsBroke(Route route) {}

    /**
     * Read no more from a leg until {@link #resumeReading}.
     *
     * @param leg the leg
     */
    void pauseReading(Leg leg);

    /**
     * Read from a leg again.
     *
     * @param leg the leg
     */
    void resumeReading(Leg leg);

    /**
     * Call {@link SmtpSession#timePassed} once {@link #now} has reached the deadline. Replaces the deadline set before.
     *
     * @param deadline in the time of {@link #now}
     */
    void armTimer(long deadline);

    /**
     * Call back on the session's thread, later, when the stage is complete.
     *
     * @param stage what is waited for
     * @param resume is given the value, or the failure
     * @param <T> the value's type
     */
    <T> void onCompletion(CompletionStage<T> stage, BiConsumer<? super T, ? super Throwable> resume);

    /**
     * Keeps messages that are held. A driver without a store need not implement it, as long as no handler holds messages.
     *
     * @return the store
     */
    default MessageStore messageStore() {
        throw new UnsupportedOperationException("this driver keeps no messages: choose MessagePath.stream() or holdTheDot()");
    }

    /**
     * Write no more to the server leg behind what was written before, and let the server know (a half-close); it is still read.
     * Ordered only for a client that was offered {@link Arrival.TlsOffer#PASS_THROUGH}.
     */
    void endOutput();

    /**
     * Close a leg. The session takes no further event from it.
     *
     * @param leg the leg
     * @param closing how
     */
    void close(Leg leg, Closing closing);
}
