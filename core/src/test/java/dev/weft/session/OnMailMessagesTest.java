package dev.weft.session;

import static dev.weft.session.OnMailDialogues.ENVELOPE;
import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.MESSAGE;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;

import dev.weft.relay.Verdict;
import dev.weft.smtp.Header;
import dev.weft.smtp.Reply;
import dev.weft.testkit.DeferringHandler;
import org.junit.jupiter.api.Test;

/** The message paths over leased legs. */
class OnMailMessagesTest {

    private static final String GREETED_WITHOUT_CHUNKING = GREETED.replace("client gets: 250-CHUNKING\n", "");

    private static final String HELD = """
            client: DATA
            client gets: 354 Send the message, end it with <CRLF>.<CRLF>
            client: Subject: x
            client:
            client: body
            client: .
            """;

    private static final String SENT = """
            server gets: DATA
            server: 354 go on
            server gets: Subject: x
            server gets:
            server gets: body
            server gets: .
            server: 250 queued
            client gets: 250 queued
            server leg: given back
            """;

    @Test
    void aHeldMessageGoesOnWithTheVerdict() {
        onMail(GREETED_WITHOUT_CHUNKING, ENVELOPE, HELD, "server gets nothing\n(verdict: proceed)", SENT, QUIT)
                .handler(() -> DeferringHandler.at("hold")).replayEveryWay();
    }

    @Test
    void aHeldMessageThatIsRejectedFreesTheLeg() {
        onMail(GREETED_WITHOUT_CHUNKING, ENVELOPE, HELD, """
                (verdict: reject 550 5.7.1 spam)
                client gets: 550 5.7.1 spam
                server gets: RSET
                server: 250 reset
                server leg: given back
                """, QUIT).handler(() -> DeferringHandler.at("hold")).replayEveryWay();
    }

    @Test
    void aLegThatClosesDuringTheScanIsReplacedForTheMessage() {
        onMail(GREETED_WITHOUT_CHUNKING, ENVELOPE, HELD, """
                (server closes)
                (verdict: proceed)
                (a lease is asked)
                (lease granted)
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 sender
                server: 250 b
                """, SENT, QUIT).handler(() -> DeferringHandler.at("hold")).replayEveryWay();
    }

    @Test
    void aRefusalOfWhatTheProxySaysItselfCountsAgainstTheLeg() {
        onMail(GREETED_WITHOUT_CHUNKING, ENVELOPE, HELD, """
                (verdict: proceed)
                server gets: DATA
                server: 451 not now
                client gets: 451 not now
                server gets: RSET
                server: 250 reset
                (given back: 1 refusals)
                server leg: given back
                """, QUIT).handler(() -> DeferringHandler.at("hold")).replayEveryWay();
    }

    @Test
    void noLegForAHeldMessagePutsItOff() {
        onMail(GREETED_WITHOUT_CHUNKING, ENVELOPE, HELD, """
                (server closes)
                (verdict: proceed)
                (lease refused: 451 4.3.2 no turn)
                client gets: 451 4.3.2 no turn
                (nothing kept)
                """, ENVELOPE, HELD, "(verdict: proceed)", SENT, QUIT).handler(() -> DeferringHandler.at("hold")).replayEveryWay();
    }

    @Test
    void aMessageRejectedAtItsDotCostsTheLeg() {
        onMail(GREETED_WITHOUT_CHUNKING, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                server gets: x
                server gets: .\\
                (verdict: reject 550 5.7.1 spam)
                client gets: 550 5.7.1 spam
                server leg: aborted
                """, ENVELOPE, MESSAGE.replace("server gets: Subject: x\nserver gets: .", "server gets: Subject: x\nserver gets: .\\\n(verdict: proceed)\nserver gets:"),
                QUIT).handler(() -> DeferringHandler.at("dot")).replayEveryWay();
    }

    @Test
    void fieldsAreAddedOnTheWay() {
        onMail(GREETED.replace("1000000", "999000").replace("client gets: 250-CHUNKING\n", ""), ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                server gets: X-Tenant: one
                client: Subject: x
                client: .
                server gets: Subject: x
                server gets: .
                server: 250 queued
                client gets: 250 queued
                server leg: given back
                """, QUIT).handler(() -> Paths.adding(Header.of("X-Tenant", "one"))).replayEveryWay();
    }

    @Test
    void aMessageThatSmugglesCostsTheLegOnly() {
        onMail(GREETED, ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x\\n.\\r\\nMAIL FROM:<ceo@example.com>
                client: .
                server gets: x\\n.\\
                server leg: aborted
                client gets: 550 5.5.2 Message refused: it holds a dot between bare CR or LF that may be read as its end
                """, ENVELOPE, MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void aRefusingJudgeIsHeardOnce() {
        onMail(GREETED_WITHOUT_CHUNKING, ENVELOPE, HELD, """
                client gets: 550 5.7.1 no
                server gets: RSET
                server: 250 reset
                """, QUIT).handler(() -> Paths.holding(message -> Verdict.reject(Reply.of(550, "5.7.1", "no")))).replayEveryWay();
    }
}
