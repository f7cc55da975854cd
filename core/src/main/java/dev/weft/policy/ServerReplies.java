package dev.weft.policy;

import dev.weft.relay.Attribute;
import dev.weft.relay.Notice;
import dev.weft.relay.Recipient;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Stage;
import dev.weft.relay.TransactionRecord;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Tells a server's replies from those that a handler or the proxy gave in its place: what a rate limit of ours refuses says
 * nothing about the destination. An observer that is asked last sees only those commands that the others let pass, and what was
 * timed was answered by the server.
 */
final class ServerReplies {

    /** More than wait for their replies at one time. */
    private static final int MOST_PASSED = 256;

    /** How a session that is bound on mail tells of a server's 421. */
    private static final Pattern ENDED =
            Pattern.compile("(4\\.[0-9.]+) Server ended this transaction: 421 ([\\x20-\\x7e]{0,400}).*");

    private final Attribute<Heard> heard = Attribute.named("server-replies");

    private static final class Heard {
        /** The commands that wait for a reply, and those that a handler behind this one rewrote: they never match one. */
        final Set<Command> passed = Collections.newSetFromMap(new IdentityHashMap<>(4));
        /** Its echoes, the 503 to what was pipelined behind, come after it. */
        Reply toMail;
        /** Bound on mail, each recipient gets the one reply to MAIL. */
        Reply toLastRecipient;
        /** No recipient's reply is the server's. */
        boolean withoutLeg;

        boolean isAnother(Reply reply) {
            boolean another = !withoutLeg && reply != toLastRecipient;
            toLastRecipient = reply;
            return another;
        }
    }

    /** To be called for EHLO, HELO, MAIL and RCPT when this observer is asked about them. */
    void passed(RelaySession session, Command command) {
        var known = session.attributes().get(heard);
        var now = known.orElseGet(Heard::new);
        if (known.isEmpty()) {
            session.attributes().put(heard, now);
        }
        if (command.verb() == Verb.MAIL) {
            now.toMail = null;
            now.toLastRecipient = null;
            now.withoutLeg = false;
        }
        if (now.passed.size() >= MOST_PASSED) {
            now.passed.clear();
        }
        now.passed.add(command);
    }

    /**
     * To be called for each reply.
     *
     * @return the reply as the server said it, if it is a server's to EHLO, HELO, or a RCPT of a transaction that is open:
     *         without one, MAIL was refused and this is but its echo
     */
    Optional<Reply> toCommand(RelaySession session, Command command, Reply reply) {
        var known = session.attributes().get(heard).filter(now -> now.passed.remove(command));
        if (command.verb() == Verb.MAIL && !reply.isPositive()) {
            known.ifPresent(now -> now.toMail = reply);
        }
        return known.filter(now -> switch (command.verb()) {
            case RCPT -> session.transaction().isPresent() && now.isAnother(reply);
            case EHLO, HELO -> true;
            default -> false;
        }).map(now -> asSaid(reply));
    }

    /**
     * To be called for each notice. Where a session is bound on mail, handlers hear only in this way of a server that refused a
     * leg.
     *
     * @return the server's reply if it refused one in its greeting or at EHLO, be it that no other turn came in time
     */
    Optional<Reply> ofLeg(RelaySession session, Notice notice) {
        if (notice.kind() != Notice.Kind.LEASE_REFUSED) {
            return Optional.empty();
        }
        session.attributes().get(heard).ifPresent(now -> now.withoutLeg = true);
        return notice.reply();
    }

    /** Whether a leg could not be had since the server can't be connected to, or does not greet. */
    static boolean tellsUnreachable(Notice notice) {
        return notice.kind() == Notice.Kind.LEASE_REFUSED && notice.reply().isEmpty()
                && notice.stage().filter(stage -> stage == Stage.CONNECT || stage == Stage.GREETING).isPresent();
    }

    /**
     * To be called when a transaction ended.
     *
     * @return the server's reply that decided about it, if there is one: to MAIL, to DATA or to the message. Where no recipient
     *         was accepted there is none, since their replies were heard one by one, and what follows is but their echo
     */
    Optional<Reply> last(RelaySession session, TransactionRecord transaction) {
        var stages = transaction.stages();
        var toMail = session.attributes().get(heard).map(now -> now.toMail);
        if (toMail.isPresent()) {
            session.attributes().get(heard).ifPresent(now -> now.toMail = null);
            return toMail.filter(reply -> stages.containsKey(Stage.MAIL));
        }
        boolean servers = switch (transaction.outcome()) {
            case ACCEPTED -> true;
            case ABANDONED, UNCERTAIN -> false;
            case REFUSED, DEFERRED -> !noRecipientAccepted(transaction) && (stages.containsKey(Stage.END_OF_DATA)
                    || stages.containsKey(Stage.DATA) && transaction.messageBytes() == 0);
        };
        return transaction.reply().filter(reply -> servers).map(ServerReplies::asSaid);
    }

    /** Its code and its first words count; the enhanced code stands before each further line. */
    private static Reply asSaid(Reply reply) {
        if (reply.code() != 451) {
            return reply;
        }
        var ended = ENDED.matcher(reply.text());
        return ended.matches() ? Reply.plain(421, ended.group(2).replace(" " + ended.group(1) + " ", " ")) : reply;
    }

    /** Those beyond the bookkeeping limit are taken as accepted. */
    private static boolean noRecipientAccepted(TransactionRecord transaction) {
        var listed = transaction.recipients();
        return !listed.isEmpty() && transaction.recipientCount() == listed.size()
                && listed.stream().noneMatch(Recipient::accepted);
    }
}
