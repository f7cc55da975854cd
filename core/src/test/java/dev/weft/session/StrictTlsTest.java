package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.TlsDialogues.DEMANDED;
import static dev.weft.session.TlsDialogues.EHLO_IN_TLS;
import static dev.weft.session.TlsDialogues.HANDSHAKE;
import static dev.weft.session.TlsDialogues.LEARNT_IN_CLEAR;
import static dev.weft.session.TlsDialogues.MESSAGE;
import static dev.weft.session.TlsDialogues.SEEN_FROM_CLEAR;
import static dev.weft.session.TlsDialogues.STARTTLS_SENT;
import static dev.weft.session.TlsDialogues.under;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.TlsPolicy;
import org.junit.jupiter.api.Test;

/** Policies that demand TLS: no mail reaches the server without it, and the client is told why at MAIL. */
class StrictTlsTest {

    /** Everything that carries mail or asks the server something gets the 451. */
    private static String withheld(String why) {
        var refusal = "client gets: 451 4.7.5 TLS policy can't be met: " + why + "\n";
        return "client: MAIL FROM:<a@example.com>\n" + refusal
                + "client: RCPT TO:<b@example.net>\n" + refusal
                + "client: DATA\n" + refusal
                + "client: BDAT 5 LAST\nclient: QUIT\\\n" + refusal.replace("client gets: ", "client gets nothing\nclient: x\\\nclient gets: ")
                + "client: VRFY x\n" + refusal
                + "client: XFOO\n" + refusal
                + "client: AUTH PLAIN AAAA\n" + refusal
                + "server gets nothing\n";
    }

    private static final String ANSWERED_HERE = """
            server leg: aborted
            client: RSET
            client gets: 250 2.0.0 Ok
            client: NOOP
            client gets: 250 2.0.0 Ok
            client: QUIT
            client gets: 221 2.0.0 Bye
            client leg: lingers
            """;

    private static final String PASSED = """
            client: RSET
            server gets: RSET
            server: 250 reset
            client gets: 250 reset
            client: NOOP
            server gets: NOOP
            server: 250 noop
            client gets: 250 noop
            """ + QUIT;

    private static void unmet(String why, String begin, String end) {
        for (var policy : DEMANDED) {
            under(policy, begin, withheld(why), end).recording(recorder -> {
                assertThat(recorder.lines("notice")).containsExactly("notice TLS_UNMET " + why);
                assertThat(recorder.session().tlsFailure()).hasValue(why);
                assertThat(recorder.session().transactions()).isZero();
            }).replayEveryWay();
        }
    }

    @Test
    void startTlsNotOffered() {
        unmet("the server does not offer STARTTLS", GREETED + """
                client: EHLO a.example
                server gets: EHLO a.example
                server: 250-mx.example.net
                server: 250-SIZE 10000
                server: 250 CHUNKING
                """ + LEARNT_IN_CLEAR, PASSED);
    }

    @Test
    void startTlsRefused() {
        for (var refusal : new String[] {"454 4.7.0 not now", "502 5.5.1 no"}) {
            unmet("the server refuses STARTTLS: " + refusal.substring(4), STARTTLS_SENT + "server: " + refusal + "\n" + LEARNT_IN_CLEAR, PASSED);
        }
    }

    @Test
    void handshakeFailed() {
        unmet("TLS failed: bad_certificate", HANDSHAKE + "(server TLS fails: bad_certificate)\n" + LEARNT_IN_CLEAR, ANSWERED_HERE);
    }

    @Test
    void handshakeCut() {
        unmet("TLS failed: the server closed the connection", HANDSHAKE + "(server closes)\n" + LEARNT_IN_CLEAR, ANSWERED_HERE);
    }

    @Test
    void handshakeStalled() {
        unmet("TLS failed: the handshake did not finish in time", HANDSHAKE + "(time passes: 60 s)\n" + LEARNT_IN_CLEAR, ANSWERED_HERE);
    }

