package dev.weft.session;

import dev.weft.relay.Recipient;
import dev.weft.relay.Route;
import dev.weft.smtp.Capabilities;
import dev.weft.smtp.Command;
import dev.weft.smtp.EhloKeywords;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;

/**
 * What the leased leg offers, beside what the client was promised: a leg that offers less may not carry what makes use of that.
 * Nothing is ever stripped.
 */
final class LeasedOffer {

    private final SmtpSession session;
    /** Null without a leg. */
    private Capabilities offers;
    private Reply hello;
    private Route route;

    LeasedOffer(SmtpSession session) {
        this.session = session;
    }

    void granted(LegFacts leg, Route itsRoute) {
        hello = leg.hello();
        offers = Capabilities.parse(hello);
        route = itsRoute;
    }

    void legGone() {
        offers = null;
    }

    /** Whether the leg that there is takes several commands at once; without one the proxy itself does. */
    boolean pipelines() {
        return offers == null || offers.offers("PIPELINING");
    }

    /** What RCPT or BDAT gets that the leg does not carry; null if it does, or if there is none. */
    Reply lackingFor(Command command) {
        if (offers == null) {
            return null;
        }
        return command.verb() == Verb.BDAT && !offers.offers("CHUNKING") ? lacks("CHUNKING") : lacking(command);
    }

    /** What was said in the transaction so far that the leg does not carry; null if it carries all. */
    Reply lackingFor(TransactionState transaction) {
        var lacking = lacking(transaction.mail());
        for (var recipient : transaction.recipients()) {
            if (lacking == null && !refused(recipient)) {
                lacking = lacking(recipient.command());
            }
        }
        return lacking;
    }

    private static boolean refused(Recipient recipient) {
        return recipient.reply().isPresent() && !recipient.accepted();
    }

    private Reply lacking(Command command) {
        for (var parameter : command.parameters()) {
            var keyword = EhloKeywords.behind(parameter);
            if (keyword.isPresent() && session.promise.offers(keyword.get()) && !offers.offers(keyword.get())) {
                return lacks(keyword.get());
            }
        }
        return null;
    }

    /** The client is told to say EHLO again, and hears then what the leg says; unless another server's offer is asked for. */
    private Reply lacks(String keyword) {
        if (route.server().equals(session.route.server())) {
            session.port.offersLess(session.route, route, hello);
        }
        return Answers.lacks(keyword);
    }
}
