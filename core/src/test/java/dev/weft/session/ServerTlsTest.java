package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.TlsDialogues.ALL_WANTED;
import static dev.weft.session.TlsDialogues.DEMANDED;
import static dev.weft.session.TlsDialogues.HANDSHAKE;
import static dev.weft.session.TlsDialogues.IN_TLS;
import static dev.weft.session.TlsDialogues.MESSAGE;
import static dev.weft.session.TlsDialogues.STARTTLS_SENT;
import static dev.weft.session.TlsDialogues.under;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.Stage;
import dev.weft.relay.TlsPolicy;
import org.junit.jupiter.api.Test;

/** TLS on the server leg where all goes well, and where the server has none to give. */
class ServerTlsTest {

    @Test
    void clientSeesWhatHoldsInsideTls() {
        for (var policy : ALL_WANTED) {
            under(policy, IN_TLS, MESSAGE, QUIT).records("notice session", "session QUIT 1").recording(recorder -> {
                var record = recorder.session();
                assertThat(record.serverTls()).isPresent();
                assertThat(record.serverTls().get().facts().serverName()).contains("mx.example.net");
                assertThat(record.tlsFailure()).isEmpty();
                assertThat(record.clientTls()).isEmpty();
                assertThat(record.passedThrough()).isFalse();
                assertThat(record.stages()).containsKeys(Stage.EHLO, Stage.STARTTLS, Stage.EHLO2);
            }).replayEveryWay();
        }
    }

    @Test
    void policyNoneLeavesStartTlsAlone() {
        under(TlsPolicy.none(), GREETED, """
                client: EHLO a.example
                server gets: EHLO a.example
                server: 250-mx.example.net
                server: 250-STARTTLS
                server: 250 SIZE 1
                (no TLS is ordered)
                client gets: 250-mx.example.net
                client gets: 250 SIZE 1
                client: STARTTLS
                client gets: 502 5.5.1 Command not offered
                """, MESSAGE, QUIT).records("notice", "").replayEveryWay();
    }

    @Test
    void startTlsIsSeenInAnyPlaceAndCase() {
        var offers = new String[] {
            "server: 250-mx\nserver: 250-STARTTLS\nserver: 250 SIZE 1\n",
            "server: 250-mx\nserver: 250-SIZE 1\nserver: 250-starttls\nserver: 250 HELP\n",
            "server: 250-mx\nserver: 250-SIZE 1\nserver: 250 StartTLS\n",
            "server: 250-mx\nserver: 250 STARTTLS\n",
            "server: 250-mx\nserver: 250-SIZE 1\nserver: 250 STARTTLS \\s\\s\n",
            "server: 250-mx\nserver: 250-STARTTLS\\t\nserver: 250-odd!line\nserver: 250\n",
        };
        for (var offer : offers) {
            for (var policy : ALL_WANTED) {
                under(policy, GREETED, "client: EHLO a\nserver gets: EHLO a\n", offer, """
                        server gets: STARTTLS
                        server: 220 go
                        (server TLS is ordered, asking for mx.example.net)
                        (server TLS established)
                        server gets: EHLO a
                        server: 250 mx
                        client gets: 250 mx
                        """, QUIT).replayEveryWay();
            }
        }
    }

    @Test
    void maskedStartTlsIsNotOffered() {
        under(TlsPolicy.may(), GREETED, """
                client: EHLO a
                server gets: EHLO a
                server: 250-mx
                server: 250 XXXXXXXA
                client gets: 250 mx
                """, MESSAGE, QUIT).records("notice", "notice TLS_FALLBACK the server does not offer STARTTLS").replayEveryWay();
    }

    @Test
    void startTlsOfferedInsideTlsIsNotShown() {
        under(TlsPolicy.may(), HANDSHAKE, """
                (server TLS established)
                server gets: EHLO a.example
                server: 250-mx
                server: 250 STARTTLS
                client gets: 250 mx
                client: STARTTLS
                client gets: 502 5.5.1 Command not offered
                """, QUIT).replayEveryWay();
    }

    @Test
    void refusedStartTlsGoesOnInClearOnTheSameConnection() {
        for (var refusal : new String[] {"454 4.7.0 TLS not available", "502 5.5.1 no", "500 what", "250 ok"}) {
            under(TlsPolicy.may(), STARTTLS_SENT, "server: " + refusal + "\n", """
                    (no TLS is ordered)
                    client gets: 250-mx.example.net
                    client gets: 250-SIZE 10000
                    client gets: 250 CHUNKING
                    (server TLS is not remembered as broken)
                    """, MESSAGE, QUIT).recording(recorder -> {
                assertThat(recorder.session().serverTls()).isEmpty();
                assertThat(recorder.session().tlsFailure()).hasValue("the server refuses STARTTLS: " + refusal.substring(4));
                assertThat(recorder.lines("notice")).containsExactly("notice TLS_FALLBACK the server refuses STARTTLS: " + refusal.substring(4));
            }).replayEveryWay();
        }
    }

