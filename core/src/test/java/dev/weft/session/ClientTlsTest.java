package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.TlsDialogues.CLIENT_SECURED;
import static dev.weft.session.TlsDialogues.EHLO_IN_TLS;
import static dev.weft.session.TlsDialogues.HANDSHAKE;
import static dev.weft.session.TlsDialogues.KNOWN;
import static dev.weft.session.TlsDialogues.MESSAGE;
import static dev.weft.session.TlsDialogues.OFFERED;
import static dev.weft.session.TlsDialogues.SEEN_FROM_CLEAR;
import static dev.weft.session.TlsDialogues.offered;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.TlsPolicy;
import dev.weft.session.Arrival.TlsOffer;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** TLS on the client leg: STARTTLS offered, demanded or not, and all forgotten that was said before it. */
class ClientTlsTest {

    @Test
    void secondEhloIsAnsweredWithoutAskingTheServerAgain() {
        offered(CLIENT_SECURED, KNOWN, MESSAGE, QUIT).recording(recorder -> {
            assertThat(recorder.session().clientTls()).isPresent();
            assertThat(recorder.session().serverTls()).isEmpty();
        }).replayEveryWay();
    }

    @Test
    void secondEhloWithAnotherNamePasses() {
        offered(CLIENT_SECURED, """
                client: EHLO b.example
                server gets: EHLO b.example
                server: 250 mx
                client gets: 250 mx
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void thirdEhloPassesLikeAnyOther() {
        offered(CLIENT_SECURED, KNOWN, """
                client: EHLO a.example
                server gets: EHLO a.example
                server: 250 mx
                client gets: 250 mx
                """, QUIT).replayEveryWay();
    }

    @Test
    void heloAfterTlsPasses() {
        offered(CLIENT_SECURED, """
                client: HELO a.example
                server gets: HELO a.example
                server: 250 mx
                client gets: 250 mx
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void ehloAfterAHeloInClearIsAskedOfTheServer() {
        offered(OFFERED, """
                client: HELO a.example
                server gets: HELO a.example
                server: 250 mx
                client gets: 250 mx
                client: STARTTLS
                client gets: 220 2.0.0 Ready to start TLS
                (client TLS established)
                client: EHLO a.example
                server gets: EHLO a.example
                server: 250-mx
                server: 250 SIZE 1
                client gets: 250-mx
                client gets: 250 SIZE 1
                """, QUIT).replayEveryWay();
    }

    @Test
    void startTlsBeforeAnyEhlo() {
        offered(GREETED, """
                client: STARTTLS
                client gets: 220 2.0.0 Ready to start TLS
                (client TLS established)
                client: EHLO a.example
                server gets: EHLO a.example
                server: 250 mx
                client gets: 250 mx
                """, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void allBeforeTlsIsForgotten() {
        offered(OFFERED, """
                client: MAIL FROM:<a@example.com>
                server gets: MAIL FROM:<a@example.com>
                server: 250 ok
                client gets: 250 ok
                client: STARTTLS
                client gets: 220 2.0.0 Ready to start TLS
                server gets nothing
                (client TLS established)
                server gets: RSET
                client: RCPT TO:<b@example.net>
                client: DATA
                client: MAIL FROM:<c@example.com>
                client: BDAT 1 LAST
                client: xVRFY x
                client gets nothing
                server: 250 reset
                client gets: 503 5.5.1 EHLO first: what was said before TLS does not count
                client gets: 503 5.5.1 EHLO first: what was said before TLS does not count
                client gets: 503 5.5.1 EHLO first: what was said before TLS does not count
                client gets: 503 5.5.1 EHLO first: what was said before TLS does not count
                client gets: 503 5.5.1 EHLO first: what was said before TLS does not count
                server gets nothing
                """, KNOWN, MESSAGE, QUIT).records("transaction", """
                transaction 1 <a@example.com> to  : 0 octets ABANDONED
                transaction 2 <a@example.com> to <b@example.net>=250 : 7 octets ACCEPTED 250 queued""").replayEveryWay();
    }

    @Test
    void answerToEhloWaitsForTheReset() {
        offered(OFFERED, """
                client: MAIL FROM:<a@example.com>
                server gets: MAIL FROM:<a@example.com>
                server: 250 ok
                client gets: 250 ok
                client: STARTTLS
                client gets: 220 2.0.0 Ready to start TLS
                (client TLS established)
                client: EHLO a.example
                client gets nothing
                server gets: RSET
                server: 250 reset
                client gets: 250-mx.example.net
                client gets: 250-SIZE 10000
                client gets: 250 PIPELINING
                """, QUIT).replayEveryWay();
    }

    @Test
    void harmlessCommandsPassAfterTlsBeforeEhlo() {
        offered(CLIENT_SECURED, """
                client: NOOP
                client: RSET
                server gets: NOOP
                server gets: RSET
                server: 250 noop
                server: 250 rset
                client gets: 250 noop
                client gets: 250 rset
                """, QUIT).replayEveryWay();
    }

    @Test
    void heloNameIsForgotten() {
        var seen = new TreeSet<String>();
        offered(CLIENT_SECURED, "client: NOOP\nserver gets: NOOP\nserver: 250 ok\nclient gets: 250 ok\n")
                .handler(() -> new RelayHandler() {
                    @Override
                    public void reply(RelaySession session, Command command, Reply reply) {
                        seen.add(command.text() + " as " + session.ehloName().orElse("nobody") + (session.clientTls().isPresent() ? " in TLS" : ""));
                    }
                }).replayEveryWay();
        assertThat(seen).containsExactly("EHLO a.example as a.example", "NOOP as nobody in TLS", "STARTTLS as a.example");
    }

    @Test
    void startTlsHasNoArgumentAndComesOnce() {
        offered(OFFERED, """
                client: STARTTLS now
                client gets: 501 5.5.4 STARTTLS takes no argument
                client: starttls\\s
                client gets: 220 2.0.0 Ready to start TLS
                (client TLS established)
                client: STARTTLS
                client gets: 503 5.5.1 TLS is active already
                """, KNOWN, """
                client: STARTTLS
                client gets: 503 5.5.1 TLS is active already
                """, QUIT).replayEveryWay();
    }

    @Test
    void startTlsThatIsNotOfferedIsRefused() {
        offered(OFFERED.replace("client gets: 250-PIPELINING\nclient gets: 250 STARTTLS\n", "client gets: 250 PIPELINING\n"), """
                client: STARTTLS
                client gets: 502 5.5.1 Command not offered
                server gets nothing
                """, MESSAGE, QUIT).clientIsOffered(TlsOffer.NONE).replayEveryWay();
    }

    @Test
    void implicitTlsOffersNoStartTls() {
        for (var offer : new TlsOffer[] {TlsOffer.NONE, TlsOffer.OFFERED, TlsOffer.REQUIRED}) {
            offered(OFFERED.replace("client gets: 250-PIPELINING\nclient gets: 250 STARTTLS\n", "client gets: 250 PIPELINING\n"), "client: STARTTLS\n",
                    offer == TlsOffer.NONE ? "client gets: 502 5.5.1 Command not offered\n" : "client gets: 503 5.5.1 TLS is active already\n",
                    MESSAGE, QUIT).clientIsOffered(offer).clientLegStartsInTls()
                    .recording(recorder -> assertThat(recorder.session().clientTls()).isPresent()).replayEveryWay();
        }
    }

    @Test
    void requiredTlsLetsNothingPassBeforeIt() {
        offered(OFFERED, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                client: BDAT 3 LAST
                client: abcVRFY x
                client: XFOO
                client: AUTH PLAIN AAAA
                client gets: 530 5.7.0 Must issue a STARTTLS command first
                client gets: 530 5.7.0 Must issue a STARTTLS command first
                client gets: 530 5.7.0 Must issue a STARTTLS command first
                client gets: 530 5.7.0 Must issue a STARTTLS command first
                client gets: 530 5.7.0 Must issue a STARTTLS command first
                client gets: 530 5.7.0 Must issue a STARTTLS command first
                client gets: 530 5.7.0 Must issue a STARTTLS command first
                client: NOOP
                server gets: NOOP
                server: 250 ok
                client gets: 250 ok
                client: STARTTLS
                client gets: 220 2.0.0 Ready to start TLS
                (client TLS established)
                """, KNOWN, MESSAGE, QUIT).clientIsOffered(TlsOffer.REQUIRED).replayEveryWay();
    }

    @Test
    void bothLegsInTls() {
        offered(HANDSHAKE, "(server TLS established)\nserver gets: EHLO a.example\n", EHLO_IN_TLS,
                SEEN_FROM_CLEAR.replace("250 PIPELINING", "250-PIPELINING\nclient gets: 250 STARTTLS"), """
                client: STARTTLS
                client gets: 220 2.0.0 Ready to start TLS
                (client TLS established)
                client: EHLO a.example
                server gets nothing
                client gets: 250-mx.example.net
                client gets: 250-SIZE 50000000
                client gets: 250-AUTH PLAIN
                client gets: 250-SMTPUTF8
                client gets: 250-REQUIRETLS
                client gets: 250 PIPELINING
                """, MESSAGE, QUIT).route(route -> route.withTls(TlsPolicy.verify("mx.example.net"))).recording(recorder -> {
            assertThat(recorder.session().clientTls()).isPresent();
            assertThat(recorder.session().serverTls()).isPresent();
        }).replayEveryWay();
    }

    @Test
    void ehloInsideTlsTriesTheServersTlsAgain() {
        offered(HANDSHAKE, """
                (server TLS fails: x)
                client gets: 250-mx.example.net
                client gets: 250-SIZE 10000
                client gets: 250-CHUNKING
                client gets: 250 STARTTLS
                client: STARTTLS
                client gets: 220 2.0.0 Ready to start TLS
                (client TLS established)
                client: EHLO a.example
                (server connects)
                server: 220 mx.example.net
                server gets: EHLO a.example
                server: 250-mx
                server: 250 STARTTLS
                server gets: STARTTLS
                server: 220 go
                (server TLS established)
                server gets: EHLO a.example
                server: 250 mx
                client gets: 250 mx
                """, MESSAGE, QUIT).route(route -> route.withTls(TlsPolicy.encrypt())).replayEveryWay();
    }

    @Test
    void demandedServerTlsHoldsForAClientInTls() {
        offered(GREETED, """
                client: STARTTLS
                client gets: 220 2.0.0 Ready to start TLS
                (client TLS established)
                client: MAIL FROM:<a@example.com>
                client gets: 503 5.5.1 EHLO first: what was said before TLS does not count
                client: EHLO a
                server gets: EHLO a
                server: 250 mx
                client gets: 250 mx
                client: MAIL FROM:<a@example.com>
                client gets: 451 4.7.5 TLS policy can't be met: the server does not offer STARTTLS
                server gets nothing
                """, QUIT).route(route -> route.withTls(TlsPolicy.encrypt())).replayEveryWay();
    }
}
