package dev.weft.session;

import static dev.weft.session.OnMailDialogues.ENVELOPE;
import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.MESSAGE;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;

import org.junit.jupiter.api.Test;

/** Leased legs whose server, or whose client, does not keep to its turn. */
class OnMailFaultsTest {

    @Test
    void chunksOfALostLegAreReadAndPutOff() {
        onMail(GREETED, ENVELOPE, """
                client: BDAT 3
                client: x
                server gets: BDAT 3
                server gets: x
                server: 250 3
                client gets: 250 3
                (server closes)
                client: BDAT 3 LAST
                client: y
                client gets: 451 4.4.2 Server closed the connection
                (no lease is asked)
                """, ENVELOPE, """
                client: BDAT 5 LAST
                client: x
                server gets: BDAT 5 LAST
                server gets: x
                (server closes)
                client: \\x79\\
                client gets nothing
                client: z\\
                client gets: 451 4.4.2 Server closed the connection
                (no lease is asked)
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void anEarlyAcceptanceIsNone() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                server gets: x
                server: 250 queued
                server leg: aborted
                client: .
                client gets: 451 4.5.0 Server answered before the message had ended
                """, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                client: NOOP
                server gets: x
                server gets: .
                (server takes no bytes)
                server: 250 queued
                client gets: 451 4.5.0 Server answered before the message had ended
                client gets: 250 2.0.0 Ok
                server leg: aborted
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aServerThatTakesNothingCostsItsTransactionOnly() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                server gets: x
                (server takes no bytes)
                client reading: paused
                (time passes: 310 s)
                server leg: aborted
                client reading: on
                client: .
                client gets: 451 4.4.2 Server closed the connection
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void answersThatComeTwiceOrTooLateChangeNothing() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (lease refused: 451 4.3.2 no turn)
                client gets: 451 4.3.2 no turn
                (leg 1 closes)
                (leg 1 sends: 421 bye\\r\\n)
                """, ENVELOPE, """
                (leg 1 sends: 250 hello\\r\\n)
                (leg 1 closes)
                """, MESSAGE, """
                (leg 2 sends: 421 bye\\r\\n)
                (leg 2 closes)
                """, QUIT)
                .replayEveryWay();
    }

    @Test
    void aLegThatBeganToSaySomethingUnaskedIsNotGivenBack() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                server gets: x
                server gets: .
                (leg 1 sends: 250 queued\\r\\n42\\)
                client gets: 250 queued
                server leg: aborted
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aLegThatSaysMoreThanTheLastReplyIsNotGivenBack() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                client: QUIT
                server gets: x
                server gets: .
                (leg 1 sends: 250 queued\\r\\n4\\)
                client gets: 250 queued
                client gets: 221 2.0.0 Bye
                server leg: aborted
                (session ended)
                """).replayEveryWay();
    }

    @Test
    void aLegThatIsNotReadIsReadAgainBeforeItIsGivenBack() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                (client takes no bytes)
                server reading: paused
                (client vanishes)
                server leg: given back
                (session ended)
                """).replayEveryWay();
    }

    @Test
    void aLegIsNotPausedBeforeItIsThere() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com>
                (a lease is asked)
                (client takes no bytes)
                server reading: on
                (lease granted)
                client gets: 250 2.1.0 Sender ok
                server reading: paused
                (client takes bytes again)
                server reading: on
                """, QUIT).replayEveryWay();
    }
}
