package dev.weft.session;

import static dev.weft.session.OnMailDialogues.ENVELOPE;
import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.MESSAGE;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;

import dev.weft.session.Arrival.TlsOffer;
import dev.weft.testkit.DeferringHandler;
import org.junit.jupiter.api.Test;

/** Commands at odd moments, in sessions that are bound on mail. */
class OnMailEdgesTest {

    @Test
    void aNestedMailThatIsJudgedLateDoesNotFreeTheLeg() {
        onMail(GREETED, ENVELOPE.replace("(a lease is asked)", "(verdict: proceed)\n(a lease is asked)"), """
                client: MAIL FROM:<c@example.com>
                server leg: open
                (verdict: proceed)
                client gets: 503 5.5.1 MAIL is nested: RSET first
                """, MESSAGE, QUIT).handler(() -> DeferringHandler.at("mail")).replayEveryWay();
    }

    @Test
    void aRefusedStartTlsEndsNoTransaction() {
        onMail(GREETED, ENVELOPE, """
                client: STARTTLS
                client gets: 502 5.5.1 Command not offered
                server gets nothing
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void anEhloWithoutANameEndsNoTransaction() {
        onMail(GREETED, ENVELOPE, """
                client: EHLO
                client gets: 501 5.5.4 EHLO and HELO take a name
                server gets nothing
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void startTlsEndsTheTransactionForTheServerBeforeItBegins() {
        onMail(GREETED.replace("client gets: 250 DSN", "client gets: 250-DSN\nclient gets: 250 STARTTLS"), ENVELOPE, """
                client: STARTTLS
                server gets: RSET
                client gets nothing
                server: 250 reset
                server leg: given back
                client gets: 220 2.0.0 Ready to start TLS
                (client TLS is ordered)
                (client TLS established)
                """, """
                client: EHLO a.example
                (offer is known)
                client gets: 250-localhost
                client gets: 250-PIPELINING
                client gets: 250-SIZE 1000000
                client gets: 250-8BITMIME
                client gets: 250-CHUNKING
                client gets: 250 DSN
                """, ENVELOPE, MESSAGE, QUIT).clientIsOffered(TlsOffer.OFFERED).replayEveryWay();
    }

    @Test
    void startTlsAndEhloWaitUntilASlowServerHasGivenTheLegUp() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                client: EHLO a.example
                server gets: x
                server gets: .
                (server takes no bytes)
                (server takes bytes again)
                (offer is not known yet)
                server: 250 queued
                client gets: 250 queued
                server leg: given back
                (offer is asked)
                (offer is not known)
                client gets: 250-localhost
                client gets: 250-8BITMIME
                client gets: 250-SMTPUTF8
                client gets: 250 PIPELINING
                """.replace("(offer is not known yet)\n", ""), QUIT).replayEveryWay();
    }

    @Test
    void aDataThatIsRefusedLateWhileTheLegDiesEndsTheTransaction() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                (server closes)
                server leg: aborted
                (verdict: reject 550 5.7.1 no)
                client gets: 550 5.7.1 no
                """, ENVELOPE.replace("client: MAIL", "client: MAIL"), """
                client: DATA
                (verdict: proceed)
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                server gets: x
                server gets: .
                server: 250 queued
                client gets: 250 queued
                """, QUIT).handler(() -> DeferringHandler.atCommand("DATA")).replayEveryWay();
    }

