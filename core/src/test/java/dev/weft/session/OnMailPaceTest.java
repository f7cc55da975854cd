package dev.weft.session;

import static dev.weft.session.OnMailDialogues.ENVELOPE;
import static dev.weft.session.OnMailDialogues.GREETED;
import static dev.weft.session.OnMailDialogues.MESSAGE;
import static dev.weft.session.OnMailDialogues.QUIT;
import static dev.weft.session.OnMailDialogues.onMail;

import org.junit.jupiter.api.Test;

/** Clients that would sit on a leased leg, which others may wait for, without ever being silent for long. */
class OnMailPaceTest {

    private static final String NOOP_LATE = """
            (time passes: 25 s)
            client: NOOP
            client gets: 250 2.0.0 Ok
            """;

    private static final String RECIPIENT_LATE = """
            (time passes: 25 s)
            client: RCPT TO:<c@example.net>
            server gets: RCPT TO:<c@example.net>
            server: 250 c
            client gets: 250 c
            """;

    private static final String CHUNK_LATE = """
            client: BDAT 3
            server gets: BDAT 3
            (time passes: 25 s)
            client: x
            server gets: x
            server: 250 chunk
            client gets: 250 chunk
            """;

    @Test
    void silencesBetweenCommandsAddUp() {
        onMail(GREETED, ENVELOPE, NOOP_LATE, NOOP_LATE, """
                (time passes: 11 s)
                server gets: QUIT
                server leg: awaits peer
                client: RCPT TO:<d@example.net>
                client gets: 451 4.4.2 No command in time: the server connection was given up
                """, QUIT).replayEveryWay();
    }

    @Test
    void recipientsNowAndThenAreSilencesToo() {
        onMail(GREETED, ENVELOPE, RECIPIENT_LATE, RECIPIENT_LATE, """
                (time passes: 12 s)
                server gets: QUIT
                server leg: awaits peer
                client: DATA
                client gets: 451 4.4.2 No command in time: the server connection was given up
                """, QUIT).replayEveryWay();
    }

    @Test
    void aClientThatIsFarAwayMayNameManyRecipients() {
        var recipient = RECIPIENT_LATE.replace("(time passes: 25 s)", "(time passes: 1 s)");
        onMail(GREETED, ENVELOPE, recipient.repeat(100), MESSAGE, QUIT).replay();
    }

    @Test
    void aSlowServerIsNotTheClientsSilence() {
        onMail(GREETED, ENVELOPE, """
                client: RCPT TO:<c@example.net>
                server gets: RCPT TO:<c@example.net>
                (time passes: 50 s)
                server: 250 c
                client gets: 250 c
                """.repeat(5), MESSAGE, QUIT).replayEveryWay();
    }

    @Test
    void eachLeaseHasItsOwnTime() {
        var slow = ENVELOPE + NOOP_LATE + NOOP_LATE + MESSAGE;
        onMail(GREETED, slow, slow, slow, QUIT).replayEveryWay();
    }

    @Test
    void slowChunksAddUpAsOneSlowMessage() {
        onMail(GREETED, ENVELOPE, CHUNK_LATE, CHUNK_LATE, """
                client: BDAT 3
                server gets: BDAT 3
                (time passes: 11 s)
                client gets: 421 4.4.2 No progress in the message, closing
                server leg: aborted
                (session ended)
                """).replayEveryWay();
    }
}
