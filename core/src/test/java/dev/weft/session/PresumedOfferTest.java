package dev.weft.session;

import static dev.weft.session.OnMailDialogues.ENVELOPE;
import static dev.weft.session.OnMailDialogues.MESSAGE;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;

import org.junit.jupiter.api.Test;

/** What a client is offered of a server that could not be asked, and what comes of it. */
class PresumedOfferTest {

    private static final String PRESUMED = """
            client gets: 220 localhost ESMTP
            client: EHLO a.example
            (offer is asked)
            (offer is not known)
            client gets: 250-localhost
            client gets: 250-8BITMIME
            client gets: 250-SMTPUTF8
            client gets: 250 PIPELINING
            """;

    private static final String INTERNATIONAL = """
            client: MAIL FROM:<é@example.com> SMTPUTF8 BODY=8BITMIME
            (a lease is asked)
            """;

    @Test
    void noClientReturnsAMessageForWhatIsNotKnown() {
        onMail(PRESUMED, INTERNATIONAL, """
                (lease granted: mx.example.net | PIPELINING | 8BITMIME | SMTPUTF8)
                client gets: 250 2.1.0 Sender ok
                client: RCPT TO:<b@example.net>
                server gets: MAIL FROM:<é@example.com> SMTPUTF8 BODY=8BITMIME
                server gets: RCPT TO:<b@example.net>
                server: 250 sender
                server: 250 b
                client gets: 250 b
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void whatTheLegLacksPutsMailOffAndTheNextEhloTellsTheTruth() {
        onMail(PRESUMED, INTERNATIONAL, """
                (lease granted: mx.example.net | PIPELINING | 8BITMIME)
                client gets: 451 4.3.3 Server connection lacks SMTPUTF8, which was offered: EHLO again
                (offer is corrected: mx.example.net PIPELINING 8BITMIME)
                server gets nothing
                server leg: given back
                client: MAIL FROM:<a@example.com> BODY=8BITMIME
                (lease granted: mx.example.net | PIPELINING)
                client gets: 451 4.3.3 Server connection lacks 8BITMIME, which was offered: EHLO again
                (offer is corrected: mx.example.net PIPELINING)
                server gets nothing
                server leg: given back
                client: EHLO a.example
                (offer is asked)
                (offer is known: mx.example.net | SIZE 1000)
                client gets: 250-localhost
                client gets: 250-SIZE 1000
                client gets: 250 PIPELINING
                """, ENVELOPE, MESSAGE, QUIT).records("transaction", """
                        transaction 1 <é@example.com> to  : 0 octets DEFERRED 451 4.3.3 Server connection lacks SMTPUTF8, which was offered: EHLO again
                        transaction 2 <a@example.com> to  : 0 octets DEFERRED 451 4.3.3 Server connection lacks 8BITMIME, which was offered: EHLO again
                        transaction 3 <a@example.com> to <b@example.net>=250 : 12 octets ACCEPTED 250 queued""").replayEveryWay();
    }

    @Test
    void nothingElseIsPresumed() {
        onMail(PRESUMED, ENVELOPE, """
                client: BDAT 3 LAST
                client: x
                client gets: 503 5.5.1 CHUNKING was not offered
                server gets: RSET
                server: 250 reset
                server leg: given back
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aKnownServerIsBelievedThoughItOffersLess() {
        onMail("""
                client gets: 220 localhost ESMTP
                client: EHLO a.example
                (offer is known: mx.example.net)
                client gets: 250-localhost
                client gets: 250 PIPELINING
                """, QUIT).replayEveryWay();
    }
}
