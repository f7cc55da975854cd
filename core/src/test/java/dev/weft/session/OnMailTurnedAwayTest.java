package dev.weft.session;

import static dev.weft.session.OnMailDialogues.ENVELOPE;
import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.MESSAGE;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;

import org.junit.jupiter.api.Test;

/** A server's 421 on a leased leg is a 451 for the client, whose session goes on: what it says of closing is only quoted. */
class OnMailTurnedAwayTest {

    private static final String SECOND = """
            client: RCPT TO:<c@example.net>
            server gets: RCPT TO:<c@example.net>
            """;

    private static String told(String said, String told) {
        return said + "\nserver leg: aborted\n" + told + "\n(session goes on)\nclient: RSET\nclient gets: 250 2.0.0 Ok\n";
    }

    @Test
    void theServersWordsAreQuotedUnderItsEnhancedCode() {
        onMail(GREETED, ENVELOPE, SECOND, told(
                "server: 421 4.7.0 mx.example.net too many messages, closing connection",
                "client gets: 451 4.7.0 Server ended this transaction: 421 4.7.0 mx.example.net too many messages, closing connection"),
                ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void withoutAnEnhancedCodeItIsTheServersSystem() {
        onMail(GREETED, ENVELOPE, SECOND, told(
                "server: 421 mx.example.net Service closing transmission channel",
                "client gets: 451 4.3.2 Server ended this transaction: 421 mx.example.net Service closing transmission channel"),
                QUIT).replayEveryWay();
        onMail(GREETED, ENVELOPE, SECOND, told("server: 421", "client gets: 451 4.3.2 Server ended this transaction: 421"), QUIT)
                .replayEveryWay();
    }

    @Test
    void itsClassIsThatOfA451() {
        onMail(GREETED, ENVELOPE, SECOND, told(
                "server: 421 5.7.1 go away", "client gets: 451 4.7.1 Server ended this transaction: 421 5.7.1 go away"), QUIT)
                .replayEveryWay();
    }

    @Test
    void eachLineStays() {
        onMail(GREETED, ENVELOPE, SECOND, told("""
                server: 421-4.7.28 our system has detected
                server: 421-4.7.28
                server: 421-see https://example.net/rates \\xc3\\xa9
                server: 421 4.7.28 an unusual rate""", """
                client gets: 451-4.7.28 Server ended this transaction: 421 4.7.28 our system has detected
                client gets: 451-4.7.28
                client gets: 451-4.7.28 see https://example.net/rates ?
                client gets: 451 4.7.28 an unusual rate"""), QUIT).replayEveryWay();
    }

    @Test
    void aLineThatIsTooLongForOneIsCut() {
        onMail(GREETED, ENVELOPE, SECOND, told(
                "server: 421 4.7.0 \\{600*x}", "client gets: 451 4.7.0 Server ended this transaction: 421 4.7.0 \\{394*x}"), QUIT)
                .replayEveryWay();
    }

    @Test
    void everyCommandThatWaitsIsToldSo() {
        onMail(GREETED, ENVELOPE, """
                client: RCPT TO:<c@example.net>
                client: RCPT TO:<d@example.net>
                client: NOOP
                server gets: RCPT TO:<c@example.net>
                server gets: RCPT TO:<d@example.net>
                server: 421 4.7.28 an unusual rate, closing
                client gets: 451 4.7.28 Server ended this transaction: 421 4.7.28 an unusual rate, closing
                client gets: 451 4.7.28 Server ended this transaction: 421 4.7.28 an unusual rate, closing
                client gets: 250 2.0.0 Ok
                (turned away: 4.7.28 an unusual rate, closing)
                server leg: aborted
                client: DATA
                client gets: 451 4.7.28 Server ended this transaction: 421 4.7.28 an unusual rate, closing
                """, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 <c@example.net>=451 <d@example.net>=451 : 0 octets DEFERRED 451 4.7.28 Server ended this transaction: 421 4.7.28 an unusual rate, closing""")
                .replayEveryWay();
    }

    /** Nor does the proxy say that it closes what stays open. */
    @Test
    void aServerThatIsNotUnderstoodClosesNothingForTheClient() {
        onMail(GREETED, ENVELOPE, SECOND, told(
                "server: nonsense", "client gets: 451 4.5.0 Server sent what is no SMTP reply"),
                ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }
}
