package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.TlsDialogues.CLEAR_AGAIN;
import static dev.weft.session.TlsDialogues.HANDSHAKE;
import static dev.weft.session.TlsDialogues.MESSAGE;
import static dev.weft.session.TlsDialogues.STARTTLS_SENT;
import static dev.weft.session.TlsDialogues.under;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.TlsPolicy;
import dev.weft.testkit.Transcript;
import org.junit.jupiter.api.Test;

/** TLS that fails where the policy is {@code may}: a new connection in clear, unseen by the client. */
class TlsFallbackTest {

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
    void failedHandshake() {
        goesOnInClear("handshake_failure", NAMELESS, "(server TLS fails: handshake_failure)\n");
    }

    @Test
    void cutHandshake() {
        goesOnInClear("the server closed the connection", NAMELESS, "(server closes)\n");
    }

    @Test
    void handshakeThatFailsWithoutTheNameToo() {
        goesOnInClear("again", HANDSHAKE, """
                (server TLS fails: unrecognized_name)
                (server connects)
                server: 220 mx.example.net ESMTP
                server gets: EHLO a.example
                server: 250-mx.example.net
                server: 250 STARTTLS
                server gets: STARTTLS
                server: 220 go
                (server TLS is ordered, asking for no name)
                (server TLS fails: again)
                """);
    }

    @Test
    void stalledHandshakeIsNotTriedAgainWithoutTheName() {
        goesOnInClear("the handshake did not finish in time", HANDSHAKE, "(time passes: 59 s)\nserver leg: open\n(time passes: 1 s)\n");
    }

    @Test
    void noReplyToStartTls() {
        goesOnInClear("no reply to STARTTLS in time", STARTTLS_SENT, "(time passes: 60 s)\n");
    }

    @Test
    void closeAtStartTls() {
        goesOnInClear("the server closed the connection at STARTTLS", STARTTLS_SENT, "(server closes)\n");
        goesOnInClear("the server closed the connection at STARTTLS", STARTTLS_SENT, "server: 220 go\\\n(server closes)\n");
    }

    @Test
    void closeAfterTheHandshake() {
        goesOnInClear("the server closed the connection after the TLS handshake", HANDSHAKE, """
                (server TLS established)
                server gets: EHLO a.example
                (server closes)
                """);
    }

    @Test
    void lateBytesOfTheBrokenLegAreIgnored() {
        may(NAMELESS, """
                (server TLS fails: x)
                (leg 1 sends: 421 bye\\r\\n)
                (leg 1 closes)
                """, CLEAR_AGAIN, QUIT).replayEveryWay();
    }

    @Test
    void commandsThatWaitedGoToTheNewConnection() {
        may(NAMELESS, "client: MAIL FROM:<a@example.com>\n(server TLS fails: x)\n", CLEAR_AGAIN, """
                server gets: MAIL FROM:<a@example.com>
                server: 250 ok
                client gets: 250 ok
                """, QUIT).replayEveryWay();
    }

    @Test
    void heloClientFallsBackToo() {
        may("""
                (server connects)
                server: 220 localhost
                client gets: 220 localhost
                client: HELO a.example
                server gets: EHLO a.example
                server: 250-mx
                server: 250 STARTTLS
                server gets: STARTTLS
                server: 220 go
                (server TLS fails: x)
                (server connects)
                server: 220 localhost
                server gets: EHLO a.example
                server: 250-mx
                server: 250 STARTTLS
                client gets: 250 mx
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void newConnectionThatIsRefusedIsA421() {
        may(NAMELESS, """
                (server TLS fails: x)
                (server refuses: Connection refused)
                client gets: 421 4.4.1 Server can't be reached: Connection refused
                client leg: lingers
                """).records("session", "session UNREACHABLE 0 : Connection refused").replayEveryWay();
    }

    @Test
    void newConnectionThatGreetsWithARefusalIsA421() {
        for (var greeting : new String[] {"421 4.7.0 too many", "450 4.7.1 slow down", "554 5.7.1 no"}) {
            may(NAMELESS, "(server TLS fails: x)\n(server connects)\nserver: " + greeting + "\n", """
                    client gets: 421 4.4.2 Server refused a second connection after TLS had failed, closing
                    server gets nothing
                    client leg: lingers
                    server leg: awaits peer
                    """).records("session", "session SERVER_GONE 0 : after TLS failed: " + greeting.substring(4)).replayEveryWay();
        }
    }

    @Test
    void newConnectionThatClosesBeforeItsGreetingIsA421() {
        may(NAMELESS, """
                (server TLS fails: x)
                (server connects)
                (server closes)
                client gets: 421 4.4.1 Server closed the connection before its greeting
                """).replayEveryWay();
    }

    @Test
    void newConnectionThatRefusesEhloIsRelayed() {
        may(NAMELESS, """
                (server TLS fails: x)
                (server connects)
                server: 220 localhost
                server gets: EHLO a.example
                server: 550 5.7.1 no
                client gets: 550 5.7.1 no
                """, QUIT).replayEveryWay();
    }

    @Test
    void newConnectionThatOffersLessIsWhatTheClientSees() {
        may(NAMELESS, """
                (server TLS fails: x)
                (server connects)
                server: 220 localhost
                server gets: EHLO a.example
                server: 250 mx
                client gets: 250 mx
                client: BDAT 1 LAST
                client: xQUIT
                client gets: 503 5.5.1 CHUNKING was not offered
                server gets: QUIT
                server: 221 bye
                client gets: 221 bye
                """).replayEveryWay();
    }

    @Test
    void allTakesNoLongerThanTheBudget() {
        may(NAMELESS, """
                (time passes: 60 s)
                (time passes: 29 s)
                (server connects)
                (time passes: 180 s)
                client gets nothing
                (time passes: 1 s)
                client gets: 421 4.4.1 Server did not greet in time
                client leg: lingers
                """).replayEveryWay();
    }

    @Test
    void handshakeThatUsesUpTheBudgetBeginsNoNewConnection() {
        may(GREETED, """
                client: EHLO a.example
                server gets: EHLO a.example
                (time passes: 250 s)
                server: 250-mx
                server: 250 STARTTLS
                server gets: STARTTLS
                server: 220 go
                (time passes: 19 s)
                client gets nothing
                (time passes: 1 s)
                client gets: 421 4.4.2 Server did not answer in time
                client leg: lingers
                server leg: aborted
                (server TLS is remembered as broken)
                """).records("session", "session TIMEOUT 0 : TLS: the handshake did not finish in time").replayEveryWay();
    }

    @Test
    void brokenTlsIsNotTriedAgainInTheSession() {
        may(NAMELESS, "(server TLS fails: x)\n", CLEAR_AGAIN, """
                client: EHLO b.example
                server gets: EHLO b.example
                server: 250-mx
                server: 250 STARTTLS
                client gets: 250 mx
                (no TLS is ordered)
                """, QUIT).records("notice", "notice TLS_FALLBACK x").replayEveryWay();
    }
}
