package dev.weft.session;

import static dev.weft.session.OnMailDialogues.ENVELOPE;
import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.MESSAGE;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;

import dev.weft.relay.Binding;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.testkit.DeferringHandler;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Transactions that go their own way, by sender and by recipient. */
class OnMailRoutesTest {

    /** Greets as the sender's domain says, and sends recipients at vip.example over a destination of its own. */
    private static final class BySenderAndRecipient implements RelayHandler {
        @Override
        public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
            var sender = transaction.mail().text();
            return Verdict.rewrite(proposed.withEhloName(sender.contains("@one.example") ? "mail.one.example" : "mail.other.example"));
        }

        @Override
        public Verdict<Route> recipientRoute(Transaction transaction, Command command, Route proposed) {
            return command.text().contains("@vip.example") ? Verdict.rewrite(proposed.withDestination("vip")) : Verdict.proceed();
        }
    }

    @Test
    void theSenderDecidesTheRoute() {
        onMail(GREETED, """
                client: MAIL FROM:<a@one.example>
                (lease is for: as mail.one.example)
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                client: RSET
                client gets: 250 2.0.0 Ok
                client: MAIL FROM:<a@two.example>
                (lease is for: as mail.other.example)
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                """, QUIT).handler(BySenderAndRecipient::new).replayEveryWay();
    }

    @Test
    void theFirstRecipientMayChangeItBeforeTheServerHearsOfAnything() {
        onMail(GREETED, """
                client: MAIL FROM:<a@one.example>
                client: RCPT TO:<b@vip.example>
                client: RCPT TO:<c@vip.example>
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets nothing
                (a lease is asked)
                (lease is for: of vip)
                (given back: 0 refusals)
                (lease granted)
                server gets: MAIL FROM:<a@one.example>
                server gets: RCPT TO:<b@vip.example>
                server gets: RCPT TO:<c@vip.example>
                server: 250 sender
                server: 250 b
                server: 250 c
                client gets: 250 b
                client gets: 250 c
                """, MESSAGE, QUIT).handler(BySenderAndRecipient::new).replayEveryWay();
    }

    @Test
    void whatAnotherServerLacksSaysNothingOfTheOneThatEhloToldOf() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com> BODY=8BITMIME
                (lease granted: mx.example.org)
                client gets: 451 4.3.3 Server connection lacks 8BITMIME, which was offered: EHLO again
                (offer stands)
                """, QUIT).handler(() -> new RelayHandler() {
                    @Override
                    public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
                        return Verdict.rewrite(Route.to(new InetSocketAddress("192.0.2.77", 25)).withBinding(Binding.ON_MAIL));
                    }
                }).replayEveryWay();
    }

    @Test
    void aFurtherRecipientThatGoesAnotherWayIsPutOff() {
        onMail(GREETED, ENVELOPE, """
                client: RCPT TO:<c@vip.example>
                client gets: 452 4.5.3 Recipient goes another way: send it in a transaction of its own
                """, MESSAGE, QUIT).handler(BySenderAndRecipient::new).replayEveryWay();
    }

    @Test
    void noTurnAtTheRecipientsDestinationPutsOffTheTransaction() {
        onMail(GREETED, """
                client: MAIL FROM:<a@one.example>
                client: RCPT TO:<b@vip.example>
                client: RCPT TO:<c@vip.example>
                client: DATA
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                (lease is for: of vip)
                (lease refused: 451 4.3.2 no turn)
                client gets: 451 4.3.2 no turn
                client gets: 451 4.3.2 no turn
                client gets: 503 5.5.1 No valid recipients
                """, QUIT).handler(BySenderAndRecipient::new).replayEveryWay();
    }

    @Test
    void aRouteMayTakeItsTime() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                (no lease is asked)
                (verdict: proceed)
                (a lease is asked)
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets nothing
                (verdict: proceed)
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: DATA
                server: 250 sender
                server: 250 b
                server: 554 no
                client gets: 250 b
                client gets: 554 no
                server gets: RSET
                server: 250 reset
                """, QUIT).handler(() -> DeferringHandler.at("mailRoute", "recipientRoute")).replayEveryWay();
    }

    @Test
    void aRefusedRouteAnswersItsCommand() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (verdict: reject 450 4.7.1 not so fast)
                client gets: 450 4.7.1 not so fast
                (no lease is asked)
                client: MAIL FROM:<a@example.com>
                (verdict: proceed)
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                client: RCPT TO:<b@example.net>
                (verdict: reject 450 4.7.1 not there)
                client gets: 450 4.7.1 not there
                server gets nothing
                client: RSET
                client gets: 250 2.0.0 Ok
                server leg: given back
                """, QUIT).handler(() -> DeferringHandler.at("mailRoute", "recipientRoute")).replayEveryWay();
    }

    @Test
    void aLegLostDuringTheRecipientsVerdictIsReplaced() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                client: RCPT TO:<b@example.net>
                (server closes)
                (verdict: proceed)
                (a fresh lease is asked)
                (lease granted)
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 sender
                server: 250 b
                client gets: 250 b
                """, MESSAGE, QUIT).handler(() -> DeferringHandler.at("recipientRoute")).replayEveryWay();
    }

    @Test
    void theBindingCannotBeChangedInATransaction() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client gets: 451 4.3.0 Temporary local problem, try again later
                (no lease is asked)
                """, QUIT).handler(() -> new RelayHandler() {
                    @Override
                    public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
                        return Verdict.rewrite(proposed.withBinding(Binding.ON_CONNECT));
                    }
                }).replayEveryWay();
    }

    @Test
    void aHandlerMayBindAtConnect() {
        onMail(GREETED, ENVELOPE, MESSAGE, QUIT).route(route -> route).handler(() -> new RelayHandler() {
            @Override
            public Verdict<Route> connect(RelaySession session, Route proposed) {
                return Verdict.rewrite(proposed.withBinding(Binding.ON_MAIL));
            }
        }).replayEveryWay();
    }
}
