package dev.weft.session;

import static dev.weft.session.Dialogues.DATA;
import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.FRESH_LEG;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.SERIAL;
import static dev.weft.session.Dialogues.transcript;

import org.junit.jupiter.api.Test;

class ServerLossTest {

    private static final String MAIL_OVER_A_FRESH_LEG = """
            client: MAIL FROM:<c@example.com>
            client: RCPT TO:<d@example.net>
            """ + FRESH_LEG + """
            server gets: MAIL FROM:<c@example.com>
            server gets: RCPT TO:<d@example.net>
            server: 250 1
            server: 250 2
            client gets: 250 1
            client gets: 250 2
            """;

    /** The server dies within the message; the client was told so. */
    private static final String DIED = DATA + """
            client: x
            server gets: x
            (server closes)
            client gets nothing
            client: y
            client: .
            client gets: 451 4.4.2 Server closed the connection in the middle of the message
            """;

    @Test
    void serverThatClosesWhileIdleIsA421() {
        transcript(OPEN, """
                (server closes)
                client gets: 421 4.4.2 Server closed the connection
                client leg: lingers
                """).records("session", "session SERVER_GONE 0 : closed while idle").replayEveryWay();
    }

    @Test
    void serverThatClosesWithCommandsOutstandingIsOne421() {
        transcript(OPEN, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: DATA
                server: 250 ok
                (server closes)
                client gets: 250 ok
                client gets: 421 4.4.2 Server closed the connection
                server leg: aborted
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=? : 0 octets ABANDONED
                        session SERVER_GONE 1 : closed with commands outstanding""").replayEveryWay();
    }

    @Test
    void serverThatDiesInTheMessageIsOne451BehindTheDot() {
        transcript(DIED, MAIL_OVER_A_FRESH_LEG, QUIT).records("notice transaction session", """
                transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets DEFERRED 451 4.4.2 Server closed the connection \
                in the middle of the message
                notice FRESH_SERVER_LEG
                transaction 2 <c@example.com> to <d@example.net>=250 : 0 octets ABANDONED
                session QUIT 2""").replayEveryWay();
    }

    @Test
    void serverThatDiesBehindTheDotLeavesTheMessageUncertain() {
        transcript(DATA, """
                client: x
                client: .
                server gets: x
                server gets: .
                (server closes)
                client gets: 451 4.4.2 Server closed the connection before it answered the message: delivery is uncertain
                """, MAIL_OVER_A_FRESH_LEG, QUIT).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets UNCERTAIN 451 4.4.2 Server closed the connection \
                before it answered the message: delivery is uncertain
                        transaction 2 <c@example.com> to <d@example.net>=250 : 0 octets ABANDONED
                        session QUIT 2""").replayEveryWay();
    }

    @Test
    void commandsPipelinedBehindALostMessageAreAnsweredToo() {
        transcript(DATA, """
                client: .
                client: MAIL FROM:<c@example.com>
                client: QUIT
                server gets: .
                server gets: MAIL FROM:<c@example.com>
                server gets: QUIT
                (server closes)
                client gets: 451 4.4.2 Server closed the connection before it answered the message: delivery is uncertain
                client gets: 451 4.4.2 Server closed the connection before it answered this command
                client gets: 221 2.0.0 Bye
                client leg: lingers
                (session ended)
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets UNCERTAIN 451 4.4.2 Server closed the connection \
                before it answered the message: delivery is uncertain
                        transaction 2 <c@example.com> to  : 0 octets DEFERRED 451 4.4.2 Server closed the connection before it \
                answered this command
                        session QUIT 2""").replayEveryWay();
    }

    @Test
    void serverThatClosesOnQuitIsABye() {
        transcript(OPEN, """
                client: QUIT
                server gets: QUIT
                (server closes)
                client gets: 221 2.0.0 Bye
                """).records("session", "session QUIT 0").replayEveryWay();
    }

    @Test
    void serverThatTakesNoBytesForLongIsAsGoodAsDead() {
        transcript(DATA, """
                client: x
                server gets: x
                (time passes: 100 s)
                (server takes no bytes)
                client reading: paused
                (time passes: 179 s)
                server leg: open
                (time passes: 1 s)
                server leg: aborted
                client reading: on
                client: y
                client: .
                client gets: 451 4.4.2 Server closed the connection in the middle of the message""").replayEveryWay();
    }

    @Test
    void commandsThatNeedNoServerAreAnsweredHereUntilOneIsNeeded() {
        transcript(DIED, """
                client: RSET
                client: NOOP
                client gets: 250 2.0.0 Ok
                client gets: 250 2.0.0 Ok
                server leg: aborted
                client: QUIT
                client gets: 221 2.0.0 Bye
                """).records("session", "session QUIT 1 : 2.0.0 Bye").replayEveryWay();
    }

    @Test
    void lateBytesOfADeadLegAreIgnored() {
        transcript(DIED, """
                (leg 1 sends: 250 late)
                (leg 1 closes)
                client gets nothing
                client: MAIL FROM:<c@example.com>
                (server connects)
                (leg 1 sends: 220 late)
                (leg 1 closes)
                server: 220 mx.example.net ESMTP
                client gets nothing
                server gets: EHLO a.example
                (leg 1 sends: 250 late)
                (session goes on)
                client gets nothing
                """).replayEveryWay();
    }

