package dev.weft.session;

import static dev.weft.session.OnMailDialogues.ENVELOPE;
import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.MESSAGE;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;

import org.junit.jupiter.api.Test;

/** A session that is bound on mail, when all goes well, and when what is asked can't be had. */
class OnMailTest {

    @Test
    void theProxyGreetsAndLeasesALegForEachTransaction() {
        onMail(GREETED, ENVELOPE, MESSAGE, "(given back: 0 refusals)\nserver leg: given back", ENVELOPE, MESSAGE, QUIT)
                .records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 12 octets ACCEPTED 250 queued
                        transaction 2 <a@example.com> to <b@example.net>=250 : 12 octets ACCEPTED 250 queued
                        session QUIT 2 : 2.0.0 Bye""").replayEveryWay();
    }

    @Test
    void pipelinedMailRecipientsAndDataCostOneRoundTrip() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: RCPT TO:<c@example.net>
                client: DATA
                (a lease is asked)
                client gets nothing
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<c@example.net>
                server gets: DATA
                server: 250 sender
                server: 250 b
                server: 550 5.1.1 c
                server: 354 go on
                client gets: 250 b
                client gets: 550 5.1.1 c
                client gets: 354 go on
                client: x
                client: .
                client: QUIT
                server gets: x
                server gets: .
                server: 250 queued
                client gets: 250 queued
                client gets: 221 2.0.0 Bye
                (given back: 1 refusals)
                (session ended)
                """).records("session", "session QUIT 1 : 2.0.0 Bye").replayEveryWay();
    }

    @Test
    void oneCommandAtATimeGoesToAServerWithoutPipelining() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                (lease granted: mx.example.net | SIZE 1000000 | 8BITMIME | CHUNKING | DSN)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server: 250 sender
                server gets: RCPT TO:<b@example.net>
                client gets nothing
                server: 250 b
                client gets: 250 b
                server gets: DATA
                """, "server: 354 go on\nclient gets: 354 go on\nclient: x\nclient: .\nserver gets: x\nserver gets: .\n"
                + "server: 250 queued\nclient gets: 250 queued\n", QUIT).replayEveryWay();
    }

    @Test
    void aTurnThatCannotComeInTimeIsToldAtMail() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (a lease is asked)
                (lease refused: 451 4.3.2 no turn)
                client gets: 451 4.3.2 no turn
                client: RCPT TO:<b@example.net>
                client gets: 503 5.5.1 No transaction is open: MAIL first
                server leg: none
                """, ENVELOPE, MESSAGE, QUIT).records("transaction notice", """
                        notice LEASE_REFUSED no turn
                        transaction 1 <a@example.com> to  : 0 octets DEFERRED 451 4.3.2 no turn
                        transaction 2 <a@example.com> to <b@example.net>=250 : 12 octets ACCEPTED 250 queued""").replayEveryWay();
    }

    @Test
    void aRefusedMailAnswersEachRecipientAndTheLegGoesBack() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: RCPT TO:<c@example.net>
                client: DATA
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<c@example.net>
                server gets: DATA
                server: 550 5.7.1 not from you
                server: 503 5.5.1 MAIL first
                server: 503 5.5.1 MAIL first
                server: 503 5.5.1 no recipients
                client gets: 550 5.7.1 not from you
                client gets: 550 5.7.1 not from you
                client gets: 503 5.5.1 no recipients
                server gets: RSET
                server: 250 reset
                server leg: given back
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    /** Postfix holds the SIZE of a MAIL that it refused against the next one, which may be another tenant's. */
    @Test
    void aServerThatRefusedMailForgetsItBeforeItsLegServesOthers() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com> SIZE=900000
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                client: RCPT TO:<b@example.net>
                server gets: MAIL FROM:<a@example.com> SIZE=900000
                server gets: RCPT TO:<b@example.net>
                server: 552 5.3.4 too large
                server: 503 5.5.1 MAIL first
                client gets: 552 5.3.4 too large
                server gets: RSET
                server leg: open
                server: 250 reset
                (given back: 2 refusals)
                server leg: given back
                client: RCPT TO:<c@example.net>
                client gets: 552 5.3.4 too large
                (no lease is asked)
                client: RSET
                client gets: 250 2.0.0 Ok
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void dataWithoutAcceptedRecipientGetsNo354() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                client: DATA
                client gets: 503 5.5.1 No valid recipients
                server leg: given back
                """, QUIT).replayEveryWay();
    }

    @Test
    void a354AfterARefusedMailIsOutOfStep() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: DATA
                server: 550 no
                client gets: 550 no
                server: 503 no
                server: 354 go on
                """.replace("client gets: 550 no\nserver: 503 no", "server: 503 no\nclient gets: 550 no"), """
                client gets: 451 4.5.0 Server sent a reply that answers no command
                server leg: aborted
                (session goes on)
                """, QUIT).replayEveryWay();
    }

    @Test
    void commandsOutsideOfATransactionNeedNoServer() {
        onMail("client gets: 220 localhost ESMTP\n", """
                client: NOOP
                client gets: 250 2.0.0 Ok
                client: MAIL FROM:<a@example.com>
                client gets: 503 5.5.1 EHLO or HELO first
                client: HELO
                client gets: 501 5.5.4 EHLO and HELO take a name
                client: HELO a.example
                client gets: 250 localhost
                client: RSET
                client gets: 250 2.0.0 Ok
                client: VRFY <b@example.net>
                client gets: 252 2.5.0 Not verified here: the server judges each recipient
                client: EXPN list
                client gets: 502 5.5.1 Command not offered
                client: WHAT ever
                client gets: 500 5.5.2 Command not recognized
                client: AUTH PLAIN AGEAYg==
                client gets: 503 5.5.1 AUTH was not offered
                client: RCPT TO:<b@example.net>
                client gets: 503 5.5.1 No transaction is open: MAIL first
                client: DATA
                client gets: 503 5.5.1 No transaction is open: MAIL first
                (no lease is asked)
                """, QUIT).replayEveryWay();
    }

    @Test
    void anOfferIsPassedOnLessWhatTheProxyDoesNotCarry() {
        onMail("""
                client gets: 220 localhost ESMTP
                client: EHLO a.example
                (offer is known: mx.example.net Hello | SIZE 10 | AUTH PLAIN | STARTTLS | VRFY | ETRN | XCLIENT NAME | 8BITMIME)
                client gets: 250-localhost
                client gets: 250-SIZE 10
                client gets: 250-8BITMIME
                client gets: 250 PIPELINING
                """, QUIT).replayEveryWay();
    }

    @Test
    void aLegThatLacksWhatMailUsesIsNotUsed() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com> BODY=8BITMIME
                (lease granted: mx.example.net | PIPELINING)
                client gets: 451 4.3.3 Server connection lacks 8BITMIME, which was offered: EHLO again
                server gets nothing
                server leg: given back
                client: MAIL FROM:<a@example.com>
                (lease granted: mx.example.net | PIPELINING)
                client gets: 250 2.1.0 Sender ok
                client: RCPT TO:<b@example.net> NOTIFY=NEVER
                client gets: 451 4.3.3 Server connection lacks DSN, which was offered: EHLO again
                (offer is corrected: mx.example.net PIPELINING)
                client: RCPT TO:<b@example.net>
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 sender
                server: 250 b
                client gets: 250 b
                client: BDAT 3 LAST
                client: x
                client gets: 451 4.3.3 Server connection lacks CHUNKING, which was offered: EHLO again
                (offer is corrected: mx.example.net PIPELINING)
                server gets: RSET
                server: 250 reset
                server leg: given back
                """, QUIT).replayEveryWay();
    }

    @Test
    void chunksGoOnAsTheyCome() {
        onMail(GREETED, ENVELOPE, """
                client: BDAT 3
                client: x
                server gets: BDAT 3
                server gets: x
                server: 250 3 octets
                client gets: 250 3 octets
                client: BDAT 3 LAST
                client: y
                server gets: BDAT 3 LAST
                server gets: y
                server: 250 queued
                client gets: 250 queued
                server leg: given back
                """, QUIT).replayEveryWay();
    }

    @Test
    void rsetEhloAndQuitEndATransactionForTheServerToo() {
        onMail(GREETED, ENVELOPE, """
                client: RSET
                server gets: RSET
                client gets nothing
                server: 250 reset
                client gets: 250 2.0.0 Ok
                server leg: given back
                """, ENVELOPE, """
                client: EHLO a.example
                server gets: RSET
                (no lease is asked)
                server: 250 reset
                server leg: given back
                (offer is known: mx.example.net)
                client gets: 250-localhost
                client gets: 250 PIPELINING
                """, ENVELOPE, """
                client: QUIT
                client gets: 221 2.0.0 Bye
                server gets: QUIT
                server leg: awaits peer
                (session ended)
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets ABANDONED
                        transaction 2 <a@example.com> to <b@example.net>=250 : 0 octets ABANDONED
                        transaction 3 <a@example.com> to <b@example.net>=250 : 0 octets ABANDONED
                        session QUIT 3 : 2.0.0 Bye""").replayEveryWay();
    }

    @Test
    void rsetBehindMailTellsTheServerNothing() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                client: RSET
                client gets: 250 2.0.0 Ok
                server gets nothing
                server leg: given back
                """, QUIT).replayEveryWay();
    }

    @Test
    void nestedMailIsRefusedHere() {
        onMail(GREETED, ENVELOPE, """
                client: MAIL FROM:<evil@example.com>
                client gets: 503 5.5.1 MAIL is nested: RSET first
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void mailBehindTheDotWaitsForItsOwnTurn() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                client: MAIL FROM:<c@example.com>
                server gets: x
                server gets: .
                (no lease is asked)
                server: 250 queued
                client gets: 250 queued
                (given back: 0 refusals)
                (a lease is asked)
                (lease refused: 451 4.3.2 no turn)
                client gets: 451 4.3.2 no turn
                """, QUIT).replayEveryWay();
    }

    @Test
    void aServersRefusalOfDataFreesTheLeg() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 452 4.3.1 disk full
                client gets: 452 4.3.1 disk full
                server gets: RSET
                server: 250 reset
                server leg: given back
                """, ENVELOPE, MESSAGE, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets DEFERRED 452 4.3.1 disk full
                        transaction 2 <a@example.com> to <b@example.net>=250 : 12 octets ACCEPTED 250 queued""").replayEveryWay();
    }

    @Test
    void aClientThatVanishesWhileItWaitsWithdrawsItsRequest() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (a lease is asked)
                (client vanishes)
                (no lease is asked)
                (session ended)
                """).replayEveryWay();
    }

    @Test
    void aSilentClientLosesItsLegAndTheTransaction() {
        onMail(GREETED, ENVELOPE, """
                (time passes: 60 s)
                server gets: QUIT
                server leg: awaits peer
                (session goes on)
                client: DATA
                client gets: 451 4.4.2 No command in time: the server connection was given up
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }
}
