package dev.weft.session;

import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;
import static dev.weft.session.Paths.NEXT_OVER_FRESH_LEG;

import dev.weft.relay.FailureMode;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.testkit.DeferringHandler;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What may befall the last chunk of a message whose end is held. */
class HeldChunksTest {

    private static final String LAST = Dialogues.ENVELOPE + """
            client: BDAT 4 LAST
            server gets: BDAT 4
            client: ab\\
            server gets: ab\\
            """;
    private static final String SENT = LAST + """
            client: cd\\
            server gets: cd\\
            """;

    private static DeferringHandler late() {
        return DeferringHandler.at("chunks");
    }

    private static Supplier<RelayHandler> throwing(FailureMode mode) {
        return () -> Paths.choosing(MessageUse.look().withChunking(), mode, () -> MessagePath.holdTheDot(new Paths.Reading() {
            @Override
            public void read(ByteBuffer piece) {
                throw new IllegalStateException("a reader that fails, for the test");
            }
        }));
    }

    @Test
    void refusedWithinItIsAnsweredBehindIt() {
        transcript(LAST, """
                server: 552 5.3.4 too big
                server leg: aborted
                client gets nothing
                client: cd\\
                client gets: 552 5.3.4 too big
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HeldChunksTest::late).replayEveryWay();
    }

    @Test
    void serverThatDiesWithinItIsA451BehindIt() {
        transcript(LAST, """
                (server closes)
                client gets nothing
                client: cd\\
                client gets: 451 4.4.2 Server closed the connection in the middle of the message
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HeldChunksTest::late).replayEveryWay();
    }

    @Test
    void clientThatVanishesLeavesNothingBehind() {
        for (var until : new String[] {LAST, SENT, SENT + "server: 250 4\n"}) {
            transcript(until, """
                    (client vanishes)
                    server leg: aborted
                    (session ended)
                    """).handler(HeldChunksTest::late).replayEveryWay();
        }
    }

    @Test
    void readerThatThrowsRefusesTheMessageUnlessItOnlyWatches() {
        transcript(Dialogues.ENVELOPE, """
                client: BDAT 4 LAST
                server gets: BDAT 4
                client: abcd\\
                server leg: aborted
                client gets: 451 4.3.0 Temporary local problem, try again later
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(throwing(FailureMode.TEMPFAIL)).replayEveryWay();
        transcript(SENT, """
                server: 250 4
                server gets: BDAT 0 LAST
                server: 250 queued
                client gets: 250 queued
                """, QUIT).handler(throwing(FailureMode.OPEN)).replayEveryWay();
    }

    @Test
    void lateVerdictRefusesTheMessage() {
        transcript(SENT, """
                server: 250 4
                (time passes: 30 s)
                server leg: aborted
                client gets: 451 4.3.0 Temporary local problem, try again later
                (verdict cancelled)
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HeldChunksTest::late).replayEveryWay();
    }

    @Test
    void rejectionBeforeTheServerAnsweredTheChunkWaitsForNothingElse() {
        transcript(SENT, """
                (verdict: disconnect 421 4.7.0 enough)
                client gets nothing
                server: 250 4
                client gets: 421 4.7.0 enough
                server leg: aborted
                (session ended)
                """).handler(HeldChunksTest::late).replayEveryWay();
    }

    @Test
    void judgeThatDisconnectsEndsTheSessionWithItsReply() {
        transcript(Paths.HELD, """
                client: x
                client: .
                (verdict: disconnect 421 4.7.0 enough)
                client gets: 421 4.7.0 enough
                server gets: QUIT
                (nothing kept)
                (session ended)
                """).handler(() -> DeferringHandler.at("hold")).replayEveryWay();
    }
}
