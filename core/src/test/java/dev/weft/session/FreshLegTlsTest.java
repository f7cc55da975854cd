package dev.weft.session;

import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.TlsDialogues.DEMANDED;
import static dev.weft.session.TlsDialogues.EHLO_IN_TLS;
import static dev.weft.session.TlsDialogues.IN_TLS;
import static dev.weft.session.TlsDialogues.MESSAGE;
import static dev.weft.session.TlsDialogues.under;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.TlsPolicy;
import org.junit.jupiter.api.Test;

/** A server leg that is replaced in mid-session gets TLS as the first one did, and has to keep what was promised. */
class FreshLegTlsTest {

    /** The message is refused in its middle, so that its leg goes; the next MAIL needs a fresh one. */
    private static final String LEG_GONE = IN_TLS + """
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
            client: hello
            server gets: hello
            server: 552 5.3.4 too big
            server leg: aborted
            client: .
            client gets: 552 5.3.4 too big
            client: MAIL FROM:<a@example.com>
            (server connects)
            server: 220 mx.example.net ESMTP
            server gets: EHLO a.example
            server: 250-mx.example.net
            server: 250 STARTTLS
            server gets: STARTTLS
            """;

    private static final String HANDSHAKE = LEG_GONE + "server: 220 go\n(server TLS is ordered, asking for mx.example.net)\n";

    private static final String NEXT_MAIL = """
            client gets nothing
            server gets: MAIL FROM:<a@example.com>
            server: 250 ok
            client gets: 250 ok
            """;

    private static final String NOT_REPLACEABLE = """
            server gets nothing
            client gets: 421 4.4.2 Server connection is gone and can't be replaced unseen, closing
            client leg: lingers
            """;

    private static final String IN_CLEAR = """
            (server connects)
            server: 220 mx.example.net ESMTP
            server gets: EHLO a.example
            """;

    @Test
    void getsTlsUnseenByTheClient() {
        for (var policy : TlsDialogues.ALL_WANTED) {
            under(policy, HANDSHAKE, "(server TLS established)\nserver gets: EHLO a.example\n", EHLO_IN_TLS, NEXT_MAIL, QUIT)
                    .recording(recorder -> {
                        assertThat(recorder.lines("notice")).contains("notice FRESH_SERVER_LEG");
                        assertThat(recorder.session().serverTls()).isPresent();
                    }).replayEveryWay();
        }
    }

    @Test
    void offersLessInsideTls() {
        for (var policy : TlsDialogues.ALL_WANTED) {
            under(policy, HANDSHAKE, """
                    (server TLS established)
                    server gets: EHLO a.example
                    server: 250-mx.example.net
                    server: 250 SIZE 5
                    """, NOT_REPLACEABLE.replace("server gets nothing", "server gets: QUIT"))
                    .records("session", "session SERVER_GONE 2 : fresh server leg offers less than was promised").replayEveryWay();
        }
    }

    @Test
    void startTlsRefused() {
        for (var policy : DEMANDED) {
            under(policy, LEG_GONE, "server: 454 no\n", NOT_REPLACEABLE.replace("server gets nothing", "server gets: QUIT"))
                    .records("session", "session SERVER_GONE 2 : the server refuses STARTTLS: no").replayEveryWay();
        }
        // What was promised inside TLS is not offered in clear.
        under(TlsPolicy.may(), LEG_GONE, "server: 454 no\n", NOT_REPLACEABLE.replace("server gets nothing", "server gets: QUIT")).replayEveryWay();
    }

    @Test
    void handshakeFailsWhereTlsIsDemanded() {
        for (var event : new String[] {"(server TLS fails: x)", "(server closes)", "(time passes: 60 s)"}) {
            for (var policy : DEMANDED) {
                under(policy, HANDSHAKE, event + "\n", NOT_REPLACEABLE).replayEveryWay();
            }
        }
    }

    @Test
    void wrongCertificate() {
        under(TlsPolicy.verify("mx.example.net"), HANDSHAKE, "(server TLS established with a certificate for other names)\nserver gets: EHLO a.example\n",
                EHLO_IN_TLS, NOT_REPLACEABLE.replace("server gets nothing", "server gets: QUIT"))
                .records("session", "session SERVER_GONE 2 : the server's certificate is not verified: it is made out to other names")
                .replayEveryWay();
    }

