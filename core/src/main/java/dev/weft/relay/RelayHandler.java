package dev.weft.relay;

import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.time.Duration;

/**
 * What a host application adds to the relay. Every method has a default that lets all pass, so a handler implements only what it
 * cares for.
 *
 * <p>The package page tells the order of the calls and the threads. Several handlers are asked in the order in which they were
 * given; the first refusal is final, a rewritten value goes on to the next. An exception, or a verdict that comes too late, is
 * taken as the handler's {@link #failureMode()} says, is logged with the session's id, and ends at most this session.
 */
public interface RelayHandler {

    /**
     * A client connected; decides where the session goes on to. Bound {@link Binding#ON_MAIL} the route tells which server is
     * asked what it offers, and is what {@link #mailRoute} begins with; no server leg is connected for it.
     *
     * @param session the session
     * @param proposed the route to the original destination, or what the handlers before made of it
     * @return proceed or rewrite for a route, also for another binding; a rejection takes the place of the greeting
     */
    default Verdict<Route> connect(RelaySession session, Route proposed) {
        return Verdict.proceed();
    }

    /**
     * What this handler may do with the session's messages; asked once, after the route is decided. A handler that fails here is
     * taken to have said {@link MessageUse#none()}.
     *
     * @param session the session
     * @return {@link MessageUse#none()} by default
     */
    default MessageUse messageUse(RelaySession session) {
        return MessageUse.none();
    }

    /**
     * The complete greeting that the client gets (observer): the server's, which may be a refusal. Bound {@link Binding#ON_MAIL}
     * it is the proxy's own, and says nothing about any server.
     *
     * @param session the session
     * @param greeting the greeting
     */
    default void greeting(RelaySession session, Reply greeting) {}

    /**
     * A command is about to pass; called for every one, before {@link #mail} and {@link #rcpt}. AUTH comes masked; its
     * continuation lines are never shown. AUTH can't be rewritten, nor can BDAT, whose count the octets behind it must fit.
     *
     * @param session the session
     * @param command the command
     * @return the verdict; a rewritten command keeps its verb
     */
    default Verdict<Command> command(RelaySession session, Command command) {
        return Verdict.proceed();
    }

    /**
     * MAIL is about to pass. If it is refused the transaction ends there. Bound {@link Binding#ON_MAIL} no handler has been asked
     * for the transaction's route yet: {@link Transaction#route} is still the session's.
     *
     * @param transaction the transaction that it opens
     * @param command the command
     * @return the verdict
     */
    default Verdict<Command> mail(Transaction transaction, Command command) {
        return Verdict.proceed();
    }

    /**
     * Where a transaction goes on to, bound {@link Binding#ON_MAIL} only; asked once every handler let MAIL pass in {@link
     * #mail}, before a server leg is leased. The sender is known, no recipient is. MAIL is answered when a leg is there.
     *
     * @param transaction the transaction
     * @param proposed the session's route, or what the handlers before made of it
     * @return proceed or rewrite for a route; a rejection answers MAIL. The binding can't be changed any more
     */
    default Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
        return Verdict.proceed();
    }

    /**
     * Where a transaction with this recipient goes on to, bound {@link Binding#ON_MAIL} only; asked for each RCPT that every
     * handler let pass in {@link #rcpt}. The first recipient's answer decides; if it is not the route of MAIL, another leg is
     * leased, and one that was not told anything yet is given back. A later recipient that needs another route gets 452 4.5.3,
     * so that the client sends it in a transaction of its own.
     *
     * @param transaction the transaction
     * @param command the RCPT command
     * @param proposed the transaction's route, or what the handlers before made of it
     * @return proceed or rewrite for a route; a rejection answers RCPT. The binding can't be changed any more
     */
    default Verdict<Route> recipientRoute(Transaction transaction, Command command, Route proposed) {
        return Verdict.proceed();
    }

    /**
     * RCPT is about to pass. Called only within a transaction.
     *
     * @param transaction the transaction
     * @param command the command
     * @return the verdict
     */
    default Verdict<Command> rcpt(Transaction transaction, Command command) {
        return Verdict.proceed();
    }

    /**
     * DATA, or the first BDAT, is about to pass; chooses how the message is carried, within what {@link #messageUse} declared.
     * Called again where the server refused DATA and it comes again: by then there may be other recipients.
     *
     * @param transaction the transaction
     * @return the path
     */
    default MessagePath message(Transaction transaction) {
        return MessagePath.stream();
    }

    /**
     * A reply went to the client (observer): the server's own, or one of the proxy's or a handler's. The reply after end-of-data
     * is reported with the DATA command, or the BDAT that it answers.
     *
     * @param session the session
     * @param command the command that it answers, masked if it is AUTH
     * @param reply the reply, as the client gets it
     */
    default void reply(RelaySession session, Command command, Reply reply) {}

    /**
     * Something noteworthy happened (observer).
     *
     * @param session the session
     * @param notice what it was
     */
    default void notice(RelaySession session, Notice notice) {}

    /**
     * A transaction ended (observer); called once for each that MAIL opened.
     *
     * @param session the session
     * @param transaction what it was and what became of it
     */
    default void transactionEnded(RelaySession session, TransactionRecord transaction) {}

    /**
     * The session ended (observer); called once, last.
     *
     * @param session the session
     * @param record what it was and how it ended
     */
    default void sessionClosed(RelaySession session, SessionRecord record) {}

    /**
     * How long a {@link Verdict.Later} of this handler may take; asked for each.
     *
     * @return the limit, 30 s by default; zero or less lets none come in time, more than 365 days counts as these
     */
    default Duration deadline() {
        return Duration.ofSeconds(30);
    }

    /**
     * What happens when this handler throws or is too late.
     *
     * @return {@link FailureMode#TEMPFAIL} by default
     */
    default FailureMode failureMode() {
        return FailureMode.TEMPFAIL;
    }
}
