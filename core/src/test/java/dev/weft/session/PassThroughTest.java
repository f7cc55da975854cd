package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.TlsDialogues.DEMANDED;
import static dev.weft.session.TlsDialogues.MESSAGE;
import static dev.weft.session.TlsDialogues.under;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.TlsPolicy;
import dev.weft.session.Arrival.TlsOffer;
import dev.weft.testkit.Transcript;
import org.junit.jupiter.api.Test;

/** The client's own STARTTLS goes to the server; what follows is between the two. */
class PassThroughTest {

    private static final String SHOWN = GREETED + """
            client: EHLO a.example
            server gets: EHLO a.example
            server: 250-mx.example.net
            server: 250-SIZE 10000
            server: 250-starttls
            server: 250 PIPELINING
            client gets: 250-mx.example.net
            client gets: 250-SIZE 10000
            client gets: 250-starttls
            client gets: 250 PIPELINING
            """;

    private static final String BLIND = SHOWN + """
            client: STARTTLS
            server gets: STARTTLS
            server: 220 go
            client gets: 220 go
            (no TLS is ordered)
            """;

    private static Transcript passed(String... parts) {
        return under(TlsPolicy.none(), parts).clientIsOffered(TlsOffer.PASS_THROUGH);
    }

    @Test
    void allBytesGoOnAfterThe220() {
        passed(BLIND, """
                client: \\x16\\x03\\x01\\0\\x05hello\\
                server gets: \\x16\\x03\\x01\\0\\x05hello\\
                server: \\x16\\x03\\x03.\\r\\n421 no reply\\r\\n\\
                client gets: \\x16\\x03\\x03.\\r\\n421 no reply\\r\\n\\
                client: QUIT
                client: a\\nb\\rc
                server gets: QUIT
                server gets: a\\nb\\rc
                (server closes)
                client leg: lingers
                (session ended)
                client gets nothing
                """).records("command reply notice session", """
                command EHLO a.example
                reply EHLO 250 mx.example.net SIZE 10000 starttls PIPELINING
                command STARTTLS
                notice TLS_PASSED_THROUGH
                reply STARTTLS 220 go
                session SERVER_GONE 0""")
                .recording(recorder -> {
                    assertThat(recorder.session().passedThrough()).isTrue();
                    assertThat(recorder.session().clientTls()).isEmpty();
                    assertThat(recorder.session().serverTls()).isEmpty();
                }).replayEveryWay();
    }

    @Test
    void clientWithoutTlsIsRelayedAsEver() {
        passed(SHOWN, MESSAGE, QUIT).recording(recorder -> assertThat(recorder.session().passedThrough()).isFalse()).replayEveryWay();
    }

    @Test
    void optionalTlsIsLeftToTheClient() {
        passed(BLIND).route(route -> route.withTls(TlsPolicy.may())).replayEveryWay();
    }

