package dev.weft.session;

import static dev.weft.session.OnMailDialogues.ENVELOPE;
import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.MESSAGE;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;

import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** MAIL that announces more than was offered is refused before it costs a turn. */
class OnMailSizeTest {

    private static final String TAKEN = """
            (a lease is asked)
            (lease granted)
            client gets: 250 2.1.0 Sender ok
            client: RSET
            client gets: 250 2.0.0 Ok
            server leg: given back
            """;

    private static String greetedWith(String... lines) {
        return "client gets: 220 localhost ESMTP\nclient: EHLO a.example\n(offer is known: mx.example.net | "
                + String.join(" | ", lines) + ")\nclient gets: 250-localhost\nclient gets: 250-"
                + String.join("\nclient gets: 250-", lines) + "\nclient gets: 250 PIPELINING\n";
    }

    @Test
    void moreThanWasOfferedIsRefusedAtMail() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com> SIZE=1000001 BODY=8BITMIME
                client: RCPT TO:<b@example.net>
                (no lease is asked)
                client gets: 552 5.3.4 Message of 1000001 octets is larger than the 1000000 that the server takes
                client gets: 503 5.5.1 No transaction is open: MAIL first
                client: MAIL FROM:<a@example.com> size=99999999999999999999
                (no lease is asked)
                client gets: 552 5.3.4 Message of 99999999999999999999 octets is larger than the 1000000 that the server takes
                client: MAIL FROM:<a@example.com> SIZE=1000000
                """, TAKEN, ENVELOPE, MESSAGE, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to  : 0 octets REFUSED 552 5.3.4 Message of 1000001 octets is larger than the 1000000 that the server takes
                        transaction 2 <a@example.com> to  : 0 octets REFUSED 552 5.3.4 Message of 99999999999999999999 octets is larger than the 1000000 that the server takes
                        transaction 3 <a@example.com> to  : 0 octets ABANDONED
                        transaction 4 <a@example.com> to <b@example.net>=250 : 12 octets ACCEPTED 250 queued""").replayEveryWay();
    }

    /** RFC 2920 §3.1: a client waits at DATA, but not at BDAT, whose octets are never taken for commands. */
    @Test
    void whatWasSentAlongWithARefusedMailStaysInStep() {
        onMail(GREETED, """
                client: MAIL FROM:<a@example.com> SIZE=1000001 SIZE=1
                client: RCPT TO:<b@example.net>
                client: DATA
                client gets: 552 5.3.4 Message of 1000001 octets is larger than the 1000000 that the server takes
                client gets: 503 5.5.1 No transaction is open: MAIL first
                client gets: 503 5.5.1 No transaction is open: MAIL first
                client: MAIL FROM:<a@example.com> SIZE=1000001
                client: RCPT TO:<b@example.net>
                client: BDAT 6
                client: QUIT
                client: BDAT 6 LAST
                client: QUIT
                client: RSET
                client gets: 552 5.3.4 Message of 1000001 octets is larger than the 1000000 that the server takes
                client gets: 503 5.5.1 No transaction is open: MAIL first
                client gets: 503 5.5.1 No transaction is open: MAIL first
                client gets: 503 5.5.1 No transaction is open: MAIL first
                client gets: 250 2.0.0 Ok
                (no lease is asked)
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void whereNoLimitIsKnownTheServerSaysIt() {
        for (var line : new String[] {"SIZE", "SIZE 0", "8BITMIME"}) {
            onMail(greetedWith(line), "client: MAIL FROM:<a@example.com> SIZE=1000001\n", TAKEN, QUIT).replayEveryWay();
        }
        onMail("client gets: 220 localhost ESMTP\nclient: HELO a.example\nclient gets: 250 localhost\n"
                + "client: MAIL FROM:<a@example.com> SIZE=1000001\n", TAKEN, QUIT).replayEveryWay();
    }

    @Test
    void whatIsNoNumberIsTheServersToJudge() {
        onMail(GREETED, "client: MAIL FROM:<a@example.com> SIZE=1e9\n", TAKEN, QUIT).replayEveryWay();
    }

    /** Its own SIZE is the one that counts there. */
    @Test
    void aTransactionThatGoesToAnotherServerIsNotHeldToThisOnesLimit() {
        onMail(GREETED, "client: MAIL FROM:<a@example.com> SIZE=1000001\n", TAKEN, QUIT).handler(() -> new RelayHandler() {
            @Override
            public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
                return Verdict.rewrite(Route.to(new InetSocketAddress("192.0.2.77", 25)).withBinding(proposed.binding()));
            }
        }).replayEveryWay();
    }

    /** What a handler may add is not the client's: it was told a limit that leaves room for it. */
    @Test
    void theClientIsHeldToWhatItWasTold() {
        onMail(greetedWith("SIZE 1000000", "8BITMIME").replace("client gets: 250-SIZE 1000000", "client gets: 250-SIZE 999000"), """
                client: MAIL FROM:<a@example.com> SIZE=999001
                client gets: 552 5.3.4 Message of 999001 octets is larger than the 999000 that the server takes
                client: MAIL FROM:<a@example.com> SIZE=999000
                """, TAKEN, QUIT).handler(() -> new RelayHandler() {
                    @Override
                    public MessageUse messageUse(RelaySession session) {
                        return MessageUse.grow(1000);
                    }
                }).replayEveryWay();
    }
}