    @Test
    void freshLegThatOffersLessIsA421() {
        transcript(DIED, """
                client: MAIL FROM:<c@example.com>
                (server connects)
                server: 220 mx.example.net ESMTP
                server gets: EHLO a.example
                server: 250-mx.example.net
                server: 250-PIPELINING
                server: 250 SIZE 1000000
                client gets: 421 4.4.2 Server connection is gone and can't be replaced unseen, closing
                client leg: lingers
                server leg: awaits peer
                """).records("session", "session SERVER_GONE 2 : fresh server leg offers less than was promised").replayEveryWay();
    }

    @Test
    void freshLegThatOffersMoreIsWelcomeButItsMoreIsNotPromised() {
        transcript(SERIAL, """
                client: MAIL FROM:<a@example.com>
                server gets: MAIL FROM:<a@example.com>
                server: 250 1
                client gets: 250 1
                client: DATA
                server gets: DATA
                server: 354 2
                client gets: 354 2
                (server closes)
                client: .
                client gets: 451 4.4.2 Server closed the connection in the middle of the message
                client: MAIL FROM:<c@example.com>
                (server connects)
                server: 220 mx
                server gets: EHLO a.example
                server: 250-mx
                server: 250 CHUNKING
                server gets: MAIL FROM:<c@example.com>
                server: 250 ok
                client gets: 250 ok
                client: BDAT 1 LAST
                client: x\\
                client gets: 503 5.5.1 CHUNKING was not offered
                server gets: RSET
                """).replayEveryWay();
    }

    @Test
    void freshLegThatDoesNotGreetWith220IsA421() {
        for (var greeting : new String[] {"421 4.7.0 busy", "450 4.7.1 greylisted", "554 5.7.1 no", "250 odd"}) {
            transcript(DIED, "client: MAIL FROM:<c@example.com>\n(server connects)\nserver: " + greeting + "\n", """
                    client gets: 421 4.4.2 Server connection is gone and can't be replaced unseen, closing
                    (session ended)
                    """).recording(recorder -> { }).replay();
        }
    }

    @Test
    void freshLegThatRefusesEhloOrClosesIsA421() {
        transcript(DIED, """
                client: MAIL FROM:<c@example.com>
                (server connects)
                server: 220 mx
                server gets: EHLO a.example
                server: 502 what
                client gets: 421 4.4.2 Server connection is gone and can't be replaced unseen, closing
                """).replayEveryWay();
        transcript(DIED, """
                client: MAIL FROM:<c@example.com>
                (server connects)
                server: 220 mx
                server gets: EHLO a.example
                (server closes)
                client gets: 421 4.4.2 Server connection is gone and can't be replaced unseen, closing
                """).replayEveryWay();
    }

    @Test
    void freshLegThatAnswersEhloWith421IsOne421() {
        transcript(DIED, """
                client: MAIL FROM:<c@example.com>
                (server connects)
                server: 220 mx
                server gets: EHLO a.example
                server: 421 4.7.0 busy
                client gets: 421 4.4.2 Server connection is gone and can't be replaced unseen, closing
                """).replayEveryWay();
    }

    @Test
    void freshLegThatCantBeHadIsA421() {
        transcript(DIED, """
                client: MAIL FROM:<c@example.com>
                (server refuses: Connection refused)
                client gets: 421 4.4.1 Server can't be reached: Connection refused
                """).replayEveryWay();
        transcript(DIED, """
                client: MAIL FROM:<c@example.com>
                (server connects)
                (time passes: 270 s)
                client gets: 421 4.4.1 Server did not greet in time
                """).replayEveryWay();
    }

    @Test
    void clientsOwnEhloIsNotDoubledOnAFreshLeg() {
        transcript(DIED, """
                client: EHLO b.example
                (server connects)
                server: 220 mx
                server gets: EHLO b.example
                server: 250 mx
                client gets: 250 mx
                client: MAIL FROM:<c@example.com>
                server gets: MAIL FROM:<c@example.com>
                server: 250 ok
                client gets: 250 ok
                """, QUIT).replayEveryWay();
    }

    @Test
    void dataWithoutTransactionGoesToAFreshLegWhichRefusesIt() {
        transcript(DIED, "client: DATA\n", FRESH_LEG, """
                server gets: DATA
                server: 503 5.5.1 MAIL first
                client gets: 503 5.5.1 MAIL first
                """, QUIT).replayEveryWay();
    }

    @Test
    void secondLossIsSurvivedToo() {
        transcript(DIED, MAIL_OVER_A_FRESH_LEG, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                (server closes)
                client: .
                client gets: 451 4.4.2 Server closed the connection in the middle of the message
                """, MAIL_OVER_A_FRESH_LEG, QUIT).replayEveryWay();
    }

    @Test
    void serverThatClosesWithinATransactionIsA421() {
        transcript(ENVELOPE, """
                (server closes)
                client gets: 421 4.4.2 Server closed the connection
                """).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets ABANDONED
                        """).replayEveryWay();
    }
}