    @Test
    void nameOfTheRouteIsAskedForAndSaid() {
        under(TlsPolicy.may(), GREETED, """
                client: EHLO a.example
                server gets: EHLO proxy.example
                server: 250-mx
                server: 250 STARTTLS
                server gets: STARTTLS
                server: 220 go
                (server TLS is ordered, asking for mx9.example.net)
                (server TLS established)
                server gets: EHLO proxy.example
                server: 250 mx
                client gets: 250 mx
                """, QUIT).route(route -> route.withTls(TlsPolicy.may()).withEhloName("proxy.example").withServerName("MX9.example.net."))
                .replayEveryWay();
    }

    @Test
    void announcedNameIsAskedForOnlyIfItIsAHostName() {
        var greetings = new String[][] {
            {"220 MX.Example.net ESMTP", "MX.Example.net"}, {"220-mx.example.net x\nserver: 220 y", "mx.example.net"}, {"220 [192.0.2.25] hi", "no name"},
            {"220 192.0.2.25 hi", "no name"}, {"220 ****2******0*", "no name"}, {"220 localhost", "no name"}, {"220", "no name"},
            {"220 mx_1.example.net", "no name"}, {"220 mx.example.net. hi", "mx.example.net"},
        };
        for (var greeting : greetings) {
            under(TlsPolicy.may(), "(server connects)\nserver: " + greeting[0] + "\nclient gets: " + greeting[0].replace("server:", "client gets:")
                    + "\n", """
                    client: EHLO a
                    server gets: EHLO a
                    server: 250-mx
                    server: 250 STARTTLS
                    server gets: STARTTLS
                    server: 220 go
                    """, "(server TLS is ordered, asking for " + greeting[1] + ")\n").replayEveryWay();
        }
    }

    @Test
    void secondEhloStaysInsideTheSameTls() {
        for (var policy : ALL_WANTED) {
            under(policy, IN_TLS, """
                    client: EHLO b.example
                    server gets: EHLO b.example
                    server: 250-mx.example.net
                    server: 250 SIZE 7
                    client gets: 250-mx.example.net
                    client gets: 250 SIZE 7
                    (no TLS is ordered)
                    """, MESSAGE, QUIT).replayEveryWay();
        }
    }

    @Test
    void serverKnownAsBrokenIsNotTriedAtMay() {
        under(TlsPolicy.may(), GREETED, """
                client: EHLO a.example
                server gets: EHLO a.example
                server: 250-mx.example.net
                server: 250 STARTTLS
                (no TLS is ordered)
                client gets: 250 mx.example.net
                """, MESSAGE, QUIT).serverTlsIsKnownAsBroken().recording(recorder -> {
            assertThat(recorder.session().tlsFailure()).hasValue("TLS failed on this server a short while ago");
            assertThat(recorder.lines("notice")).containsExactly("notice TLS_FALLBACK TLS failed on this server a short while ago");
        }).replayEveryWay();
    }

    @Test
    void serverKnownAsBrokenIsTriedWhereTlsIsDemanded() {
        for (var policy : DEMANDED) {
            under(policy, IN_TLS, QUIT).serverTlsIsKnownAsBroken().replayEveryWay();
        }
    }

    @Test
    void refusingGreetingBeginsNoTls() {
        under(TlsPolicy.encrypt(), """
                (server connects)
                server: 554 5.7.1 no
                client gets: 554 5.7.1 no
                (no TLS is ordered)
                """, QUIT).replayEveryWay();
    }

    @Test
    void nameThatTheServerRefusesIsLeftOutOnASecondConnection() {
        under(TlsPolicy.may(), HANDSHAKE, """
                (server TLS fails: unrecognized_name)
                server leg: connecting
                client gets nothing
                (server connects)
                server: 220 mx.example.net ESMTP
                server gets: EHLO a.example
                server: 250-mx.example.net
                server: 250 STARTTLS
                server gets: STARTTLS
                server: 220 go
                (server TLS is ordered, asking for no name)
                (server TLS established)
                server gets: EHLO a.example
                server: 250 mx
                client gets: 250 mx
                (server TLS is not remembered as broken)
                """, QUIT).recording(recorder -> {
            assertThat(recorder.session().serverTls()).isPresent();
            assertThat(recorder.session().tlsFailure()).isEmpty();
            assertThat(recorder.lines("notice")).isEmpty();
        }).replayEveryWay();
    }
}