    @Test
    void noReplyToStartTls() {
        unmet("TLS failed: no reply to STARTTLS in time", STARTTLS_SENT + "(time passes: 60 s)\n" + LEARNT_IN_CLEAR, ANSWERED_HERE);
    }

    @Test
    void closeAtStartTls() {
        unmet("TLS failed: the server closed the connection at STARTTLS", STARTTLS_SENT + "(server closes)\n" + LEARNT_IN_CLEAR, ANSWERED_HERE);
    }

    @Test
    void closeAfterTheHandshake() {
        unmet("TLS failed: the server closed the connection after the TLS handshake", HANDSHAKE + """
                (server TLS established)
                server gets: EHLO a.example
                (server closes)
                """ + LEARNT_IN_CLEAR, ANSWERED_HERE);
    }

    @Test
    void failedTlsIsNotRememberedAsBroken() {
        under(TlsPolicy.encrypt(), HANDSHAKE, "(server TLS fails: x)\n", LEARNT_IN_CLEAR, "(server TLS is not remembered as broken)\n").replayEveryWay();
    }

    @Test
    void reasonCantInjectAReply() {
        under(TlsPolicy.encrypt(), HANDSHAKE, "(server TLS fails: no\u560d\u560a250 way)\n", LEARNT_IN_CLEAR, """
                client: MAIL FROM:<a@example.com>
                client gets: 451 4.7.5 TLS policy can't be met: TLS failed: no??250 way
                """).replayEveryWay();
    }

    @Test
    void encryptTakesAnyCertificate() {
        for (var how : new String[] {"that is not trusted", "for other names"}) {
            under(TlsPolicy.encrypt(), HANDSHAKE, "(server TLS established with a certificate " + how + ")\nserver gets: EHLO a.example\n",
                    EHLO_IN_TLS, SEEN_FROM_CLEAR, MESSAGE, QUIT).recording(recorder -> {
                assertThat(recorder.session().serverTls().orElseThrow().peer().verified()).isFalse();
                assertThat(recorder.session().tlsFailure()).isEmpty();
            }).replayEveryWay();
        }
    }

    @Test
    void verifyTakesNoOtherCertificate() {
        var reasons = new String[][] {
            {"that is not trusted", "the server's certificate is not verified: self-signed"},
            {"for other names", "the server's certificate is not verified: it is made out to other names"},
        };
        for (var reason : reasons) {
            var begin = HANDSHAKE + "(server TLS established with a certificate " + reason[0] + ")\nserver gets: EHLO a.example\n" + EHLO_IN_TLS + SEEN_FROM_CLEAR;
            under(TlsPolicy.verify("mx.example.net"), begin, withheld(reason[1]), PASSED).recording(recorder -> {
                assertThat(recorder.session().serverTls()).isPresent();
                assertThat(recorder.session().tlsFailure()).hasValue(reason[1]);
                assertThat(recorder.lines("notice")).containsExactly("notice TLS_UNMET " + reason[1]);
            }).replayEveryWay();
        }
    }

    @Test
    void secondEhloDoesNotMakeACertificateBetter() {
        under(TlsPolicy.verify("mx.example.net"), HANDSHAKE, """
                (server TLS established with a certificate for other names)
                server gets: EHLO a.example
                server: 250 mx
                client gets: 250 mx
                client: EHLO a.example
                server gets: EHLO a.example
                server: 250 mx
                client gets: 250 mx
                client: MAIL FROM:<a@example.com>
                client gets: 451 4.7.5 TLS policy can't be met: the server's certificate is not verified: it is made out to other names
                server gets nothing
                """, QUIT).replayEveryWay();
    }

