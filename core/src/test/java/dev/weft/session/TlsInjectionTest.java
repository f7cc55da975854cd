package dev.weft.session;

import static dev.weft.session.Dialogues.SERIAL;
import static dev.weft.session.TlsDialogues.ALL_WANTED;
import static dev.weft.session.TlsDialogues.HANDSHAKE;
import static dev.weft.session.TlsDialogues.STARTTLS_SENT;
import static dev.weft.session.TlsDialogues.offered;
import static dev.weft.session.TlsDialogues.under;

import org.junit.jupiter.api.Test;

/** Text in clear where TLS is due is an attack, wherever it is cut (RFC 3207 §6). */
class TlsInjectionTest {

    @Test
    void textBehindThe220EndsTheSession() {
        var texts = new String[] {"250 mx\\r\\n", "2", "250-mx\\r\\n250 AUTH PLAIN\\r\\n", "\\r\\n", "x", "\\x16\\x03"};
        for (var policy : ALL_WANTED) {
            for (var text : texts) {
                under(policy, STARTTLS_SENT, "server: 220 go\\r\\n" + text + "\\\n", """
                        client gets: 421 4.7.0 Server sent text behind its reply to STARTTLS, closing
                        client leg: lingers
                        server leg: aborted
                        server gets nothing
                        (no TLS is ordered)
                        """).records("session", "session OUT_OF_STEP 0 : text behind the reply to STARTTLS").replayEveryWay();
            }
        }
    }

    @Test
    void textInALaterPieceIsNoHandshake() {
        for (var policy : ALL_WANTED) {
            under(policy, HANDSHAKE, """
                    server: 250 mx
                    client gets: 421 4.7.0 Server sent text behind its reply to STARTTLS, closing
                    server leg: aborted
                    """).replayEveryWay();
        }
    }

    @Test
    void secondReplyBehindARefusalIsOutOfStep() {
        under(ALL_WANTED[0], STARTTLS_SENT, """
                server: 454 no
                server: 250 what
                client gets: 250-mx.example.net
                client gets: 250-SIZE 10000
                client gets: 250 CHUNKING
                client gets: 421 4.5.0 Server sent a reply that answers no command, closing
                """).replayEveryWay();
    }

    @Test
    void textBehindStartTlsIsNeverActedOn() {
        for (var text : new String[] {"MAIL FROM:<x@example.com>\\r\\n", "M", "EHLO evil\\r\\nMAIL FROM:<x@example.com>\\r\\n", "\\r\\n", "\\x16\\x03\\x01"}) {
            offered(SERIAL.replace("client gets: 250 mx.example.net", "client gets: 250-mx.example.net\nclient gets: 250 STARTTLS"),
                    "client: STARTTLS\\r\\n" + text + "\\\n", """
                    client gets: 220 2.0.0 Ready to start TLS
                    (session ended)
                    client leg: lingers
                    (no TLS is ordered)
                    server gets: QUIT
                    """).records("session", "session OUT_OF_STEP 0 : text behind STARTTLS").replayEveryWay();
        }
    }

    @Test
    void textThatWaitedBehindStartTlsIsNeverActedOn() {
        offered(SERIAL.replace("client gets: 250 mx.example.net", "client gets: 250-mx.example.net\nclient gets: 250 STARTTLS"), """
                client: NOOP
                client: STARTTLS
                client: MAIL FROM:<x@example.com>
                server gets: NOOP
                server: 250 ok
                client gets: 250 ok
                client gets: 220 2.0.0 Ready to start TLS
                (session ended)
                server gets: QUIT
                """).replayEveryWay();
    }
}
