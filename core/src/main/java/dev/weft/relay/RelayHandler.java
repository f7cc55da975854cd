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
     * A client connected; decides where the session goes on to.
     *
     * @param session the session
     * @param proposed the route to the original destination, or what the handlers before made of it
     * @return proceed or rewrite for a route; a rejection takes the place of the greeting
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
     * The server's complete greeting (observer).
     *
     * @param session the session
     * @param greeting the greeting, which may be a refusal
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
     * MAIL is about to pass. If it is refused the transaction ends there.
     *
     * @param transaction the transaction that it opens
     * @param command the command
     * @return the verdict
     */
    default Verdict<Command> mail(Transaction transaction, Command command) {
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
     * How long a {@link Verdict.Later} of this handler may take.
     *
     * @return the limit, 30 s by default
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
