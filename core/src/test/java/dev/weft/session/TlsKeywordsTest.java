package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.TlsDialogues.EHLO_IN_TLS;
import static dev.weft.session.TlsDialogues.HANDSHAKE;
import static dev.weft.session.TlsDialogues.IN_TLS;
import static dev.weft.session.TlsDialogues.under;

import dev.weft.relay.TlsPolicy;
import dev.weft.session.Arrival.TlsOffer;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Keywords that hang on the TLS of both legs: AUTH, REQUIRETLS, STARTTLS. */
class TlsKeywordsTest {

    private static final String SEEN_FROM_TLS = """
            client gets: 250-mx.example.net
            client gets: 250-SIZE 50000000
            client gets: 250-AUTH PLAIN
            client gets: 250-SMTPUTF8
            client gets: 250-REQUIRETLS
            client gets: 250 PIPELINING
            """;

    private static String ehlo(String how) {
        return HANDSHAKE + "(server TLS established" + how + ")\nserver gets: EHLO a.example\n" + EHLO_IN_TLS;
    }

    @Test
    void authIsWithheldFromAClientInClear() {
        under(TlsPolicy.may(), IN_TLS, """
                client: AUTH PLAIN AAAA
                client gets: 503 5.5.1 AUTH was not offered
                server gets nothing
                """, QUIT).replayEveryWay();
    }

    @Test
    void authPassesInClearWhereAHostWantsIt() {
        under(TlsPolicy.may(), ehlo(""), SEEN_FROM_TLS.replace("client gets: 250-REQUIRETLS\n", ""), """
                client: AUTH PLAIN AAAA
                server gets: AUTH PLAIN AAAA
                server: 235 yes
                client gets: 235 yes
                """, QUIT).settings(SessionSettings.DEFAULT.withAuthInClear(true)).replayEveryWay();
    }

    @Test
    void authPassesWhereBothLegsAreInClear() {
        under(TlsPolicy.may(), GREETED, """
                client: EHLO a
                server gets: EHLO a
                server: 250-mx
                server: 250 AUTH PLAIN
                client gets: 250-mx
                client gets: 250 AUTH PLAIN
                """, QUIT).replayEveryWay();
    }

    @Test
    void authIsNotShownWhereItWouldBeRefusedForWantOfTls() {
        for (var setting : new boolean[] {false, true}) {
            under(TlsPolicy.none(), GREETED, """
                    client: EHLO a
                    server gets: EHLO a
                    server: 250-mx
                    server: 250 AUTH PLAIN
                    client gets: 250-mx
                    client gets: 250 STARTTLS
                    client: STARTTLS
                    client gets: 220 2.0.0 Ready to start TLS
                    (client TLS established)
                    client: EHLO a
                    client gets: 250-mx
                    client gets: 250 AUTH PLAIN
                    """, QUIT).clientIsOffered(TlsOffer.REQUIRED).settings(SessionSettings.DEFAULT.withAuthInClear(setting)).replayEveryWay();
        }
    }

    @Test
    void startTlsAfterAuthIsRefused() {
        under(TlsPolicy.none(), GREETED, """
                client: EHLO a
                server gets: EHLO a
                server: 250-mx
                server: 250 AUTH PLAIN
                client gets: 250-mx
                client gets: 250-AUTH PLAIN
                client gets: 250 STARTTLS
                client: AUTH PLAIN AAAA
                server gets: AUTH PLAIN AAAA
                server: 235 yes
                client gets: 235 yes
                client: STARTTLS
                client gets: 503 5.5.1 STARTTLS comes before AUTH
                (no TLS is ordered)
                """, QUIT).clientIsOffered(TlsOffer.OFFERED).replayEveryWay();
    }

    @Test
    void requireTlsPassesWhereBothLegsKeepIt() {
        for (var policy : TlsDialogues.ALL_WANTED) {
            under(policy, ehlo(""), SEEN_FROM_TLS, """
                    client: MAIL FROM:<a@example.com> REQUIRETLS
                    server gets: MAIL FROM:<a@example.com> REQUIRETLS
                    server: 250 ok
                    client gets: 250 ok
                    """, QUIT).clientLegStartsInTls().replayEveryWay();
        }
    }

    @Test
    void requireTlsIsWithheldWhereTheServerIsNotVerified() {
        for (var how : new String[] {"that is not trusted", "for other names"}) {
            under(TlsPolicy.may(), ehlo(" with a certificate " + how), SEEN_FROM_TLS.replace("client gets: 250-REQUIRETLS\n", ""), """
                    client: MAIL FROM:<a@example.com> REQUIRETLS
                    client gets: 550 5.7.30 REQUIRETLS can't be kept: it was not offered
                    server gets nothing
                    """, QUIT).clientLegStartsInTls().replayEveryWay();
        }
    }

    @Test
    void requireTlsIsWithheldFromAClientInClear() {
        under(TlsPolicy.verify("mx.example.net"), IN_TLS, """
                client: MAIL FROM:<a@example.com> BODY=8BITMIME requiretls
                client gets: 550 5.7.30 REQUIRETLS can't be kept: it was not offered
                client: MAIL FRM:<a> REQUIRETLS
                client gets: 550 5.7.30 REQUIRETLS can't be kept: it was not offered
                server gets nothing
                client: MAIL FROM:<requiretls@example.com> BODY=8BITMIME
                server gets: MAIL FROM:<requiretls@example.com> BODY=8BITMIME
                server: 250 ok
                client gets: 250 ok
                """, QUIT).records("transaction", """
                transaction 1 <a@example.com> to  : 0 octets REFUSED 550 5.7.30 REQUIRETLS can't be kept: it was not offered
                transaction 2 unparsed: FRM:<a> REQUIRETLS to  : 0 octets REFUSED 550 5.7.30 REQUIRETLS can't be kept: it was not offered
                transaction 3 <requiretls@example.com> to  : 0 octets ABANDONED""").replayEveryWay();
    }

    @Test
    void requireTlsIsWithheldWhereTheServerLegIsInClear() {
        under(TlsPolicy.none(), GREETED, """
                client: EHLO a
                server gets: EHLO a
                server: 250-mx
                server: 250 REQUIRETLS
                client gets: 250 mx
                client: MAIL FROM:<> REQUIRETLS
                client gets: 550 5.7.30 REQUIRETLS can't be kept: it was not offered
                server gets nothing
                """, QUIT).clientLegStartsInTls().replayEveryWay();
    }

    @Test
    void requireTlsIsRefusedToAHeloClient() {
        under(TlsPolicy.none(), GREETED, """
                client: HELO a
                server gets: HELO a
                server: 250 mx
                client gets: 250 mx
                client: MAIL FROM:<> REQUIRETLS
                client gets: 550 5.7.30 REQUIRETLS can't be kept: it was not offered
                server gets nothing
                """, QUIT).replayEveryWay();
    }

    @Test
    void listOfKeywordsCantShowTheServersStartTls() {
        under(TlsPolicy.none(), GREETED, """
                client: EHLO a
                server gets: EHLO a
                server: 250-mx
                server: 250-STARTTLS
                server: 250-REQUIRETLS
                server: 250 XFOO
                client gets: 250-mx
                client gets: 250 XFOO
                """, QUIT).settings(SessionSettings.DEFAULT.withEhloKeywords(Set.of("STARTTLS", "REQUIRETLS", "XFOO"))).replayEveryWay();
    }
}
