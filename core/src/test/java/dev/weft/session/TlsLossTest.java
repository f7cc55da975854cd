package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.TlsDialogues.CLEAR_AGAIN;
import static dev.weft.session.TlsDialogues.HANDSHAKE;
import static dev.weft.session.TlsDialogues.IN_TLS;
import static dev.weft.session.TlsDialogues.MESSAGE;
import static dev.weft.session.TlsDialogues.STARTTLS_SENT;
import static dev.weft.session.TlsDialogues.under;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.TlsPolicy;
import dev.weft.testkit.Transcript;
import org.junit.jupiter.api.Test;

/** Clients and servers that leave, say 421 or fall silent while a server leg goes into TLS. */
class TlsLossTest {

    /** Up to a handshake that asks for no name, so that there is no second try without it. */
    private static final String NAMELESS = """
            (server connects)
            server: 220 localhost ESMTP
            client gets: 220 localhost ESMTP
            client: EHLO a.example
            server gets: EHLO a.example
            server: 250-mx.example.net
            server: 250-SIZE 10000
            server: 250-STARTTLS
            server: 250 CHUNKING
            server gets: STARTTLS
            server: 220 go
            (server TLS is ordered, asking for no name)
            """;

    private static Transcript may(String... parts) {
        return under(TlsPolicy.may(), parts);
    }

    private static void goesOnInClear(String why, String... parts) {
        var all = String.join("", parts) + CLEAR_AGAIN + "(server TLS is remembered as broken)\n(no TLS is ordered)\n" + MESSAGE + QUIT;
        may(all).recording(recorder -> {
            assertThat(recorder.lines("notice")).containsExactly("notice TLS_FALLBACK " + why);
            assertThat(recorder.session().serverTls()).isEmpty();
            assertThat(recorder.session().tlsFailure()).hasValue(why);
        }).replayEveryWay();
    }

    @Test
    void vanishedClientIsNoticedAtEachStep() {
        for (var begin : new String[] {STARTTLS_SENT, HANDSHAKE, NAMELESS + "(server TLS fails: x)\n", NAMELESS + "(server TLS fails: x)\n(server connects)\n",
                HANDSHAKE + "(server TLS established)\nserver gets: EHLO a.example\n"}) {
            may(begin, """
                    (client vanishes)
                    (session ended)
                    client leg: aborted
                    """).records("session", "session CLIENT_GONE 0 : reset by peer").replayEveryWay();
        }
    }

    @Test
    void halfClosedClientStillGetsItsAnswer() {
        may(HANDSHAKE, """
                (client half-closes)
                (server TLS established)
                server gets: EHLO a.example
                server: 250 mx
                client gets: 250 mx
                (session ended)
                server gets: QUIT
                """).replayEveryWay();
    }

    @Test
    void stopWaitsForTheAnswerToEhlo() {
        may(HANDSHAKE, """
                (stop)
                (session goes on)
                (server TLS established)
                server gets: EHLO a.example
                server: 250 mx
                client gets: 250 mx
                client gets: 421 4.3.2 Service is stopping, closing
                server gets: QUIT
                """).replayEveryWay();
    }

    @Test
    void immediateStopAbortsTheHandshake() {
        may(HANDSHAKE, """
                (stop now)
                client gets: 421 4.3.2 Service is stopping, closing
                client leg: lingers
                server leg: aborted
                """).replayEveryWay();
    }

    @Test
    void serverThatClosesAtALaterEhloIsA421() {
        may(IN_TLS, """
                client: EHLO b.example
                server gets: EHLO b.example
                (server closes)
                client gets: 421 4.4.2 Server closed the connection
                """).replayEveryWay();
    }

    @Test
    void serverThatClosesAtTheFirstEhloIsA421() {
        for (var policy : TlsDialogues.ALL_WANTED) {
            under(policy, GREETED, """
                    client: EHLO a.example
                    server gets: EHLO a.example
                    (server closes)
                    client gets: 421 4.4.2 Server closed the connection
                    """).records("session", "session SERVER_GONE 0 : closed at EHLO").replayEveryWay();
        }
    }

    @Test
    void a421EndsTheSessionAtEachStep() {
        for (var policy : TlsDialogues.ALL_WANTED) {
            for (var begin : new String[] {GREETED + "client: EHLO a\nserver gets: EHLO a\n", STARTTLS_SENT,
                    HANDSHAKE + "(server TLS established)\nserver gets: EHLO a.example\n"}) {
                under(policy, begin, """
                        server: 421 4.3.2 going down
                        client gets: 421 4.3.2 going down
                        client leg: lingers
                        server gets nothing
                        server leg: awaits peer
                        """).records("session", "session SERVER_GONE 0 : 4.3.2 going down").replayEveryWay();
            }
        }
    }

    @Test
    void noAnswerToAnEhloIsA421WithinTheBudget() {
        for (var begin : new String[] {GREETED + "client: EHLO a\nserver gets: EHLO a\n", HANDSHAKE + "(server TLS established)\nserver gets: EHLO a.example\n"}) {
            may(begin, """
                    (time passes: 269 s)
                    client gets nothing
                    (time passes: 1 s)
                    client gets: 421 4.4.2 Server did not answer in time
                    """).replayEveryWay();
        }
    }
}