    @Test
    void refusalIsTheServersOwn() {
        passed(SHOWN, """
                client: STARTTLS
                server gets: STARTTLS
                server: 454 4.7.0 not now
                client gets: 454 4.7.0 not now
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void serverWithoutStartTls() {
        passed(GREETED, """
                client: EHLO a
                server gets: EHLO a
                server: 250 mx
                client gets: 250 mx
                client: STARTTLS
                client gets: 502 5.5.1 Command not offered
                """, QUIT).replayEveryWay();
    }

    @Test
    void demandedTlsIsNotLeftToTheClient() {
        for (var policy : DEMANDED) {
            passed(TlsDialogues.IN_TLS, """
                    client: STARTTLS
                    client gets: 502 5.5.1 Command not offered
                    server gets nothing
                    """, MESSAGE, QUIT).route(route -> route.withTls(policy)).replayEveryWay();
        }
    }

    @Test
    void argumentIsRefused() {
        passed(SHOWN, "client: STARTTLS x\nclient gets: 501 5.5.4 STARTTLS takes no argument\nserver gets nothing\n", QUIT).replayEveryWay();
    }

    @Test
    void waitsForWhatIsOutstanding() {
        passed(SHOWN, """
                client: NOOP
                client: STARTTLS
                server gets: NOOP
                server: 250 ok
                client gets: 250 ok
                server gets: STARTTLS
                server: 220 go
                client gets: 220 go
                client: \\x16
                server gets: \\x16
                """).replayEveryWay();
    }

    @Test
    void textBehindStartTlsEndsTheSession() {
        passed(SHOWN, """
                client: STARTTLS
                client: MAIL FROM:<x@example.com>
                server gets: STARTTLS
                server: 220 go
                client gets: 220 go
                (session ended)
                server gets nothing
                server leg: aborted
                """).records("session", "session OUT_OF_STEP 0 : text behind STARTTLS").replayEveryWay();
    }

    @Test
    void textGluedToThe220EndsTheSession() {
        passed(SHOWN, """
                client: STARTTLS
                server gets: STARTTLS
                server: 220 go
                server: 250 mx
                client gets: 220 go
                (session ended)
                server leg: aborted
                """).replay(); // what comes in a later piece can't be told from TLS
    }

    @Test
    void halfCloseGoesOn() {
        passed(BLIND, """
                client: bye
                server gets: bye
                (client half-closes)
                server leg: half-closed
                server: bye to you
                client gets: bye to you
                (server closes)
                client leg: lingers
                (session ended)
                """).replayEveryWay();
    }

    @Test
    void vanishedClientTakesTheServerLegWithIt() {
        passed(BLIND, "(client vanishes)\n(session ended)\nserver leg: aborted\n").replayEveryWay();
        passed(BLIND, "(client half-closes)\n(client vanishes)\n(session ended)\nserver leg: aborted\n").replayEveryWay();
    }

    @Test
    void openTransactionIsOver() {
        passed(SHOWN, """
                client: MAIL FROM:<a@example.com>
                server gets: MAIL FROM:<a@example.com>
                server: 250 ok
                client gets: 250 ok
                client: STARTTLS
                server gets: STARTTLS
                server: 220 go
                client gets: 220 go
                """).records("transaction", "transaction 1 <a@example.com> to  : 0 octets ABANDONED").replayEveryWay();
    }

    @Test
    void silenceIsBorneForAsLongAsAMessageMayTake() {
        passed(BLIND, """
                (time passes: 899 s)
                server: x
                client gets: x
                (time passes: 899 s)
                client: y
                server gets: y
                (time passes: 899 s)
                (session goes on)
                (time passes: 1 s)
                (session ended)
                client gets nothing
                client leg: lingers
                server leg: aborted
                """).records("session", "session TIMEOUT 0 : idle").replayEveryWay();
    }

    @Test
    void stopLetsItGoOnUntilTheGraceIsOver() {
        passed(BLIND, """
                (stop)
                (session goes on)
                client: x
                server gets: x
                (stop now)
                client gets nothing
                client leg: lingers
                server leg: aborted
                """).replayEveryWay();
    }

    @Test
    void slowSideStopsTheReadingOfTheOther() {
        passed(BLIND, """
                (server takes no bytes)
                client reading: paused
                server reading: on
                (server takes bytes again)
                client reading: on
                (client takes no bytes)
                server reading: paused
                client reading: on
                (client takes bytes again)
                server reading: on
                """).replayEveryWay();
    }

    @Test
    void freshLegHasToOfferStartTlsToo() {
        passed(SHOWN, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: DATA
                server: 250 ok
                server: 250 ok
                server: 354 go
                client gets: 250 ok
                client gets: 250 ok
                client gets: 354 go
                (server closes)
                client: .
                client gets: 451 4.4.2 Server closed the connection in the middle of the message
                client: STARTTLS
                (server connects)
                server: 220 mx
                server gets: EHLO a.example
                server: 250-mx.example.net
                server: 250-SIZE 10000
                server: 250-STARTTLS
                server: 250 PIPELINING
                server gets: STARTTLS
                server: 220 go
                client gets: 220 go
                """).replayEveryWay();
    }
}