    @Test
    void fallsBackToClearIfThatOffersAll() {
        under(TlsPolicy.may(), HANDSHAKE, "(time passes: 60 s)\n", IN_CLEAR, EHLO_IN_TLS, NEXT_MAIL, QUIT)
                .recording(recorder -> assertThat(recorder.session().serverTls()).isEmpty()).replayEveryWay();
        under(TlsPolicy.may(), HANDSHAKE, "(time passes: 60 s)\n", IN_CLEAR, "server: 250 mx\n",
                NOT_REPLACEABLE.replace("server gets nothing", "server gets: QUIT")).replayEveryWay();
    }

    @Test
    void fallbackThatGreetsWithARefusal() {
        under(TlsPolicy.may(), HANDSHAKE, "(time passes: 60 s)\n", """
                (server connects)
                server: 450 4.7.1 later
                client gets: 421 4.4.2 Server refused a second connection after TLS had failed, closing
                """).replayEveryWay();
    }

    @Test
    void says421() {
        for (var policy : TlsDialogues.ALL_WANTED) {
            under(policy, LEG_GONE, "server: 421 4.3.2 no\n", "client gets: 421 4.3.2 no\nclient leg: lingers\nserver gets nothing\n").replayEveryWay();
        }
    }

    @Test
    void textBehindThe220() {
        for (var policy : TlsDialogues.ALL_WANTED) {
            under(policy, LEG_GONE, "server: 220 go\\r\\n250 x\n", """
                    client gets: 421 4.7.0 Server sent text behind its reply to STARTTLS, closing
                    server leg: aborted
                    """).replayEveryWay();
        }
    }

    @Test
    void isNotLostForTheRecordWhenTheLegIsGone() {
        under(TlsPolicy.may(), LEG_GONE.substring(0, LEG_GONE.indexOf("client: MAIL FROM:<a@example.com>\n(server connects)")), """
                client: QUIT
                client gets: 221 2.0.0 Bye
                """).recording(recorder -> assertThat(recorder.session().serverTls()).isPresent()).replayEveryWay();
    }

    @Test
    void isNotMadeInClearForAClientWhoseEhloWasNeverAccepted() {
        under(TlsPolicy.encrypt(), TlsDialogues.HANDSHAKE, """
                (server TLS established)
                server gets: EHLO a.example
                server: 550 no
                client gets: 550 no
                client: MAIL FROM:<a@example.com>
                server gets: MAIL FROM:<a@example.com>
                server: 250 ok
                client gets: 250 ok
                client: RCPT TO:<b@example.net>
                server gets: RCPT TO:<b@example.net>
                server: 250 ok
                client gets: 250 ok
                client: DATA
                server gets: DATA
                server: 354 go
                client gets: 354 go
                (server closes)
                client: .
                client gets: 451 4.4.2 Server closed the connection in the middle of the message
                client: MAIL FROM:<a@example.com>
                (server connects)
                server: 220 mx.example.net ESMTP
                server gets nothing
                client gets: 421 4.4.2 Server connection is gone and can't be replaced unseen, closing
                """).replayEveryWay();
    }

    @Test
    void heloClient() {
        under(TlsPolicy.encrypt(), HANDSHAKE.replace("client: EHLO a.example", "client: HELO a.example")
                .replaceAll("client gets: 250-(.*\\n)client gets: 250-.*\\nclient gets: 250-.*\\nclient gets: 250 .*\\n", "client gets: 250 $1")
                .replace("""
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
                        """, """
                        server gets: MAIL FROM:<a@example.com>
                        server: 250 ok
                        client gets: 250 ok
                        client: RCPT TO:<b@example.net>
                        server gets: RCPT TO:<b@example.net>
                        server: 250 ok
                        client gets: 250 ok
                        client: DATA
                        server gets: DATA
                        server: 354 go
                        client gets: 354 go
                        """), """
                (server TLS established)
                server gets: EHLO a.example
                server: 250 mx
                """, NEXT_MAIL, QUIT).replayEveryWay();
    }
}
