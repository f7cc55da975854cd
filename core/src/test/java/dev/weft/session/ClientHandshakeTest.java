package dev.weft.session;

import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.TlsDialogues.CLIENT_HANDSHAKES;
import static dev.weft.session.TlsDialogues.KNOWN;
import static dev.weft.session.TlsDialogues.MESSAGE;
import static dev.weft.session.TlsDialogues.OFFERED;
import static dev.weft.session.TlsDialogues.offered;

import dev.weft.testkit.DeferringHandler;
import org.junit.jupiter.api.Test;

/**
 * What happens around the handshake of a client leg: nothing is said in clear, and nothing that was sent in clear is acted on.
 */
class ClientHandshakeTest {

    @Test
    void failedHandshakeEndsTheSession() {
        offered(CLIENT_HANDSHAKES, """
                (client TLS fails: no shared cipher)
                (session ended)
                client leg: aborted
                server gets: QUIT
                server leg: awaits peer
                """).records("session", "session CLIENT_GONE 0 : TLS handshake: no shared cipher").replayEveryWay();
    }

    @Test
    void clientThatLeavesDuringTheHandshakeIsNoticedAtOnce() {
        offered(CLIENT_HANDSHAKES, "(client vanishes)\n(session ended)\nclient leg: aborted\nserver gets: QUIT\n").replayEveryWay();
        offered(CLIENT_HANDSHAKES, "(client half-closes)\n(session ended)\nclient gets nothing\nclient leg: lingers\nserver gets: QUIT\n").replayEveryWay();
    }

    @Test
    void stalledHandshakeEndsTheSessionWithoutAWordInClear() {
        offered(CLIENT_HANDSHAKES, """
                (time passes: 59 s)
                (session goes on)
                (time passes: 1 s)
                (session ended)
                client gets nothing
                server gets: QUIT
                """).records("session", "session TIMEOUT 0 : TLS handshake of the client").replayEveryWay();
    }

    @Test
    void stopWaitsForTheHandshake() {
        offered(CLIENT_HANDSHAKES, """
                (stop)
                (session goes on)
                client gets nothing
                (client TLS established)
                client gets: 421 4.3.2 Service is stopping, closing
                client leg: lingers
                server gets: QUIT
                """).replayEveryWay();
    }

    @Test
    void immediateStopSaysNothingInClear() {
        for (var event : new String[] {"(stop now)\n", "(driver fails: x)\n"}) {
            offered(CLIENT_HANDSHAKES, event, "client gets nothing\nclient leg: lingers\nserver gets: QUIT\n").replayEveryWay();
        }
    }

    @Test
    void serverLostDuringTheHandshakeIsReplacedAtEhlo() {
        for (var loss : new String[] {"(server closes)\n", "server: 421 4.3.2 idle\n"}) {
            offered(CLIENT_HANDSHAKES, loss, """
                    client gets nothing
                    server gets nothing
                    (client TLS established)
                    client: EHLO a.example
                    (server connects)
                    server: 220 mx.example.net
                    server gets: EHLO a.example
                    server: 250 mx
                    client gets: 250 mx
                    """, MESSAGE, QUIT).records("notice", "notice FRESH_SERVER_LEG").replayEveryWay();
        }
    }

    @Test
    void openTransactionOfAServerLostDuringTheHandshakeIsForgotten() {
        offered(OFFERED, """
                client: MAIL FROM:<a@example.com>
                server gets: MAIL FROM:<a@example.com>
                server: 250 ok
                client gets: 250 ok
                client: STARTTLS
                client gets: 220 2.0.0 Ready to start TLS
                (server closes)
                (client TLS established)
                client: QUIT
                client gets: 221 2.0.0 Bye
                """).records("transaction", "transaction 1 <a@example.com> to  : 0 octets ABANDONED").replayEveryWay();
    }

    @Test
    void straySomethingDuringTheHandshakeIsOutOfStep() {
        offered(CLIENT_HANDSHAKES, "server: 250 what\n(session ended)\nclient gets nothing\nserver gets nothing\n").replayEveryWay();
    }

    @Test
    void startTlsWaitsForWhatIsOutstanding() {
        offered(OFFERED, """
                client: MAIL FROM:<a@example.com>
                client: STARTTLS
                server gets: MAIL FROM:<a@example.com>
                (no TLS is ordered)
                server: 250 ok
                client gets: 250 ok
                client gets: 220 2.0.0 Ready to start TLS
                (client TLS established)
                server gets: RSET
                server: 250 ok
                """, KNOWN, QUIT).replayEveryWay();
    }

    @Test
    void startTlsWaitsForItsVerdict() {
        offered(OFFERED, """
                client: STARTTLS
                client gets nothing
                (no TLS is ordered)
                (verdict: proceed)
                client gets: 220 2.0.0 Ready to start TLS
                (client TLS is ordered)
                (client TLS established)
                """, KNOWN, QUIT).handler(() -> DeferringHandler.atCommand("STARTTLS")).replayEveryWay();
        offered(OFFERED, """
                client: STARTTLS
                (verdict: reject 454 4.7.0 not now)
                client gets: 454 4.7.0 not now
                (no TLS is ordered)
                """, MESSAGE, QUIT).handler(() -> DeferringHandler.atCommand("STARTTLS")).replayEveryWay();
    }

    @Test
    void textSentWhileTheVerdictOnStartTlsIsOutstandingIsNeverActedOn() {
        offered(OFFERED, """
                client: STARTTLS
                client: MAIL FROM:<x@example.com>
                (verdict: proceed)
                client gets: 220 2.0.0 Ready to start TLS
                (session ended)
                (no TLS is ordered)
                server gets: QUIT
                """).handler(() -> DeferringHandler.atCommand("STARTTLS")).replayEveryWay();
    }
}
