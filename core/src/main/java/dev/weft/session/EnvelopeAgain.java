package dev.weft.session;

import dev.weft.relay.Recipient;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.util.ArrayDeque;

/**
 * MAIL and the recipients that were accepted, said again to a fresh server leg after the one that accepted them was lost while
 * their message was held. The client sees nothing of it; a server that does not accept the same again gets no message.
 */
final class EnvelopeAgain {

    private final SmtpSession session;
    private final ArrayDeque<Command> unsaid = new ArrayDeque<>();
    private final ArrayDeque<Command> unanswered = new ArrayDeque<>();

    EnvelopeAgain(SmtpSession session, TransactionState transaction) {
        this.session = session;
        unsaid.add(transaction.mail());
        transaction.recipients().stream().filter(Recipient::accepted).forEach(recipient -> unsaid.add(recipient.command()));
    }

    /** Says what may be said now. */
    void go() {
        while (!unsaid.isEmpty() && (unanswered.isEmpty() || session.promise.pipelines())) {
            var command = unsaid.poll();
            unanswered.add(command);
            session.queue.add(Entry.own(command, session.now()));
            session.port.write(Leg.SERVER, command.bytes());
        }
    }

    /** Whether this is the command whose answer is due. */
    boolean awaits(Command own) {
        return unanswered.peek() == own;
    }

    /** Takes the answer to it; false if the server does not accept it this time. */
    boolean answered(Reply reply) {
        unanswered.poll();
        return reply.isPositive();
    }

    boolean done() {
        return unsaid.isEmpty() && unanswered.isEmpty();
    }
}
