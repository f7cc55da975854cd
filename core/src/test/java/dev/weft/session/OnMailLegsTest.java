package dev.weft.session;

import static dev.weft.session.OnMailDialogues.ENVELOPE;
import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.MESSAGE;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.testkit.DeferringHandler;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Leased legs between two users, or two lives: what one said, took or left must not reach the other. */
class OnMailLegsTest {

    private static final String TO_A_USED_LEG = """
            client: MAIL FROM:<a@example.com>
            client: RCPT TO:<b@example.net>
            client: RCPT TO:<c@example.net> NOTIFY=NEVER
            client: DATA
            (used lease granted)
            client gets: 250 2.1.0 Sender ok
            server gets: MAIL FROM:<a@example.com>
            server gets: RCPT TO:<b@example.net>
            server gets: RCPT TO:<c@example.net> NOTIFY=NEVER
            server gets: DATA
            """;

    @Test
    void whatADeadLegSaidBehindIts421IsNotTakenForItsSuccessorsWord() {
        onMail(GREETED, TO_A_USED_LEG, """
                (leg 1 sends: 421 4.3.0 first\\r\\n421 4.3.0 second\\r\\n250 third\\r\\n250 fourth\\r\\n)
                client gets nothing
                (a fresh lease is asked)
                (lease granted)
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<c@example.net> NOTIFY=NEVER
                server gets: DATA
                server: 250 sender
                server: 250 b
                server: 250 c
                server: 554 no
                client gets: 250 b
                client gets: 250 c
                client gets: 554 no
                server gets: RSET
                server: 250 reset
                """, QUIT).replayEveryWay();
    }

    @Test
    void whatIsSaidAgainToAnotherLegIsNotSaidToOneThatLacksIt() {
        onMail(GREETED, TO_A_USED_LEG, """
                (server closes)
                (lease granted: mx.example.net | PIPELINING)
                client gets: 451 4.3.3 Server connection lacks DSN, which was offered: EHLO again
                client gets: 451 4.3.3 Server connection lacks DSN, which was offered: EHLO again
                client gets: 451 4.3.3 Server connection lacks DSN, which was offered: EHLO again
                server gets nothing
                server leg: given back
                """, QUIT).replayEveryWay();
    }

    @Test
    void aHeldMessageDoesNotGoToAnotherLegThatLacksWhatItsRecipientsUse() {
        onMail(GREETED.replace("client gets: 250-CHUNKING\n", ""), """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net> NOTIFY=NEVER
                client: DATA
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net> NOTIFY=NEVER
                server: 250 sender
                server: 250 b
                client gets: 250 b
                client gets: 354 Send the message, end it with <CRLF>.<CRLF>
                client: x
                client: .
                (server closes)
                (verdict: proceed)
                (lease granted: mx.example.net | PIPELINING)
                client gets: 451 4.3.3 Server connection lacks DSN, which was offered: EHLO again
                server gets nothing
                server leg: given back
                """, QUIT).handler(() -> DeferringHandler.at("hold")).replayEveryWay();
    }

    /** Had the first refusal come before the message's end was on its way, the leg would have been dropped there. */
    @Test
    void aServerThatRefusesAPartOfAMessageAndItsEndToo() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                server gets: x
                server gets: .
                server: 552 5.3.4 too large
                client gets: 552 5.3.4 too large
                server gets: RSET
                server: 552 5.3.4 too large
                client gets nothing
                server leg: aborted
                (session goes on)
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void theLegOfARefusedMessageServesOthersOnceItIsInStep() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                server gets: x
                server gets: .
                server: 554 5.7.1 no
                client gets: 554 5.7.1 no
                server gets: RSET
                server: 250 reset
                server leg: given back
                """, QUIT).replayEveryWay();
    }

    @Test
    void aReplacementThatTakesOneCommandAtATimeIsGivenBackUntouched() {
        onMail(GREETED, TO_A_USED_LEG, """
                (server closes)
                (lease granted: mx.example.net | DSN)
                client gets: 451 4.4.2 Server closed the connection
                client gets: 451 4.4.2 Server closed the connection
                client gets: 451 4.4.2 Server closed the connection
                server gets nothing
                server leg: given back
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aReplacementForOneRecipientMayTakeOneCommandAtATime() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                (used lease granted: mx.example.net | DSN)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                (server closes)
                (a fresh lease is asked)
                (lease granted: mx.example.net | DSN)
                server gets: MAIL FROM:<a@example.com>
                server: 250 sender
                server gets: RCPT TO:<b@example.net>
                server: 250 b
                client gets: 250 b
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                server gets: x
                server gets: .
                server: 250 queued
                client gets: 250 queued
                server leg: given back
                """, QUIT).replayEveryWay();
    }

    @Test
    void aRefusedMailIsNotSaidAgainThoughItsLegDies() {
        onMail(GREETED, TO_A_USED_LEG, """
                server: 450 4.7.1 not from you now
                (server closes)
                (no lease is asked)
                client gets: 450 4.7.1 not from you now
                client gets: 450 4.7.1 not from you now
                client gets: 451 4.4.2 Server closed the connection
                """, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=450 <c@example.net>=450 : 0 octets DEFERRED 450 4.7.1 not from you now""")
                .replayEveryWay();
    }

    @Test
    void aNestedMailThatIsBeingJudgedIsNotSaidToTheReplacement() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (verdict: proceed)
                (used lease granted)
                client gets: 250 2.1.0 Sender ok
                client: RCPT TO:<b@example.net>
                client: MAIL FROM:<nested@example.com>
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                (server closes)
                (lease granted)
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 sender
                server: 250 b
                client gets: 250 b
                (verdict: proceed)
                client gets: 503 5.5.1 MAIL is nested: RSET first
                """, MESSAGE, QUIT).handler(() -> DeferringHandler.at("mail")).replayEveryWay();
    }

    @Test
    void aTransactionThatTheClientResetIsNotSaidAgain() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: RSET
                (used lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RSET
                (server closes)
                (no lease is asked)
                client gets: 451 4.4.2 Server closed the connection
                client gets: 250 2.0.0 Ok
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    /** Sends recipients at vip.example over a destination of its own, which takes its time. */
    private static List<RelayHandler> routes() {
        return List.of(DeferringHandler.at("recipientRoute"), new RelayHandler() {
            @Override
            public Verdict<Route> recipientRoute(Transaction transaction, Command command, Route proposed) {
                return command.text().contains("@vip.example") ? Verdict.rewrite(proposed.withDestination("vip")) : Verdict.proceed();
            }
        });
    }

    @Test
    void aRecipientThatGoesAnotherWayIsPutOffWhileTheLegIsReplaced() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: RCPT TO:<c@vip.example>
                (used lease granted)
                client gets: 250 2.1.0 Sender ok
                (verdict: proceed)
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                (server closes)
                (a fresh lease is asked)
                (verdict: proceed)
                (lease granted)
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 sender
                server: 250 b
                client gets: 250 b
                client gets: 452 4.5.3 Recipient goes another way: send it in a transaction of its own
                """, MESSAGE, QUIT).handlers(OnMailLegsTest::routes).replayEveryWay();
    }
}
