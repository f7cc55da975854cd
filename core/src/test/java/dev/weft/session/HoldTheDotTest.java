package dev.weft.session;

import static dev.weft.session.Dialogues.NEXT_ENVELOPE;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;
import static dev.weft.session.Paths.DATA;
import static dev.weft.session.Paths.NEXT_OVER_FRESH_LEG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.FailureMode;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Header;
import dev.weft.testkit.DeferringHandler;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class HoldTheDotTest {

    private static final String MESSAGE = """
            client: Subject: x
            client:\s
            client: body
            client: .
            """;
    private static final String ALL_BUT_THE_END = """
            server gets: Subject: x
            server gets:\s
            server gets: body
            server gets: .\\
            """;
    private static final String QUEUED = """
            server: 250 2.0.0 queued
            client gets: 250 2.0.0 queued
            """;

    private static DeferringHandler late() {
        return DeferringHandler.at("dot");
    }

    @Test
    void endGoesOnlyAfterTheVerdict() {
        transcript(DATA, MESSAGE, ALL_BUT_THE_END, """
                client gets nothing
                (time passes: 29 s)
                (verdict: proceed)
                server gets: \\r\\n\\
                """, QUEUED, QUIT).handler(HoldTheDotTest::late).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 20 octets ACCEPTED 250 2.0.0 queued
                        session QUIT 1""").replayEveryWay();
    }

    @Test
    void rejectionDropsTheLegWithoutEndOfDataAndTheSessionGoesOn() {
        transcript(DATA, MESSAGE, ALL_BUT_THE_END, """
                (verdict: reject 550 5.7.1 spam)
                server leg: aborted
                client gets: 550 5.7.1 spam
                client: NOOP
                client gets: 250 2.0.0 Ok
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTheDotTest::late).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 20 octets REFUSED 550 5.7.1 spam
                        transaction 2 <c@example.com> to <d@example.net>=250 : 0 octets ABANDONED
                        session QUIT 2""").replayEveryWay();
    }

    @Test
    void verdictThatIsThereAtOnceHoldsNothingUp() {
        transcript(DATA, MESSAGE, """
                server gets: Subject: x
                server gets:\s
                server gets: body
                server gets: .
                """, QUEUED, QUIT).handler(() -> Paths.reading(new Paths.Reading())).replayEveryWay();
    }

    @Test
    void disconnectGivesItsReplyAndEndsTheSession() {
        transcript(DATA, MESSAGE, ALL_BUT_THE_END, """
                (verdict: disconnect 421 4.7.0 enough)
                client gets: 421 4.7.0 enough
                server leg: aborted
                client leg: lingers
                (session ended)
                """).handler(HoldTheDotTest::late).replayEveryWay();
    }

    @Test
    void commandsBehindTheDotWaitForTheVerdict() {
        transcript(DATA, MESSAGE, """
                client: MAIL FROM:<c@example.com>
                client: RCPT TO:<d@example.net>
                """, ALL_BUT_THE_END, """
                (verdict: proceed)
                server gets: \\r\\n\\
                server gets: MAIL FROM:<c@example.com>
                server gets: RCPT TO:<d@example.net>
                server: 250 queued
                server: 250 mail
                server: 250 rcpt
                client gets: 250 queued
                client gets: 250 mail
                client gets: 250 rcpt
                """, QUIT).handler(HoldTheDotTest::late).replayEveryWay();
    }

    @Test
    void mailBehindTheDotOfARejectedMessageGoesToTheFreshLeg() {
        transcript(DATA, MESSAGE, "client: MAIL FROM:<c@example.com>\nclient: RCPT TO:<d@example.net>\n", ALL_BUT_THE_END, """
                (verdict: reject 550 no)
                client gets: 550 no
                """, Dialogues.FRESH_LEG, """
                server gets: MAIL FROM:<c@example.com>
                server gets: RCPT TO:<d@example.net>
                """).handler(HoldTheDotTest::late).replayEveryWay();
    }

    @Test
    void rejectionOnALegThatCarriedAuthEndsTheSessionAtTheNextCommandThatNeedsALeg() {
        transcript(Paths.OPEN, """
                client: AUTH PLAIN AAA=
                server gets: AUTH PLAIN AAA=
                server: 235 ok
                client gets: 235 ok
                """, DATA.substring(Paths.OPEN.length()), MESSAGE, ALL_BUT_THE_END, """
                (verdict: reject 550 no)
                client gets: 550 no
                client: MAIL FROM:<c@example.com>
                client gets: 421 4.4.2 Server connection is gone and can't be replaced unseen, closing
                (session ended)
                """).handler(HoldTheDotTest::late).replayEveryWay();
    }

    @Test
    void earlyReplyIsTheMessagesReply() {
        transcript(DATA, """
                client: Subject: x
                server gets: Subject: x
                server: 552 5.3.4 too big
                server leg: aborted
                client: more
                client: .
                client gets: 552 5.3.4 too big
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTheDotTest::late).replayEveryWay();
    }

    @Test
    void serverThatAnswersOrDiesWhileTheVerdictIsOutstandingSettlesIt() {
        transcript(DATA, MESSAGE, ALL_BUT_THE_END, """
                server: 451 4.4.2 timeout
                server leg: aborted
                client gets: 451 4.4.2 timeout
                (verdict cancelled)
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTheDotTest::late).replayEveryWay();
        transcript(DATA, MESSAGE, ALL_BUT_THE_END, """
                (server closes)
                client gets: 451 4.4.2 Server closed the connection in the middle of the message
                (verdict cancelled)
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTheDotTest::late).replayEveryWay();
        transcript(DATA, MESSAGE, ALL_BUT_THE_END, """
                server: 421 4.4.2 timeout
                client gets: 421 4.4.2 timeout
                server leg: aborted
                (verdict cancelled)
                (session ended)
                """).handler(HoldTheDotTest::late).replayEveryWay();
    }

    @Test
    void clientThatVanishesLeavesNothingBehind() {
        transcript(DATA, MESSAGE, ALL_BUT_THE_END, """
                (client vanishes)
                server leg: aborted
                (verdict cancelled)
                (session ended)
                """).handler(HoldTheDotTest::late).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 20 octets ABANDONED""").replayEveryWay();
        transcript(DATA, """
                client: half
                server gets: half
                (client vanishes)
                server leg: aborted
                (session ended)
                """).handler(HoldTheDotTest::late).replayEveryWay();
    }

    @Test
    void lateVerdictIsTakenAsTheFailureModeSays() {
        transcript(DATA, MESSAGE, ALL_BUT_THE_END, """
                (time passes: 30 s)
                server leg: aborted
                client gets: 451 4.3.0 Temporary local problem, try again later
                (verdict cancelled)
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTheDotTest::late).replayEveryWay();
        transcript(DATA, MESSAGE, ALL_BUT_THE_END, """
                (time passes: 30 s)
                server gets: \\r\\n\\
                """, QUEUED, QUIT).handler(() -> DeferringHandler.openAt("dot")).replayEveryWay();
    }

    private static Supplier<RelayHandler> throwing(FailureMode mode, boolean atEnd) {
        return () -> Paths.choosing(MessageUse.look(), mode, () -> MessagePath.holdTheDot(new Paths.Reading() {
            @Override
            public void read(ByteBuffer piece) {
                if (!atEnd) {
                    throw new IllegalStateException("a reader that fails, for the test");
                }
            }

            @Override
            public Verdict<Void> end() {
                throw new IllegalStateException("a reader that fails, for the test");
            }
        }));
    }

    @Test
    void throwingReaderThatGuardsRefusesTheMessageAndThatOnly() {
        transcript(DATA, MESSAGE, """
                server gets nothing
                server leg: aborted
                client gets: 451 4.3.0 Temporary local problem, try again later
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(throwing(FailureMode.TEMPFAIL, false)).replayEveryWay();
        transcript(DATA, MESSAGE, ALL_BUT_THE_END, """
                server leg: aborted
                client gets: 451 4.3.0 Temporary local problem, try again later
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(throwing(FailureMode.TEMPFAIL, true)).replayEveryWay();
    }

    @Test
    void throwingReaderThatOnlyWatchesDisturbsNothing() {
        for (var atEnd : new boolean[] {false, true}) {
            transcript(DATA, MESSAGE, """
                    server gets: Subject: x
                    server gets:\s
                    server gets: body
                    server gets: .
                    """, QUEUED, QUIT).handler(throwing(FailureMode.OPEN, atEnd)).replayEveryWay();
        }
    }

    @Test
    void readerSeesTheMessageUnstuffedOnceAndInOrder() {
        for (var message : List.of("", "\\r\\n", "..\\r\\n", "..a\\r\\n..\\r\\n", "a\\r\\n\\r\\n...\\r\\n..", "\\0\\xff\\r\\n..\\r\\n\\r\\n\\r\\n", "a\\n.b\\r\\n")) {
            var readers = new ArrayList<Paths.Reading>();
            transcript(DATA, "client: " + message + (message.isEmpty() || message.endsWith("n") ? "" : "\\r\\n") + ".\n",
                    "server gets: " + message + (message.isEmpty() || message.endsWith("n") ? "" : "\\r\\n") + ".\n", QUEUED, QUIT)
                    .handler(() -> {
                        readers.add(new Paths.Reading());
                        return Paths.reading(readers.get(readers.size() - 1));
                    }).replayEveryWay();
            var expected = message.replace("\\r", "\r").replace("\\n", "\n").replace("\\0", "\0").replace("\\xff", "\u00ff");
            if (!expected.isEmpty() && !expected.endsWith("\n")) {
                expected += "\r\n";
            }
            expected = expected.replaceAll("(?s)(^|\r\n)\\.", "$1");
            for (var reader : readers) {
                assertThat(reader.text()).isEqualTo(expected);
            }
        }
    }

    @Test
    void smugglingIsRefusedHereToo() {
        transcript(DATA, """
                client: x\\n.\\n\\
                client: MAIL FROM:<ceo@example.com>
                client: .
                server gets: x\\n.\\
                server leg: aborted
                client gets: 550 5.5.2 Message refused: it holds a dot between bare CR or LF that may be read as its end
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTheDotTest::late).replayEveryWay();
    }

    @Test
    void headersArePrependedOnTheStreamWithoutHolding() {
        transcript(DATA.replace("SIZE 1000000\nclient gets: 250 AUTH", "SIZE 999000\nclient gets: 250 AUTH"), """
                server gets: Received: by weft
                server gets: \\tfor test
                server gets: X-A: b
                client: body
                client: .
                server gets: body
                server gets: .
                """, QUEUED, QUIT)
                .handler(() -> Paths.adding(Header.of("Received", "by weft", "for test"), Header.of("X-A", "b")))
                .replayEveryWay();
    }

    // BDAT

    private static final String CHUNKED = Dialogues.ENVELOPE;

    private static DeferringHandler lateChunks() {
        return DeferringHandler.at("chunks");
    }

    @Test
    void lastChunkIsSentAsOneThatIsNotTheLastAndEndedByAnEmptyOne() {
        transcript(CHUNKED, """
                client: BDAT 3
                client: abc\\
                client: BDAT 4 LAST
                client: .\\r\\nd\\
                server gets: BDAT 3
                server gets: abcBDAT 4
                server gets: .\\r\\nd\\
                (time passes: 1 s)
                (verdict: proceed)
                server gets nothing
                server: 250 3
                server: 250 4
                client gets: 250 3
                server gets: BDAT 0 LAST
                """, QUEUED, QUIT).handler(HoldTheDotTest::lateChunks).replayEveryWay();
    }

    @Test
    void messageInOneLastChunkIsRejectedBeforeTheServerHasIt() {
        transcript(CHUNKED, """
                client: BDAT 4 LAST
                client: abcd\\
                client: NOOP
                server gets: BDAT 4
                server gets: abcd\\
                server: 250 4
                client gets nothing
                (verdict: reject 550 5.7.1 spam)
                server leg: aborted
                client gets: 550 5.7.1 spam
                client gets: 250 2.0.0 Ok
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTheDotTest::lateChunks).replayEveryWay();
    }

    @Test
    void refusalOfTheLastChunkIsTheMessagesReply() {
        transcript(CHUNKED, """
                client: BDAT 0 LAST
                server gets nothing
                (verdict: proceed)
                server gets: BDAT 0 LAST
                """, QUEUED, NEXT_ENVELOPE, """
                client: BDAT 4 LAST
                client: abcd\\
                server gets: BDAT 4
                server gets: abcd\\
                server: 552 5.3.4 too big
                client gets: 552 5.3.4 too big
                server gets: RSET
                (verdict cancelled)
                server: 250 reset
                """, QUIT).handler(HoldTheDotTest::lateChunks).replayEveryWay();
    }

    @Test
    void serverThatDiesBehindTheLastChunkGivesOneReply() {
        transcript(CHUNKED, """
                client: BDAT 4 LAST
                client: abcd\\
                server gets: BDAT 4
                server gets: abcd\\
                (server closes)
                client gets: 451 4.4.2 Server closed the connection in the middle of the message
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTheDotTest::lateChunks).replayEveryWay();
    }
}
