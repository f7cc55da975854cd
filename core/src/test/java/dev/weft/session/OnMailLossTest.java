package dev.weft.session;

import static dev.weft.session.OnMailDialogues.ENVELOPE;
import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.MESSAGE;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;

import org.junit.jupiter.api.Test;

/** Leased legs that die, say 421 or get out of step: it costs the transaction a 451 at most, never the session. */
class OnMailLossTest {

    private static final String PIPELINED = """
            client: MAIL FROM:<a@example.com>
            client: RCPT TO:<b@example.net>
            client: DATA
            """;

    private static final String SAID = """
            server gets: MAIL FROM:<a@example.com>
            server gets: RCPT TO:<b@example.net>
            server gets: DATA
            """;

    private static final String ACCEPTED = """
            server: 250 sender
            server: 250 b
            server: 354 go on
            client gets: 250 b
            client gets: 354 go on
            client: x
            client: .
            server gets: x
            server gets: .
            server: 250 queued
            client gets: 250 queued
            server leg: given back
            """;

    @Test
    void aPooledLegThatDiedUnnoticedIsReplacedUnseen() {
        onMail(GREETED, PIPELINED, "(used lease granted)\nclient gets: 250 2.1.0 Sender ok", SAID, """
                (server closes)
                server leg: connecting
                (a fresh lease is asked)
                client gets nothing
                (lease granted)
                """, SAID, ACCEPTED, QUIT).replayEveryWay();
    }

    @Test
    void aPooledLegThatSays421AtMailIsReplacedUnseen() {
        onMail(GREETED, PIPELINED, "(used lease granted)\nclient gets: 250 2.1.0 Sender ok", SAID, """
                server: 421 4.7.0 too many messages
                (turned away: 4.7.0 too many messages)
                (a fresh lease is asked)
                (lease granted)
                """, SAID, ACCEPTED, QUIT).replayEveryWay();
    }

    @Test
    void aPooledLegThatAcceptedMailAndDiedIsReplacedUnseen() {
        onMail(GREETED, PIPELINED, "(used lease granted)\nclient gets: 250 2.1.0 Sender ok", SAID, """
                server: 250 sender
                (server closes)
                (a fresh lease is asked)
                (lease granted)
                """, SAID, ACCEPTED, QUIT).replayEveryWay();
    }

    @Test
    void aSecondDeadLegIsNotReplaced() {
        onMail(GREETED, PIPELINED, "(used lease granted)\nclient gets: 250 2.1.0 Sender ok", SAID, """
                (server closes)
                (used lease granted)
                """, SAID, """
                (server closes)
                client gets: 451 4.4.2 Server closed the connection
                client gets: 451 4.4.2 Server closed the connection
                (no lease is asked)
                (session goes on)
                client: RSET
                client gets: 250 2.0.0 Ok
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aFreshLegThatCannotBeHadEndsTheTransactionOnly() {
        onMail(GREETED, PIPELINED, "(used lease granted)\nclient gets: 250 2.1.0 Sender ok", SAID, """
                (server closes)
                (lease refused: 451 4.4.1 server can't be reached)
                client gets: 451 4.4.1 server can't be reached
                client gets: 451 4.4.1 server can't be reached
                client: RSET
                client gets: 250 2.0.0 Ok
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aFreshLegThatDiesDefersWhatWasAsked() {
        onMail(GREETED, PIPELINED, "(lease granted)\nclient gets: 250 2.1.0 Sender ok", SAID, """
                (server closes)
                client gets: 451 4.4.2 Server closed the connection
                client gets: 451 4.4.2 Server closed the connection
                """, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=451 : 0 octets DEFERRED 451 4.4.2 Server closed the connection""")
                .replayEveryWay();
    }

    @Test
    void aLegLostBehindAnAcceptedRecipientDefersTheRest() {
        onMail(GREETED, ENVELOPE, """
                (server closes)
                client gets nothing
                (no lease is asked)
                client: RCPT TO:<c@example.net>
                client gets: 451 4.4.2 Server closed the connection
                client: DATA
                client gets: 451 4.4.2 Server closed the connection
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aLegLostBeforeItWasToldAnythingIsReplacedAtTheFirstRecipient() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (used lease granted)
                client gets: 250 2.1.0 Sender ok
                server: 421 4.4.2 idle for too long
                server leg: aborted
                client gets nothing
                client: RCPT TO:<b@example.net>
                (a fresh lease is asked)
                (lease granted)
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 sender
                server: 250 b
                client gets: 250 b
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void a421AsTheMessagesReplyIsItsReply() {
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
                server: 421 4.3.0 not now
                client gets: 451 4.3.0 Server ended this transaction: 421 4.3.0 not now
                server leg: connecting
                (a lease is asked)
                (lease refused: 451 4.3.2 no turn)
                client gets: 451 4.3.2 no turn
                """, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets DEFERRED 451 4.3.0 Server ended this transaction: 421 4.3.0 not now
                        transaction 2 <c@example.com> to  : 0 octets DEFERRED 451 4.3.2 no turn""").replayEveryWay();
    }

    @Test
    void aServerThatDiesInTheMessageIsToldBehindTheDot() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                server gets: x
                (server closes)
                client gets nothing
                client: y
                client: .
                client gets: 451 4.4.2 Server closed the connection
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void a421InTheMessageIsToldBehindTheDot() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                server gets: x
                server: 421 4.7.0 enough
                client gets nothing
                client: .
                client gets: 451 4.7.0 Server ended this transaction: 421 4.7.0 enough
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aServerThatDiesBehindTheDotLeavesItUncertain() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                server gets: x
                server gets: .
                (server closes)
                client gets: 451 4.4.2 Server closed the connection before it answered the message: delivery is uncertain
                (no lease is asked)
                """, ENVELOPE, MESSAGE, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets UNCERTAIN 451 4.4.2 Server closed the connection before it answered the message: delivery is uncertain
                        transaction 2 <a@example.com> to <b@example.net>=250 : 12 octets ACCEPTED 250 queued""").replayEveryWay();
    }

    @Test
    void aStrayReplyCostsTheLegAndTheTransaction() {
        onMail(GREETED, ENVELOPE, """
                server: 250 and another thing
                server leg: aborted
                client gets nothing
                client: DATA
                client gets: 451 4.5.0 Server sent a reply that answers no command
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aServerThatRefusesOurRsetIsLetGo() {
        onMail(GREETED, ENVELOPE, """
                client: RSET
                server gets: RSET
                server: 500 no
                client gets: 250 2.0.0 Ok
                server leg: aborted
                (session goes on)
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aServerThatDoesNotAnswerInTimeIsLetGo() {
        onMail(GREETED, PIPELINED, "(lease granted)\nclient gets: 250 2.1.0 Sender ok", SAID, """
                (time passes: 300 s)
                client gets: 451 4.4.2 Server did not answer in time
                client gets: 451 4.4.2 Server did not answer in time
                server leg: aborted
                """, ENVELOPE.replace("client: MAIL", "client: RSET\nclient gets: 250 2.0.0 Ok\nclient: MAIL"), MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aSenderThatIsTooSlowLosesTheLegThatOthersWaitFor() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                server gets: x
                (time passes: 61 s)
                client gets: 421 4.4.2 No progress in the message, closing
                server leg: aborted
                (session ended)
                """).replayEveryWay();
    }
}
