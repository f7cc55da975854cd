package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.TlsDialogues.ALL_WANTED;
import static dev.weft.session.TlsDialogues.DEMANDED;
import static dev.weft.session.TlsDialogues.EHLO_IN_TLS;
import static dev.weft.session.TlsDialogues.HANDSHAKE;
import static dev.weft.session.TlsDialogues.MESSAGE;
import static dev.weft.session.TlsDialogues.under;

import dev.weft.relay.TlsPolicy;
import org.junit.jupiter.api.Test;

/** HELO clients and servers without EHLO under a TLS policy. */
class TlsHelloTest {

    @Test
    void heloClientGetsTlsAndOneLine() {
        for (var policy : ALL_WANTED) {
            under(policy, GREETED, """
                    client: HELO a.example
                    server gets: EHLO a.example
                    server: 250-mx.example.net hello
                    server: 250 STARTTLS
                    server gets: STARTTLS
                    server: 220 go
                    (server TLS established)
                    server gets: EHLO a.example
                    """, EHLO_IN_TLS, """
                    client gets: 250 mx.example.net
                    client: MAIL FROM:<a@example.com>
                    client: NOOP
                    server gets: MAIL FROM:<a@example.com>
                    server: 250 ok
                    client gets: 250 ok
                    server gets: NOOP
                    server: 250 ok
                    client gets: 250 ok
                    """, QUIT).replayEveryWay();
        }
    }

    @Test
    void heloClientGetsOneLineWithoutTlsToo() {
        under(TlsPolicy.may(), GREETED, """
                client: HELO a.example
                server gets: EHLO a.example
                server: 250-mx.example.net hello
                server: 250 SIZE 1
                client gets: 250 mx.example.net hello
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void oddOctetsInTheFirstLineReachAHeloClientAsTheyAre() {
        under(TlsPolicy.may(), GREETED, """
                client: HELO a.example
                server gets: EHLO a.example
                server: 250-m\\rx \\xff\\0 hi
                server: 250 SIZE 1
                client gets: 250 m\\rx \\xff\\0 hi
                """, QUIT).replayEveryWay();
    }

    @Test
    void serverWithoutEhloGetsHelo() {
        for (var code : new int[] {500, 502, 504}) {
            under(TlsPolicy.may(), GREETED, "client: HELO a.example\nserver gets: EHLO a.example\nserver: " + code + " what\n", """
                    client gets nothing
                    server gets: HELO a.example
                    server: 250 old
                    client gets: 250 old
                    client: HELO a.example
                    server gets: HELO a.example
                    server: 250 old again
                    client gets: 250 old again
                    """, MESSAGE, QUIT).records("notice", "notice TLS_FALLBACK the server refuses EHLO: what").replayEveryWay();
        }
    }

    @Test
    void ehloRefusalIsRememberedForTheHeloThatFollows() {
        under(TlsPolicy.may(), GREETED, """
                client: EHLO a.example
                server gets: EHLO a.example
                server: 502 5.5.1 what
                client gets: 502 5.5.1 what
                client: HELO a.example
                server gets: HELO a.example
                server: 250 old
                client gets: 250 old
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void ehloRefusedForTheClientsSakeIsTheServersOwnWord() {
        for (var refusal : new String[] {"550 5.7.1 not you", "450 4.7.1 later", "501 5.5.4 bad name"}) {
            for (var policy : ALL_WANTED) {
                for (var verb : new String[] {"EHLO", "HELO"}) {
                    under(policy, GREETED, "client: " + verb + " a\nserver gets: EHLO a\nserver: " + refusal + "\nclient gets: " + refusal + "\n",
                            QUIT).replayEveryWay();
                }
            }
        }
    }

    @Test
    void serverWithoutEhloCantMeetAStricterPolicy() {
        for (var policy : DEMANDED) {
            for (var verb : new String[] {"EHLO", "HELO"}) {
                under(policy, GREETED, "client: " + verb + " a\nserver gets: EHLO a\nserver: 502 what\n", """
                        client gets: 451 4.7.5 TLS policy can't be met: the server refuses EHLO: what
                        client: HELO a
                        server gets: EHLO a
                        server: 502 what
                        client gets: 451 4.7.5 TLS policy can't be met: the server refuses EHLO: what
                        client: MAIL FROM:<a@example.com>
                        client gets: 451 4.7.5 TLS policy can't be met: the server refuses EHLO: what
                        server gets nothing
                        """, QUIT).replayEveryWay();
            }
        }
    }

    @Test
    void ehloRefusedInsideTlsIsRelayed() {
        for (var policy : ALL_WANTED) {
            under(policy, HANDSHAKE, """
                    (server TLS established)
                    server gets: EHLO a.example
                    server: 550 5.7.1 not like this
                    client gets: 550 5.7.1 not like this
                    """, QUIT).replayEveryWay();
        }
    }
}
