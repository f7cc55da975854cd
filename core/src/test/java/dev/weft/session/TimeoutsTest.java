package dev.weft.session;

import static dev.weft.session.Dialogues.DATA;
import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimeoutsTest {

    private static final String SLOW = """
            client gets: 421 4.4.2 Server did not answer in time
            client leg: lingers
            (session ended)
            """;

    @Test
    void idleClientGetsA421() {
        transcript(OPEN, """
                (time passes: 299 s)
                client gets nothing
                (time passes: 1 s)
                client gets: 421 4.4.2 No command in time, closing
                client leg: lingers
                server gets: QUIT
                """).records("session", "session TIMEOUT 0 : idle").replayEveryWay();
    }

    @Test
    void idleTimeBeginsWhenTheClientGotItsReply() {
        transcript(OPEN, """
                client: NOOP
                server gets: NOOP
                (time passes: 290 s)
                server: 250 ok
                client gets: 250 ok
                (time passes: 290 s)
                client: NOOP
                server gets: NOOP
                server: 250 ok
                client gets: 250 ok
                """, QUIT).replayEveryWay();
    }

    @Test
    void clientWhoseLinesEndInLineFeedAloneIsToldSo() {
        transcript(OPEN, """
                client: NOOP\\n\\
                (time passes: 5 min)
                client gets: 421 4.4.2 No command in time: lines end in CRLF, not in LF alone, closing
                server gets: QUIT
                """).replayEveryWay();
    }

    @Test
    void serverThatDoesNotAnswerACommandIsA421() {
        for (var command : new String[] {"MAIL FROM:<x@example.com>", "NOOP", "EHLO b", "XFOO", "RSET"}) {
            transcript(OPEN, "client: " + command + "\nserver gets: " + command + "\n", """
                    (time passes: 299 s)
                    client gets nothing
                    (time passes: 1 s)
                    """, SLOW).replayEveryWay();
        }
    }

    @Test
    void eachOfSeveralPipelinedCommandsHasItsWholeTime() {
        transcript(OPEN, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: RCPT TO:<c@example.net>
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<c@example.net>
                (time passes: 290 s)
                server: 250 1
                client gets: 250 1
                (time passes: 290 s)
                server: 250 2
                client gets: 250 2
                (time passes: 290 s)
                server: 250 3
                client gets: 250 3
                """, QUIT).replayEveryWay();
    }

    @Test
    void dataHasItsOwnLimit() {
        transcript(ENVELOPE, """
                client: DATA
                server gets: DATA
                (time passes: 119 s)
                client gets nothing
                (time passes: 1 s)
                """, SLOW, """
                server leg: aborted
                """).records("session", "session TIMEOUT 1 : no reply to DATA in time").replayEveryWay();
    }

    @Test
    void messageWithoutProgressIsA421() {
        transcript(DATA, """
                (time passes: 179 s)
                client: x
                server gets: x
                (time passes: 179 s)
                client gets nothing
                (time passes: 1 s)
                client gets: 421 4.4.2 No progress in the message, closing
                server leg: aborted
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets ABANDONED
                        session TIMEOUT 1 : no progress in the message""").replayEveryWay();
    }

    @Test
    void chunkHasItsTimeFromItsLastOctet() {
        transcript(ENVELOPE, """
                client: BDAT 4 LAST
                server gets: BDAT 4 LAST
                (time passes: 170 s)
                client: ab\\
                server gets: ab\\
                (time passes: 170 s)
                client: cd\\
                server gets: cd\\
                (time passes: 899 s)
                client gets nothing
                (time passes: 1 s)
                client gets: 451 4.4.2 Server did not answer the message in time: delivery is uncertain
                """).replayEveryWay();
    }

    @Test
    void replyToTheMessageIsWaitedForLongerThanTheClientWaitsAndTheSessionGoesOnWithoutIt() {
        transcript(DATA, """
                client: .
                server gets: .
                (time passes: 899 s)
                client gets nothing
                (time passes: 1 s)
                client gets: 451 4.4.2 Server did not answer the message in time: delivery is uncertain
                server leg: aborted
                client: NOOP
                client gets: 250 2.0.0 Ok
                client leg: open
                """).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets UNCERTAIN 451 4.4.2 Server did not answer the message \
                in time: delivery is uncertain""").replayEveryWay();
    }

    @Test
    void quitIsAnsweredThoughTheServerIsSilent() {
        transcript(OPEN, """
                client: QUIT
                server gets: QUIT
                (time passes: 10 s)
                client gets: 221 2.0.0 Bye
                """).records("session", "session QUIT 0 : no reply to QUIT in time").replayEveryWay();
    }

    @Test
    void clientThatTakesNoBytesIsGone() {
        transcript(OPEN, """
                client: NOOP
                server gets: NOOP
                (client takes no bytes)
                server reading: paused
                client reading: paused
                (time passes: 179 s)
                (session goes on)
                (time passes: 1 s)
                (session ended)
                client leg: aborted
                """).records("session", "session CLIENT_GONE 0 : took no bytes for 180 s").replayEveryWay();
    }

    @Test
    void freshLegsEhloHasTheSameBudgetAsItsGreeting() {
        transcript(DATA, """
                (server closes)
                client: .
                client gets: 451 4.4.2 Server closed the connection in the middle of the message
                client: MAIL FROM:<c@example.com>
                (time passes: 20 s)
                (server connects)
                (time passes: 200 s)
                server: 220 mx
                server gets: EHLO a.example
                (time passes: 49 s)
                client gets nothing
                (time passes: 1 s)
                """, SLOW).replayEveryWay();
    }

    @Test
    void limitsAreSetByName() {
        var short1 = Timeouts.DEFAULT.with("idle", Duration.ofSeconds(2));
        assertThat(short1.idle()).hasSeconds(2);
        assertThat(Timeouts.DEFAULT.with("all", Duration.ofSeconds(1)).byName().values()).containsOnly(Duration.ofSeconds(1));
        for (var name : Timeouts.DEFAULT.byName().keySet()) {
            var changed = Timeouts.DEFAULT.with(name, Duration.ofMillis(7)).byName();
            assertThat(changed.remove(name)).isEqualTo(Duration.ofMillis(7));
            assertThat(Timeouts.DEFAULT.byName()).containsAllEntriesOf(changed);
        }
        assertThatThrownBy(() -> Timeouts.DEFAULT.with("lunch", Duration.ofHours(1))).hasMessageContaining("lunch").hasMessageContaining("idle");
        assertThatThrownBy(() -> Timeouts.DEFAULT.with("idle", Duration.ZERO)).hasMessageContaining("idle");
        assertThatThrownBy(() -> Timeouts.DEFAULT.with("data", Duration.ofDays(2))).hasMessageContaining("data");
        transcript(OPEN, """
                (time passes: 2 s)
                client gets: 421 4.4.2 No command in time, closing
                server gets: QUIT
                """).settings(SessionSettings.DEFAULT.withTimeouts(short1)).replayEveryWay();
    }

    @Test
    void lineThatNeverEndsDoesNotKeepASessionAlive() {
        transcript("""
                (server connects)
                server: 220 mx.example.net
                client gets: 220 mx.example.net
                (time passes: 200 s)
                client: NO\\
                (time passes: 99 s)
                client: OP\\
                client gets nothing
                (time passes: 1 s)
                client gets: 421 4.4.2 No command in time, closing
                server gets: QUIT
                client leg: lingers
                """).replayEveryWay();
    }
}
