package dev.weft.relay;

import dev.weft.smtp.Command;
import dev.weft.smtp.Path;
import dev.weft.smtp.Reply;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a transaction was and what became of it.
 *
 * @param sessionId the session's id
 * @param number 1 for the session's first transaction
 * @param route where it went, or was to go; the session's route if handlers were not asked for another
 * @param source the address and port that its server leg left from, empty if it had none
 * @param reused how many transactions that leg had carried before, of whatever session; 0 for a fresh one, empty if it had none
 * @param mail the MAIL command as passed on
 * @param recipients the recipients with their replies, in order, up to the bookkeeping limit
 * @param recipientCount all recipients, listed or not
 * @param messageBytes octets of the message that reached the server leg, as on the wire, without the end-of-data marker
 * @param outcome how it ended
 * @param reply the reply that decided it, as the client got it, if any: to MAIL, to the message, or to DATA; where no recipient
 *        was accepted, the last 4xx that one got, else the last 5xx; bound {@link Binding#ON_MAIL} also the 451 in place of a leg
 * @param stages the time that each step took; steps that did not happen are absent
 */
public record TransactionRecord(
        String sessionId,
        int number,
        Route route,
        Optional<InetSocketAddress> source,
        OptionalInt reused,
        Command mail,
        List<Recipient> recipients,
        int recipientCount,
        long messageBytes,
        Outcome outcome,
        Optional<Reply> reply,
        Map<Stage, Duration> stages) {

    /** How a transaction ended. */
    public enum Outcome {
        /** The server accepted the message. */
        ACCEPTED,
        /** A 5xx to MAIL, to every recipient, to DATA or to the message. */
        REFUSED,
        /** A 4xx to MAIL, DATA or the message; or no recipient was accepted, and one of them got a 4xx. */
        DEFERRED,
        /**
         * RSET, EHLO, a client that went away, or a session that ended before end-of-data: with a recipient accepted, none named,
         * or one without an answer yet.
         */
        ABANDONED,
        /** End-of-data left, its reply never came: the server may or may not have the message (RFC 1047). */
        UNCERTAIN
    }

    /**
     * Makes the collections immutable.
     *
     * @param sessionId the session's id
     * @param number 1 for the session's first transaction
     * @param route where it went
     * @param source the address and port that its server leg left from, empty if it had none
     * @param reused how many transactions that leg had carried before
     * @param mail the MAIL command as passed on
     * @param recipients the recipients with their replies, in order, up to the bookkeeping limit
     * @param recipientCount all recipients, listed or not
     * @param messageBytes octets of the message that reached the server leg, as on the wire, without the end-of-data marker
     * @param outcome how it ended
     * @param reply the reply that decided it, if any
     * @param stages the time that each step took; steps that did not happen are absent
     */
    public TransactionRecord {
        recipients = List.copyOf(recipients);
        stages = Map.copyOf(stages);
    }

    /**
     * How long it waited for its server leg: for its tenant's turn, and until the leg was open if it was a fresh one.
     *
     * @return the time of {@link Stage#LEASE}; empty if it had no lease, as where the session is bound {@link Binding#ON_CONNECT}
     */
    public Optional<Duration> waited() {
        return Optional.ofNullable(stages.get(Stage.LEASE));
    }

    /**
     * The reverse-path.
     *
     * @return the path
     */
    public Path sender() {
        return mail.path();
    }
}
