package dev.weft.session;

import static dev.weft.session.Dialogues.DATA;
import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.transcript;

import dev.weft.testkit.DeferringHandler;
import org.junit.jupiter.api.Test;

class StoppingTest {

    private static final String STOPPED = """
            client gets: 421 4.3.2 Service is stopping, closing
            client leg: lingers
            (session ended)
            """;

    @Test
    void idleSessionEndsAtOnce() {
        transcript(OPEN, "(stop)\n", STOPPED, "server gets: QUIT\n").records("session", "session STOPPED 0").replayEveryWay();
    }

    @Test
    void sessionThatWaitsForItsServerEndsAtOnce() {
        transcript("(stop)\n", STOPPED, "server leg: aborted\n").replayEveryWay();
        transcript("(server connects)\n(stop)\n", STOPPED, "server gets nothing\n").replayEveryWay();
    }

    @Test
    void transactionUnderWayIsFinishedFirst() {
        transcript(DATA, """
                client: x
                (stop)
                client: .
                server gets: x
                server gets: .
                (session goes on)
                server: 250 queued
                client gets: 250 queued
                """, STOPPED, """
                server gets: QUIT
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets ACCEPTED 250 queued
                        session STOPPED 1""").replayEveryWay();
    }

    @Test
    void transactionThatIsGivenUpEndsTheSession() {
        transcript(ENVELOPE, """
                (stop)
                client: RSET
                server gets: RSET
                server: 250 ok
                client gets: 250 ok
                """, STOPPED, "server gets: QUIT\n").replayEveryWay();
    }

    @Test
    void immediateStopInTheMessageLeavesNothingBehind() {
        transcript(DATA, """
                client: x
                server gets: x
                (stop now)
                """, STOPPED, """
                server leg: aborted
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets ABANDONED
                        session STOPPED 1""").replayEveryWay();
    }

    @Test
    void immediateStopBehindTheMessageLeavesItUncertain() {
        transcript(DATA, """
                client: .
                server gets: .
                (stop now)
                """, STOPPED).recording(recorder -> {
            if (!recorder.transactions().get(0).outcome().name().equals("UNCERTAIN")) {
                throw new AssertionError(recorder.lines());
            }
        }).replayEveryWay();
    }

    @Test
    void immediateStopCancelsAVerdict() {
        transcript(OPEN, """
                client: MAIL FROM:<a@example.com>
                (stop now)
                (verdict cancelled)
                """, STOPPED, "server gets: QUIT\n").handler(() -> DeferringHandler.at("mail")).replayEveryWay();
    }

    @Test
    void driverThatFailsEndsTheSessionWithAReply() {
        transcript(OPEN, """
                (driver fails: out of memory)
                client gets: 421 4.3.0 Local problem, closing
                client leg: lingers
                server gets: QUIT
                """).records("session", "session FAILED 0 : out of memory").replayEveryWay();
    }

    @Test
    void inputsAfterTheEndAreIgnored() {
        transcript(OPEN, """
                (stop now)
                """, STOPPED, """
                server gets: QUIT
                client: MAIL FROM:<a@example.com>
                server: 250 late
                (server closes)
                (client half-closes)
                (client vanishes)
                (time passes: 60 min)
                (stop)
                (driver fails: again)
                client gets nothing
                server gets nothing
                """).records("session", "session STOPPED 0").replayEveryWay();
    }
}