    @Test
    void laterEhloTriesAgain() {
        for (var policy : DEMANDED) {
            under(policy, HANDSHAKE, "(server TLS fails: x)\n", LEARNT_IN_CLEAR, """
                    client: EHLO a.example
                    server leg: connecting
                    (server connects)
                    server: 220 mx.example.net
                    server gets: EHLO a.example
                    server: 250-mx
                    server: 250 STARTTLS
                    server gets: STARTTLS
                    server: 220 go
                    (server TLS is ordered, asking for mx.example.net)
                    (server TLS established)
                    server gets: EHLO a.example
                    server: 250 mx
                    client gets: 250 mx
                    """, MESSAGE, QUIT).recording(recorder -> {
                assertThat(recorder.session().tlsFailure()).isEmpty();
                assertThat(recorder.session().serverTls()).isPresent();
            }).replayEveryWay();
            under(policy, STARTTLS_SENT, "server: 454 not now\n", LEARNT_IN_CLEAR, """
                    client: EHLO a.example
                    server gets: EHLO a.example
                    server: 250-mx
                    server: 250 STARTTLS
                    server gets: STARTTLS
                    server: 220 go
                    (server TLS established)
                    server gets: EHLO a.example
                    server: 250 mx
                    client gets: 250 mx
                    """, MESSAGE, QUIT).replayEveryWay();
        }
    }

    @Test
    void laterEhloHasOneBudgetForTheNewConnectionAndAllBehindIt() {
        under(TlsPolicy.encrypt(), HANDSHAKE, "(server TLS fails: x)\n", LEARNT_IN_CLEAR, """
                client: EHLO a.example
                (time passes: 20 s)
                (server connects)
                (time passes: 200 s)
                server: 220 mx.example.net
                server gets: EHLO a.example
                (time passes: 49 s)
                client gets nothing
                (time passes: 1 s)
                client gets: 421 4.4.2 Server did not answer in time
                """).replayEveryWay();
        under(TlsPolicy.encrypt(), HANDSHAKE, "(server TLS established)\nserver gets: EHLO a.example\n", EHLO_IN_TLS, SEEN_FROM_CLEAR, """
                (time passes: 299 s)
                client: EHLO a.example
                server gets: EHLO a.example
                (time passes: 269 s)
                client gets nothing
                (time passes: 1 s)
                client gets: 421 4.4.2 Server did not answer in time
                """).replayEveryWay();
    }

    @Test
    void laterEhloFindsTheServerGone() {
        under(TlsPolicy.encrypt(), HANDSHAKE, "(server TLS fails: x)\n", LEARNT_IN_CLEAR, """
                client: EHLO a.example
                (server refuses: Connection refused)
                client gets: 421 4.4.1 Server can't be reached: Connection refused
                """).replayEveryWay();
    }

    @Test
    void noMailPassesBeforeEhlo() {
        for (var policy : DEMANDED) {
            under(policy, GREETED, """
                    client: MAIL FROM:<a@example.com>
                    client gets: 503 5.5.1 EHLO or HELO first
                    client: BDAT 3 LAST
                    client: abcXFOO
                    client gets: 503 5.5.1 EHLO or HELO first
                    client gets: 503 5.5.1 EHLO or HELO first
                    client: NOOP
                    server gets: NOOP
                    server: 250 ok
                    client gets: 250 ok
                    """, QUIT).replayEveryWay();
        }
    }

    @Test
    void heloClientIsToldAtMail() {
        for (var policy : DEMANDED) {
            under(policy, GREETED, """
                    client: HELO a.example
                    server gets: EHLO a.example
                    server: 250-mx.example.net hi
                    server: 250 SIZE 1
                    client gets: 250 mx.example.net hi
                    client: MAIL FROM:<a@example.com>
                    client gets: 451 4.7.5 TLS policy can't be met: the server does not offer STARTTLS
                    server gets nothing
                    """, QUIT).replayEveryWay();
        }
    }

    @Test
    void pipelinedMailWaitsForTheEndOfTheExchange() {
        under(TlsPolicy.encrypt(), HANDSHAKE, """
                client: MAIL FROM:<a@example.com>
                client: QUIT
                client gets nothing
                (server TLS fails: x)
                """, LEARNT_IN_CLEAR.strip(), "\n", """
                client gets: 451 4.7.5 TLS policy can't be met: TLS failed: x
                client gets: 221 2.0.0 Bye
                """).replayEveryWay();
    }
}