    @Test
    void aDataThatIsRefusedLateWhileTheLegIsReplacedEndsTheTransactionForTheServerToo() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                (used lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                (server closes)
                (a fresh lease is asked)
                (verdict: reject 550 5.7.1 no)
                client: MAIL FROM:<c@example.com>
                client gets nothing
                (lease granted)
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 sender
                server: 250 b
                client gets: 250 b
                client gets: 550 5.7.1 no
                server gets: RSET
                server: 250 reset
                (given back: 0 refusals)
                (a lease is asked)
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                """, QUIT).handler(() -> DeferringHandler.atCommand("DATA")).replayEveryWay();
    }

    @Test
    void aMailBehindARefusedDataIsAskedForAfterTheReplacementFailed() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                (used lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                (server closes)
                (verdict: reject 550 5.7.1 no)
                client: MAIL FROM:<c@example.com>
                (lease refused: 451 4.3.2 no turn)
                client gets: 451 4.3.2 no turn
                client gets: 550 5.7.1 no
                (a lease is asked)
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                """, QUIT).handler(() -> DeferringHandler.atCommand("DATA")).replayEveryWay();
    }

    @Test
    void aHeldMessageForNobodyEndsItsTransaction() {
        onMail(GREETED.replace("client gets: 250-CHUNKING\n", ""), """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 sender
                server: 550 b
                client gets: 550 b
                client gets: 503 5.5.1 No valid recipients
                server gets: RSET
                server: 250 reset
                server leg: given back
                """, ENVELOPE, QUIT.replace("(session ended)", "server gets: QUIT\n(session ended)"))
                .handler(() -> DeferringHandler.at("hold")).replayEveryWay();
    }

    @Test
    void whatATransactionFailedByIsRecordedNotWhatItsMessageGets() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: DATA
                server: 450 4.7.1 not from you now
                server: 503 5.5.1 MAIL first
                server: 503 5.5.1 no recipients
                client gets: 450 4.7.1 not from you now
                client gets: 503 5.5.1 no recipients
                server gets: RSET
                server: 250 reset
                server leg: given back
                client: MAIL FROM:<a@example.com>
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server: 421 4.4.2 idle
                client: RCPT TO:<b@example.net>
                (lease refused: 451 4.3.2 no turn)
                client gets: 451 4.3.2 no turn
                client: BDAT 3 LAST
                client: x
                client gets: 503 5.5.1 No valid recipients
                """, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=450 : 0 octets DEFERRED 450 4.7.1 not from you now
                        transaction 2 <a@example.com> to <b@example.net>=451 : 0 octets DEFERRED 451 4.3.2 no turn""").replayEveryWay();
    }

    @Test
    void aRequestForALegIsWithdrawnWhenTheClientHalfClosesAtItsRecipient() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server: 421 4.4.2 idle
                client: RCPT TO:<b@example.net>
                (a fresh lease is asked)
                (client half-closes)
                (no lease is asked)
                server leg: aborted
                (session ended)
                """).replayEveryWay();
    }

    @Test
    void aClientThatHalfClosedBehindItsQuitIsServedToTheEnd() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: QUIT
                (a lease is asked)
                (client half-closes)
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 sender
                server: 250 b
                client gets: 250 b
                client gets: 221 2.0.0 Bye
                server gets: QUIT
                (session ended)
                """).replayEveryWay();
    }

    @Test
    void aHeloClientIsServedToo() {
        onMail("client gets: 220 localhost ESMTP\n", """
                client: HELO a.example
                client gets: 250 localhost
                """, ENVELOPE, MESSAGE, """
                client: MAIL FROM:<a@example.com> SIZE=100 AUTH=<>
                (lease granted: mx.example.net | PIPELINING)
                client gets: 250 2.1.0 Sender ok
                client: RCPT TO:<b@example.net>
                server gets: MAIL FROM:<a@example.com> SIZE=100 AUTH=<>
                server gets: RCPT TO:<b@example.net>
                server: 555 5.5.4 SIZE not known
                server: 503 5.5.1 MAIL first
                client gets: 555 5.5.4 SIZE not known
                server gets: RSET
                server: 250 reset
                server leg: given back
                """, QUIT).replayEveryWay();
    }

    @Test
    void requireTlsIsNeverOfferedAndSoNeverKept() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com> REQUIRETLS
                client gets: 550 5.7.30 REQUIRETLS can't be kept: it was not offered
                (no lease is asked)
                """, QUIT).replayEveryWay();
    }

    @Test
    void ehloMayBeSaidAgain() {
        onMail(GREETED, """
                client: EHLO b.example
                (offer is asked)
                (offer is known: mx.example.net | SIZE 7)
                client gets: 250-localhost
                client gets: 250-SIZE 7
                client gets: 250 PIPELINING
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }
}
