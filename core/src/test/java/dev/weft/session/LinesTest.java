package dev.weft.session;

import static dev.weft.session.Dialogues.DATA;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;

import org.junit.jupiter.api.Test;

class LinesTest {

    private static final String IN_STEP = """
            client: NOOP
            server gets: NOOP
            server: 250 noop
            client gets: 250 noop
            """;

    @Test
    void bareLineEndInACommandIsRefusedAndNothingOfItReachesTheServer() {
        for (var line : new String[] {"NOOP\\nMAIL FROM:<evil>", "NOOP\\rRSET", "\\n", "\\r", "NOOP\\n", "NOOP\\r", "RSET\\nRSET\\nRSET"}) {
            transcript(OPEN, "client: " + line + "\n", """
                    server gets nothing
                    client gets: 500 5.5.2 Command line holds a bare CR or LF: lines end in CRLF
                    """, IN_STEP, QUIT).records("notice", "notice BAD_LINE bare CR or LF").replayEveryWay();
        }
    }

    @Test
    void badLineIsAnsweredInItsPlace() {
        transcript(OPEN, """
                client: NOOP
                client: a\\nb
                client: RSET
                server gets: NOOP
                server gets: RSET
                server: 250 1
                server: 250 3
                client gets: 250 1
                client gets: 500 5.5.2 Command line holds a bare CR or LF: lines end in CRLF
                client gets: 250 3
                """, QUIT).replayEveryWay();
    }

    @Test
    void lineBeyondTheLimitIsRefusedOnce() {
        for (int length : new int[] {4095, 5000, 12_286, 12_287, 70_000}) {
            transcript(OPEN, "client: \\{" + length + "*x}\n", """
                    server gets nothing
                    client gets: 500 5.5.2 Command line too long
                    """, IN_STEP, QUIT).records("notice", "notice BAD_LINE too long").replayEveryWay();
        }
    }

    @Test
    void lineAtTheLimitPasses() {
        transcript(OPEN, """
                client: NOOP \\{4089*x}
                server gets: NOOP \\{4089*x}
                server: 250 ok
                client gets: 250 ok
                """, QUIT).replayEveryWay();
        transcript(OPEN, """
                client: NOOP \\{505*x}
                client: NOOP \\{506*x}
                server gets: NOOP \\{505*x}
                server: 250 ok
                client gets: 250 ok
                client gets: 500 5.5.2 Command line too long
                """, QUIT).settings(SessionSettings.DEFAULT.withCommandLineLimit(512)).replayEveryWay();
    }

    @Test
    void nulAndEightBitInACommandPass() {
        transcript(OPEN, """
                client: NOOP a\\0b\\xff
                server gets: NOOP a\\0b\\xff
                server: 250 a\\0b\\xff
                client gets: 250 a\\0b\\xff
                """, QUIT).replayEveryWay();
    }

    @Test
    void emptyLineIsTheServersToRefuse() {
        transcript(OPEN, """
                client:
                server gets:
                server: 500 what
                client gets: 500 what
                """, QUIT).replayEveryWay();
    }

    @Test
    void slowServerStopsTheReadingOfTheClient() {
        transcript(DATA, """
                client: \\{1000*x}
                server gets: \\{1000*x}
                (server takes no bytes)
                client reading: paused
                client: y
                server gets nothing
                (server takes bytes again)
                client reading: on
                server gets: y
                client: .
                server gets: .
                server: 250 queued
                client gets: 250 queued
                """, QUIT).replayEveryWay();
    }

    @Test
    void slowClientStopsTheReadingOfTheServer() {
        transcript(OPEN, """
                client: NOOP
                server gets: NOOP
                (client takes no bytes)
                server reading: paused
                server: 250 ok
                client gets nothing
                (client takes bytes again)
                server reading: on
                client gets: 250 ok
                """, QUIT).replayEveryWay();
    }

    @Test
    void clientThatDoesNotReadCantMakeUsAnswer() {
        transcript(OPEN, """
                (client takes no bytes)
                client: STARTTLS
                client: STARTTLS
                client gets nothing
                (client takes bytes again)
                client gets: 502 5.5.1 Command not offered
                client gets: 502 5.5.1 Command not offered
                """, QUIT).replayEveryWay();
    }
}
