package dev.weft.session;

import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;
import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.onMail;

import org.junit.jupiter.api.Test;

/** A transaction whose recipients are all refused was refused, not abandoned, however the client goes on. */
class RefusedRecipientsTest {

    private static final String UNKNOWN = """
            client: MAIL FROM:<a@example.com>
            client: RCPT TO:<b@example.net>
            client: RCPT TO:<c@example.net>
            server gets: MAIL FROM:<a@example.com>
            server gets: RCPT TO:<b@example.net>
            server gets: RCPT TO:<c@example.net>
            server: 250 sender
            server: 550 5.1.1 b
            server: 550 5.1.1 c
            client gets: 250 sender
            client gets: 550 5.1.1 b
            client gets: 550 5.1.1 c
            """;

    private static final String RSET = """
            client: RSET
            server gets: RSET
            server: 250 reset
            client gets: 250 reset
            """;

    private static final String REFUSED =
            "transaction 1 <a@example.com> to <b@example.net>=550 <c@example.net>=550 : 0 octets REFUSED 550 5.1.1 c";

    @Test
    void itIsRefusedWithTheReplyToARecipient() {
        transcript(OPEN, UNKNOWN, RSET, QUIT).records("transaction", REFUSED).replayEveryWay();
        transcript(OPEN, UNKNOWN, QUIT).records("transaction", REFUSED).replayEveryWay();
        transcript(OPEN, UNKNOWN, """
                (client vanishes)
                server gets: QUIT
                server leg: awaits peer
                """).records("transaction", REFUSED).replayEveryWay();
    }

    @Test
    void whatDataGetsThenIsNotWhatDecidedIt() {
        transcript(OPEN, UNKNOWN, """
                client: DATA
                server gets: DATA
                server: 554 5.5.1 no valid recipients
                client gets: 554 5.5.1 no valid recipients
                """, RSET, QUIT).records("transaction", REFUSED).replayEveryWay();
    }

    /** RFC 2920 §3.1: a client that pipelined has to end a message for nobody. */
    @Test
    void norWhatTheEmptyMessageGets() {
        transcript(OPEN, UNKNOWN, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: .
                server gets: .
                server: 554 5.5.1 no valid recipients
                client gets: 554 5.5.1 no valid recipients
                """, QUIT).records("transaction", REFUSED).replayEveryWay();
    }

    /** It may go through another time. */
    @Test
    void oneThatWasPutOffMakesItDeferred() {
        transcript(OPEN, UNKNOWN.replace("550 5.1.1 b", "450 4.2.1 greylisted"), RSET, QUIT).records("transaction", """
                transaction 1 <a@example.com> to <b@example.net>=450 <c@example.net>=550 : 0 octets DEFERRED 450 4.2.1 greylisted""")
                .replayEveryWay();
    }

    @Test
    void withOneAcceptedOrOneUnansweredItIsAbandoned() {
        transcript(ENVELOPE, """
                client: RCPT TO:<c@example.net>
                server gets: RCPT TO:<c@example.net>
                server: 550 5.1.1 c
                client gets: 550 5.1.1 c
                """, RSET, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 <c@example.net>=550 : 0 octets ABANDONED""")
                .replayEveryWay();
        transcript(OPEN, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: RCPT TO:<c@example.net>
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<c@example.net>
                server: 250 sender
                server: 550 5.1.1 b
                client gets: 250 sender
                client gets: 550 5.1.1 b
                (client vanishes)
                server leg: awaits peer
                """).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=550 <c@example.net>=? : 0 octets ABANDONED""")
                .replayEveryWay();
    }

    @Test
    void boundOnMailItIsTheSame() {
        var unknown = UNKNOWN.replace("client: RCPT TO:<b", "(lease granted)\nclient gets: 250 2.1.0 Sender ok\nclient: RCPT TO:<b")
                .replace("client gets: 250 sender\n", "");
        var givenBack = "server gets: RSET\nserver: 250 reset\nserver leg: given back\n";
        onMail(GREETED, unknown, "client: RSET\n", givenBack, "client gets: 250 2.0.0 Ok\n", OnMailDialogues.QUIT)
                .records("transaction", REFUSED).replayEveryWay();
        onMail(GREETED, unknown, """
                client: DATA
                server gets: DATA
                server: 554 5.5.1 no valid recipients
                client gets: 554 5.5.1 no valid recipients
                """, givenBack, OnMailDialogues.QUIT).records("transaction", REFUSED).replayEveryWay();
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 450 4.7.1 not from you now
                server: 503 5.5.1 MAIL first
                client gets: 450 4.7.1 not from you now
                """, "client: RSET\n", givenBack, "client gets: 250 2.0.0 Ok\n", OnMailDialogues.QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=450 : 0 octets DEFERRED 450 4.7.1 not from you now""")
                .replayEveryWay();
    }
}
