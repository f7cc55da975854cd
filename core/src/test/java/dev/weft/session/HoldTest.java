package dev.weft.session;

import static dev.weft.session.Dialogues.NEXT_ENVELOPE;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;
import static dev.weft.session.Paths.ENVELOPE;
import static dev.weft.session.Paths.HELD;
import static dev.weft.session.Paths.NEXT_OVER_FRESH_LEG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.FailureMode;
import dev.weft.relay.MessageChange;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Header;
import dev.weft.smtp.Reply;
import dev.weft.testkit.DeferringHandler;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HoldTest {

    private static final String MESSAGE = """
            client: Subject: x
            client:\s
            client: body
            client: .
            """;
    private static final String SENT = """
            server gets: DATA
            server: 354 go on
            server gets: Subject: x
            server gets:\s
            server gets: body
            server gets: .
            client gets nothing
            """;
    private static final String QUEUED = """
            server: 250 2.0.0 queued
            client gets: 250 2.0.0 queued
            (nothing kept)
            """;

    private static DeferringHandler late() {
        return DeferringHandler.at("hold");
    }

    private static RelayHandler unchanged() {
        return Paths.holding(message -> Verdict.proceed());
    }

    @Test
    void serverHearsOfTheMessageOnlyAfterTheVerdict() {
        transcript(HELD, MESSAGE, """
                server gets nothing
                client gets nothing
                (time passes: 29 s)
                (verdict: proceed)
                """, SENT, QUEUED, NEXT_ENVELOPE, QUIT).handler(HoldTest::late).records("reply transaction session", """
                        reply EHLO 250 mx.example.net PIPELINING SIZE 1000000 AUTH PLAIN LOGIN
                        reply MAIL 250 2.1.0 Ok
                        reply RCPT 250 2.1.5 Ok
                        reply DATA 354 Send the message, end it with <CRLF>.<CRLF>
                        reply DATA 250 2.0.0 queued
                        transaction 1 <a@example.com> to <b@example.net>=250 : 20 octets ACCEPTED 250 2.0.0 queued
                        reply MAIL 250 2.1.0 Ok
                        reply RCPT 250 2.1.5 Ok
                        reply QUIT 221 2.0.0 Bye
                        transaction 2 <c@example.com> to <d@example.net>=250 : 0 octets ABANDONED
                        session QUIT 2""").replayEveryWay();
    }

    @Test
    void messagesOfEveryEndArriveAsTheyWere() {
        for (var message : List.of("", "\\r\\n", "..\\r\\n", "..a\\r\\n..\\r\\n", "a\\r\\n\\r\\n...\\r\\n",
                "\\0\\xff\\r\\n..\\r\\n\\r\\n\\r\\n",
                "a\\n.b\\r\\n",
                "\\{70000*x}\\r\\n", "a\\r\\r\\n\\n\\r\\n", ":\\r\\n", "A:b\\r\\n \\r\\n", "no header\\r\\n\\r\\n")) {
            transcript(HELD, "client: " + message + ".\n", """
                    server gets: DATA
                    server: 354 go on
                    """, "server gets: " + message + ".\n", QUEUED, QUIT).handler(HoldTest::unchanged).replayEveryWay();
        }
    }

    @Test
    void proxySaysGoOnOnlyWhenAllEarlierRepliesAreThere() {
        transcript(Paths.OPEN, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 mail
                client gets: 250 mail
                server: 250 rcpt
                client gets: 250 rcpt
                client gets: 354 Send the message, end it with <CRLF>.<CRLF>
                """, MESSAGE, SENT, QUEUED, QUIT).handler(HoldTest::unchanged).replayEveryWay();
    }

    @Test
    void messageForNobodyIsRefusedBeforeItComes() {
        transcript(Paths.OPEN, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 mail
                server: 550 5.1.1 who
                client gets: 250 mail
                client gets: 550 5.1.1 who
                client gets: 503 5.5.1 No valid recipients
                """, QUIT).handler(HoldTest::unchanged).replayEveryWay();
    }

    @Test
    void refusalOfDataIsTheOneFinalReply() {
        transcript(HELD, MESSAGE, """
                server gets: DATA
                server: 451 4.3.0 not now
                client gets: 451 4.3.0 not now
                server gets: RSET
                client: NOOP
                server gets: NOOP
                server: 250 reset
                server: 250 noop
                client gets: 250 noop
                (nothing kept)
                """, NEXT_ENVELOPE, QUIT).handler(HoldTest::unchanged).replayEveryWay();
        transcript(HELD, MESSAGE, """
                server gets: DATA
                server: 421 4.3.2 closing
                client gets: 421 4.3.2 closing
                (nothing kept)
                (session ended)
                """).handler(HoldTest::unchanged).replayEveryWay();
    }

    @Test
    void rejectedMessageLeavesTheServerWithoutDataAndInStep() {
        transcript(HELD, MESSAGE, """
                (verdict: reject 550 5.7.1 spam)
                client gets: 550 5.7.1 spam
                server gets: RSET
                server leg: open
                server: 250 reset
                (nothing kept)
                """, NEXT_ENVELOPE, QUIT).handler(HoldTest::late).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets REFUSED 550 5.7.1 spam
                        transaction 2 <c@example.com> to <d@example.net>=250 : 0 octets ABANDONED
                        session QUIT 2""").replayEveryWay();
    }

    @Test
    void commandsBehindTheDotWaitTillTheMessageIsSent() {
        transcript(HELD, MESSAGE, """
                client: MAIL FROM:<c@example.com>
                (verdict: proceed)
                server gets: DATA
                server: 354 go on
                server gets: Subject: x
                server gets:\s
                server gets: body
                server gets: .
                server gets: MAIL FROM:<c@example.com>
                server: 250 queued
                server: 250 mail
                client gets: 250 queued
                client gets: 250 mail
                """, QUIT).handler(HoldTest::late).replayEveryWay();
    }

    @Test
    void headersAreChangedAndTheRestStays() {
        transcript(HELD.replace("client gets: 250-SIZE 1000000", "client gets: 250-SIZE 999900"), """
                client: Received: from a
                client: \\tby b
                client: X-Spam: no
                client: Subject: \\xff=
                client: x-spam: perhaps
                client:\s
                client: ..X-Spam: body
                client: .
                server gets: DATA
                server: 354 go on
                server gets: X-First: 1
                server gets: Received: from a
                server gets: \\tby b
                server gets: X-Spam: yes
                server gets: Subject: \\xff=
                server gets:\s
                server gets: ..X-Spam: body
                server gets: .
                """, QUEUED, QUIT).handler(() -> Paths.choosing(MessageUse.grow(100),
                        () -> MessagePath.hold(message -> Verdict.rewrite(MessageChange.none()
                                .replace("x-SPAM", Header.of("X-Spam", "yes"))
                                .remove("Nothing")
                                .prepend(Header.of("X-First", "1"))))))
                .replayEveryWay();
    }

    private static RelayHandler body(String body) {
        return Paths.holding(message -> Verdict.rewrite(MessageChange.none()
                .body(() -> new ByteArrayInputStream(body.getBytes(StandardCharsets.ISO_8859_1)))));
    }

    @Test
    void bodyIsReplacedAndStuffedAnew() {
        transcript(HELD, MESSAGE, """
                server gets: DATA
                server: 354 go on
                server gets: Subject: x
                server gets:\s
                server gets: ..
                server gets: ..no end
                server gets: .
                """, QUEUED, QUIT).handler(() -> body(".\r\n.no end")).replayEveryWay();
        transcript(HELD, MESSAGE, """
                server gets: DATA
                server: 354 go on
                server gets: Subject: x
                server gets:\s
                server gets: .
                """, QUEUED, QUIT).handler(() -> body("")).replayEveryWay();
    }

    @Test
    void bodyThatCouldBeReadAsTwoMessagesIsNotSent() {
        transcript(HELD, MESSAGE, """
                server gets: DATA
                server: 354 go on
                server gets nothing
                server leg: aborted
                client gets: 451 4.3.0 Temporary local problem, try again later
                (nothing kept)
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(() -> body("a\n.\nMAIL FROM:<x@y>\r\n")).replayEveryWay();
    }

    @Test
    void bodyThatFailsFailsTheMessageForNow() {
        transcript(HELD, MESSAGE, """
                server gets: DATA
                server: 354 go on
                server gets nothing
                server leg: aborted
                client gets: 451 4.3.0 Temporary local problem: the message could not be read again
                """, NEXT_OVER_FRESH_LEG, QUIT)
                .handler(() -> Paths.holding(message -> Verdict.rewrite(MessageChange.none().body(() -> {
                    throw new IOException("for the test");
                })))).replayEveryWay();
    }

    @Test
    void judgesAreAskedInOrderAndSeeWhatTheOthersChanged() {
        transcript(HELD, MESSAGE, """
                server gets: DATA
                server: 354 go on
                server gets: X-Two: saw X-One
                server gets: X-One: 1
                server gets: Subject: x
                server gets:\s
                server gets: body
                server gets: .
                """, QUEUED, QUIT).handlers(() -> List.of(
                        Paths.holding(message -> Verdict.rewrite(MessageChange.none().prepend(Header.of("X-One", "1")))),
                        Paths.holding(message -> Verdict.rewrite(MessageChange.none()
                                .prepend(Header.of("X-Two", "saw " + message.headers().fields().get(0).name()))))))
                .replayEveryWay();
    }

    @Test
    void changeBeyondWhatWasDeclaredIsAFailureOfItsHandler() {
        var failed = """
                client gets: 451 4.3.0 Temporary local problem, try again later
                server gets: RSET
                """;
        transcript(HELD, MESSAGE, failed).handler(() -> Paths.choosing(MessageUse.look(), () -> MessagePath.hold(
                message -> Verdict.rewrite(MessageChange.none().prepend(Header.of("X", "y")))))).replayEveryWay();
        transcript(HELD.replace("client gets: 250-SIZE 1000000", "client gets: 250-SIZE 999997"), MESSAGE, failed)
                .handler(() -> Paths.choosing(MessageUse.grow(3), () -> MessagePath.hold(
                        message -> Verdict.rewrite(MessageChange.none().prepend(Header.of("X", "y")))))).replayEveryWay();
        transcript(Dialogues.ENVELOPE, """
                client: DATA
                client gets: 451 4.3.0 Temporary local problem, try again later
                server gets: RSET
                """).handler(() -> Paths.choosing(MessageUse.none(), () -> MessagePath.hold(message -> Verdict.proceed())))
                .replayEveryWay();
    }

    @Test
    void throwingJudgeIsTakenAsTheFailureModeSays() {
        transcript(HELD, MESSAGE, """
                client gets: 451 4.3.0 Temporary local problem, try again later
                server gets: RSET
                server: 250 reset
                """, NEXT_ENVELOPE, QUIT).handler(() -> Paths.holding(message -> {
                    throw new IllegalStateException("a judge that fails, for the test");
                })).replayEveryWay();
        transcript(HELD, MESSAGE, SENT, QUEUED, QUIT)
                .handler(() -> Paths.choosing(MessageUse.look(), FailureMode.OPEN, () -> MessagePath.hold(message -> {
                    throw new IllegalStateException("a judge that fails, for the test");
                }))).replayEveryWay();
    }

    @Test
    void lateVerdictIsTakenAsTheFailureModeSays() {
        transcript(HELD, MESSAGE, """
                (time passes: 30 s)
                client gets: 451 4.3.0 Temporary local problem, try again later
                (verdict cancelled)
                server gets: RSET
                server: 250 reset
                """, NEXT_ENVELOPE, QUIT).handler(HoldTest::late).replayEveryWay();
    }

    @Test
    void clientThatVanishesLeavesNothingKeptAndNothingSent() {
        for (var message : List.of(MESSAGE, "client: half\n")) {
            transcript(HELD, message, """
                    (client vanishes)
                    server gets: QUIT
                    server leg: awaits peer
                    (nothing kept)
                    (session ended)
                    """).handler(HoldTest::late).records("transaction", """
                            transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets ABANDONED""").replayEveryWay();
        }
        transcript(HELD, MESSAGE, """
                server gets: DATA
                (client vanishes)
                server leg: aborted
                (nothing kept)
                (session ended)
                """).handler(HoldTest::unchanged).replayEveryWay();
    }

    @Test
    void clientThatVanishesWhileItsMessageIsSentOnHasItTornDown() {
        transcript(HELD, "client: \\{200000*x}\nclient: .\n", """
                server gets: DATA
                (server takes no bytes)
                server: 354 go on
                server gets nothing
                (client vanishes)
                server leg: aborted
                (nothing kept)
                (session ended)
                """).handler(HoldTest::unchanged).replayEveryWay();
    }

    private static final String AGAIN = Dialogues.FRESH_LEG + """
            server gets: MAIL FROM:<a@example.com>
            server gets: RCPT TO:<b@example.net>
            """;

    @Test
    void serverThatIsLostWhileTheMessageIsHeldIsReplacedBeforeData() {
        transcript(HELD, """
                client: Subject: x
                (server closes)
                client gets nothing
                client:\s
                client: body
                client: .
                """, AGAIN, """
                server: 250 mail
                server: 250 rcpt
                """, SENT, QUEUED, NEXT_ENVELOPE, QUIT).handler(HoldTest::unchanged).replayEveryWay();
        transcript(HELD, MESSAGE, """
                server: 451 4.7.0 Timeout waiting for client input
                server leg: aborted
                client gets nothing
                (verdict: proceed)
                """, AGAIN, """
                server: 250 mail
                server: 250 rcpt
                """, SENT, QUEUED, QUIT).handler(HoldTest::late).replayEveryWay();
        transcript(HELD, MESSAGE, """
                server: 421 4.4.2 timeout
                server leg: aborted
                client gets nothing
                (verdict: proceed)
                """, AGAIN, """
                server: 250 mail
                server: 250 rcpt
                """, SENT, QUEUED, QUIT).handler(HoldTest::late).replayEveryWay();
    }

    @Test
    void onlyAcceptedRecipientsAreSaidAgain() {
        transcript(Paths.OPEN, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<no@example.net>
                client: RCPT TO:<b@example.net>
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<no@example.net>
                server gets: RCPT TO:<b@example.net>
                server: 250 mail
                server: 550 no
                server: 250 b
                client gets: 250 mail
                client gets: 550 no
                client gets: 250 b
                client: DATA
                client gets: 354 Send the message, end it with <CRLF>.<CRLF>
                (server closes)
                """, MESSAGE, AGAIN, """
                server: 250 mail
                server: 250 rcpt
                """, SENT, QUEUED, QUIT).handler(HoldTest::unchanged).replayEveryWay();
    }

    @Test
    void freshLegThatDoesNotAcceptTheEnvelopeAgainGetsNoMessage() {
        transcript(HELD, "(server closes)\n", MESSAGE, AGAIN, """
                server: 250 mail
                server: 450 greylisted
                client gets: 451 4.4.2 Server connection was lost, and sender or recipients are not accepted again over a new one
                server gets: RSET
                server: 250 reset
                (nothing kept)
                """, NEXT_ENVELOPE, QUIT).handler(HoldTest::unchanged).replayEveryWay();
        transcript(HELD, "(server closes)\n", MESSAGE, AGAIN, """
                server: 421 4.3.2 closing
                client gets: 421 4.3.2 closing
                (nothing kept)
                (session ended)
                """).handler(HoldTest::unchanged).replayEveryWay();
    }

    @Test
    void noSecondFreshLegIsTried() {
        transcript(HELD, "(server closes)\n", MESSAGE, AGAIN, """
                (server closes)
                client gets: 451 4.4.2 Server closed the connection before the message was sent on to it
                (nothing kept)
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTest::unchanged).replayEveryWay();
        transcript(HELD, MESSAGE, """
                server gets: DATA
                (server closes)
                client gets: 451 4.4.2 Server closed the connection before the message was sent on to it
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTest::unchanged).replayEveryWay();
        transcript(HELD, "(server closes)\n", MESSAGE, """
                (server refuses: gone)
                client gets: 421 4.4.1 Server can't be reached: gone
                (nothing kept)
                (session ended)
                """).handler(HoldTest::unchanged).replayEveryWay();
    }

    @Test
    void messageThatIsRejectedNeedsNoFreshLeg() {
        transcript(HELD, "(server closes)\n", MESSAGE, """
                (verdict: reject 550 5.7.1 spam)
                client gets: 550 5.7.1 spam
                (nothing kept)
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTest::late).replayEveryWay();
    }

    @Test
    void serverThatAnswersEarlyOrDiesInTheMessageSettlesIt() {
        transcript(HELD, "client: \\{200000*x}\nclient: .\n", """
                server gets: DATA
                (server takes no bytes)
                server: 354 go on
                server gets nothing
                server: 552 5.3.4 too big
                server leg: aborted
                client gets: 552 5.3.4 too big
                (nothing kept)
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTest::unchanged).replayEveryWay();
        transcript(HELD, "client: \\{200000*x}\nclient: .\n", """
                server gets: DATA
                (server takes no bytes)
                server: 354 go on
                (server closes)
                client gets: 451 4.4.2 Server closed the connection in the middle of the message
                (nothing kept)
                """, NEXT_OVER_FRESH_LEG, QUIT).handler(HoldTest::unchanged).replayEveryWay();
    }

    @Test
    void fullDiskIsAnsweredOnceAtTheEndAndTheSessionGoesOn() {
        transcript(HELD, """
                client: first
                (store is full)
                client: second
                client: .
                client gets: 452 4.3.1 Message can't be kept for now: insufficient storage
                server gets: RSET
                server: 250 reset
                (nothing kept)
                (store works again)
                """, NEXT_ENVELOPE, QUIT).handler(HoldTest::late).replayEveryWay();
    }

    @Test
    void stalledDiskIsBounded() {
        transcript(HELD, """
                client: first
                (store stalls)
                client: second
                (time passes: 179 s)
                client gets nothing
                (time passes: 1 s)
                client: .
                client gets: 451 4.3.0 Message can't be kept for now: storage does not answer
                server gets: RSET
                server: 250 reset
                (nothing kept)
                (store works again)
                """, NEXT_ENVELOPE, QUIT).handler(HoldTest::late).replayEveryWay();
    }

    @Test
    void smugglingIsRefusedHereToo() {
        transcript(HELD, """
                client: x\\n.\\n\\
                client: MAIL FROM:<ceo@example.com>
                client: .
                client gets: 550 5.5.2 Message refused: it holds a dot between bare CR or LF that may be read as its end
                server gets: RSET
                server: 250 reset
                (nothing kept)
                """, NEXT_ENVELOPE, QUIT).handler(HoldTest::late).replayEveryWay();
    }

    @Test
    void chunksAreNotOfferedWhereMessagesAreHeld() {
        transcript(ENVELOPE, """
                client: BDAT 3 LAST
                client: abc\\
                client gets: 503 5.5.1 CHUNKING was not offered
                server gets: RSET
                """).handler(HoldTest::late).replayEveryWay();
    }

    private static final String SERIAL_HELD = Dialogues.SERIAL + """
            client: MAIL FROM:<a@example.com>
            client: RCPT TO:<b@example.net>
            client: DATA
            server gets: MAIL FROM:<a@example.com>
            server: 250 mail
            client gets: 250 mail
            server gets: RCPT TO:<b@example.net>
            server: 250 rcpt
            client gets: 250 rcpt
            client gets: 354 Send the message, end it with <CRLF>.<CRLF>
            """;

    @Test
    void serverWithoutPipeliningGetsOneCommandAtATime() {
        transcript(SERIAL_HELD, MESSAGE, "client: NOOP\n", SENT, """
                server: 250 queued
                client gets: 250 queued
                server gets: NOOP
                server: 250 noop
                client gets: 250 noop
                """, QUIT).handler(HoldTest::unchanged).replayEveryWay();
        transcript(SERIAL_HELD, "(server closes)\n", MESSAGE, """
                (server connects)
                server: 220 mx.example.net ESMTP
                server gets: EHLO a.example
                server: 250 mx.example.net
                server gets: MAIL FROM:<a@example.com>
                server: 250 mail
                server gets: RCPT TO:<b@example.net>
                server: 250 rcpt
                """, SENT, QUEUED, QUIT).handler(HoldTest::unchanged).replayEveryWay();
        transcript(SERIAL_HELD, MESSAGE, """
                (verdict: reject 550 no)
                client gets: 550 no
                server gets: RSET
                client: MAIL FROM:<c@example.com>
                server gets nothing
                server: 250 reset
                server gets: MAIL FROM:<c@example.com>
                server: 250 mail
                client gets: 250 mail
                """, QUIT).handler(HoldTest::late).replayEveryWay();
    }

    @Test
    void clientThatShutsItsOutputWhileItsMessageIsJudgedIsTakenForGoneUnlessItSaidQuit() {
        transcript(HELD, MESSAGE, """
                (client half-closes)
                server gets: QUIT
                (verdict cancelled)
                (nothing kept)
                (session ended)
                """).handler(HoldTest::late).replayEveryWay();
        transcript(HELD, MESSAGE, """
                client: QUIT
                (client half-closes)
                (session goes on)
                (verdict: proceed)
                server gets: DATA
                server: 354 go on
                server gets: Subject: x
                server gets:\s
                server gets: body
                server gets: .
                server gets: QUIT
                server: 250 queued
                server: 221 bye
                client gets: 250 queued
                client gets: 221 bye
                (session ended)
                """).handler(HoldTest::late).replayEveryWay();
    }

    @Test
    void stopLetsAHeldMessageFinish() {
        transcript(HELD, """
                client: Subject: x
                (stop)
                client:\s
                client: body
                client: .
                (verdict: proceed)
                """, SENT, """
                server: 250 queued
                client gets: 250 queued
                client gets: 421 4.3.2 Service is stopping, closing
                server gets: QUIT
                (session ended)
                """).handler(HoldTest::late).replayEveryWay();
        transcript(HELD, MESSAGE, """
                (stop now)
                client gets: 421 4.3.2 Service is stopping, closing
                server gets: QUIT
                (nothing kept)
                (verdict cancelled)
                (session ended)
                """).handler(HoldTest::late).replayEveryWay();
    }

    @Test
    void readerOfAnotherHandlerReadsAlongAndIsAskedInItsTurn() {
        var readers = new ArrayList<Paths.Reading>();
        transcript(HELD, MESSAGE, SENT, QUEUED, QUIT).handlers(() -> {
            var reading = new Paths.Reading();
            readers.add(reading);
            return List.of(unchanged(), Paths.reading(reading));
        }).replayEveryWay();
        for (var reading : readers) {
            assertThat(reading.text()).isEqualTo("Subject: x\r\n\r\nbody\r\n");
        }
        transcript(HELD, MESSAGE, """
                client gets: 550 5.7.1 no
                server gets: RSET
                """).handlers(() -> List.of(unchanged(), Paths.reading(new Paths.Reading() {
                    @Override
                    public Verdict<Void> end() {
                        return Verdict.reject(Reply.of(550, "5.7.1", "no"));
                    }
                }))).replayEveryWay();
    }

    @Test
    void dataBehindAMessageThatIsThroughIsTheServersToRefuse() {
        transcript(Paths.OPEN, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 mail
                server: 250 rcpt
                client gets: 250 mail
                client gets: 250 rcpt
                client: DATA
                client gets: 354 Send the message, end it with <CRLF>.<CRLF>
                client: .
                server gets: DATA
                server: 354 go on
                server gets: .
                server: 250 queued
                client gets: 250 queued
                client: DATA
                server gets: DATA
                server: 503 no transaction
                client gets: 503 no transaction
                """, QUIT).handler(HoldTest::unchanged).replayEveryWay();
    }

    @Test
    void headerLongerThanIsReadPassesAllTheSame() {
        var held = HELD.replace("client gets: 250-SIZE 1000000", "client gets: 250-SIZE 999900");
        for (var header : List.of("X: \\{300000*x}", "A: b\\r\\n".repeat(60_000) + "A: b", "\\{300000*x}",
                "A: b\\r\\n \\{300000* }x")) {
            var transcript = transcript(held, "client: " + header + "\nclient: .\n", """
                    server gets: DATA
                    server: 354 go on
                    """, "server gets: X-New: 1\nserver gets: " + header + "\nserver gets: .\n", QUEUED, QUIT)
                    .handler(() -> Paths.choosing(MessageUse.grow(100), () -> MessagePath.hold(message -> Verdict.rewrite(
                            MessageChange.none().prepend(Header.of("X-New", "1"))))));
            transcript.replay();
            transcript.replayAtRandomCuts(System.nanoTime(), 3);
        }
    }
}
