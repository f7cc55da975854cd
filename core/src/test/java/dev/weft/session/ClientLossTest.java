package dev.weft.session;

import static dev.weft.session.Dialogues.DATA;
import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.SERIAL;
import static dev.weft.session.Dialogues.transcript;

import dev.weft.testkit.DeferringHandler;
import org.junit.jupiter.api.Test;

class ClientLossTest {

    @Test
    void clientThatVanishesBetweenTransactionsSaysQuit() {
        for (var event : new String[] {"(client vanishes)\nclient leg: aborted\n", "(client half-closes)\nclient leg: lingers\n"}) {
            transcript(OPEN, event, """
                    server gets: QUIT
                    server leg: awaits peer
                    """).replayEveryWay();
            transcript(ENVELOPE, event, """
                    server gets: QUIT
                    server leg: awaits peer
                    """).replayEveryWay();
        }
    }

    @Test
    void clientThatGoesInTheMessageLeavesNothingBehind() {
        for (var event : new String[] {"(client vanishes)\n", "(client half-closes)\n"}) {
            for (var sent : new String[] {"x", "x\\r\\n.\\", "x\\r\\n.\\r\\"}) {
                transcript(DATA, "client: " + sent + "\n" + event, """
                        server leg: aborted
                        (session ended)
                        server gets: x%s
                        """.formatted(sent.equals("x") ? "" : "\\r\\n.\\")).recording(recorder -> {
                    if (!recorder.transactions().get(0).outcome().name().equals("ABANDONED")) {
                        throw new AssertionError(recorder.lines());
                    }
                }).replayEveryWay();
            }
        }
    }

    @Test
    void clientThatVanishesBehindDataLeavesNothingBehind() {
        transcript(ENVELOPE, """
                client: DATA
                server gets: DATA
                (client vanishes)
                server leg: aborted
                """).replayEveryWay();
    }

    @Test
    void replyToTheMessageIsRecordedThoughTheClientVanished() {
        transcript(DATA, """
                client: .
                server gets: .
                (client vanishes)
                client leg: aborted
                server leg: open
                (session goes on)
                (time passes: 10 min)
                server: 250 queued
                client gets nothing
                server gets: QUIT
                server leg: awaits peer
                (session ended)
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets ACCEPTED 250 queued
                        session CLIENT_GONE 1 : after its message""").replayEveryWay();
    }

    @Test
    void replyThatNeverComesLeavesTheMessageUncertain() {
        for (var event : new String[] {"(time passes: 15 min)\n", "(server closes)\n", "(stop now)\n", "server: what\n"}) {
            transcript(DATA, """
                    client: .
                    server gets: .
                    (client vanishes)
                    """, event, """
                    (session ended)
                    """).recording(recorder -> {
                        if (!recorder.transactions().get(0).outcome().name().equals("UNCERTAIN")) {
                            throw new AssertionError(recorder.lines());
                        }
                    }).replayEveryWay();
        }
    }

    @Test
    void whatTheVanishedClientPipelinedBehindItsMessageIsForgotten() {
        transcript(DATA, """
                client: .
                client: QUIT
                client: MAIL FROM:<evil@example.com>
                server gets: .
                server gets: QUIT
                (client vanishes)
                server: 250 queued
                server gets nothing
                (session ended)
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets ACCEPTED 250 queued
                        session CLIENT_GONE 1 : after its message""").replayEveryWay();
    }

    @Test
    void commandThatWaitedBehindTheMessageOfAVanishedClientIsNeverSent() {
        transcript(DATA, """
                client: .
                client: XFOO
                server gets: .
                (client vanishes)
                (server closes)
                server leg: aborted
                (session ended)
                """).replayEveryWay();
        transcript(DATA, """
                client: .
                client: RSET
                server gets: .
                (client vanishes)
                (verdict cancelled)
                server: 250 queued
                server gets: QUIT
                (session ended)
                """).handler(() -> DeferringHandler.atCommand("RSET")).replayEveryWay();
    }

    @Test
    void halfClosedClientStillGetsItsFinalReply() {
        transcript(DATA, """
                client: x
                client: .
                (client half-closes)
                server gets: x
                server gets: .
                (time passes: 2 min)
                (session goes on)
                server: 250 queued
                client gets: 250 queued
                client leg: lingers
                server gets: QUIT
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets ACCEPTED 250 queued
                        session CLIENT_GONE 1""").replayEveryWay();
    }

    @Test
    void halfClosedClientGetsItsFinalReplyThoughAVerdictIsOutstanding() {
        transcript(DATA, """
                client: .
                server gets: .
                client: RSET
                (client half-closes)
                client leg: open
                server: 250 queued
                client gets: 250 queued
                (verdict: proceed)
                server gets: RSET
                server: 250 reset
                client gets: 250 reset
                client leg: lingers
                server gets: QUIT
                """).handler(() -> DeferringHandler.atCommand("RSET")).replayEveryWay();
    }

    @Test
    void halfClosedClientOfASerialServerIsServedToTheEnd() {
        transcript(SERIAL, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: RSET
                (client half-closes)
                server gets: MAIL FROM:<a@example.com>
                server: 250 1
                client gets: 250 1
                server gets: RCPT TO:<b@example.net>
                server: 250 2
                client gets: 250 2
                server gets: RSET
                server: 250 3
                client gets: 250 3
                server gets: QUIT
                client leg: lingers
                """).replayEveryWay();
    }

    @Test
    void halfClosedClientThatSaidQuitIsServedToTheEnd() {
        transcript(DATA, """
                client: .
                client: QUIT
                (client half-closes)
                server gets: .
                server gets: QUIT
                server: 250 queued
                client gets: 250 queued
                server: 221 bye
                client gets: 221 bye
                client leg: lingers
                """).records("session", "session QUIT 1").replayEveryWay();
    }

    @Test
    void clientThatGoesWhileAVerdictIsOutstandingIsNoticedAtOnce() {
        for (var event : new String[] {"(client vanishes)\n", "(client half-closes)\n"}) {
            transcript(OPEN, """
                    client: MAIL FROM:<a@example.com>
                    client: RCPT TO:<b@example.net>
                    server gets nothing
                    """, event, """
                    (session ended)
                    (verdict cancelled)
                    server gets: QUIT
                    """).handler(() -> DeferringHandler.at("mail")).records("transaction", """
                            transaction 1 <a@example.com> to  : 0 octets ABANDONED""").replayEveryWay();
        }
    }

    @Test
    void clientThatGoesWhileAFreshLegConnectsIsNoticedAtOnce() {
        for (var event : new String[] {"(client vanishes)\n", "(client half-closes)\n"}) {
            transcript(DATA, """
                    (server closes)
                    client: .
                    client gets: 451 4.4.2 Server closed the connection in the middle of the message
                    client: MAIL FROM:<c@example.com>
                    """, event, """
                    (session ended)
                    server leg: aborted
                    """).replayEveryWay();
        }
    }

    @Test
    void clientThatStopsReadingBehindItsMessageDoesNotHideTheReply() {
        transcript(DATA, """
                client: .
                server gets: .
                (client takes no bytes)
                server reading: paused
                (time passes: 3 min)
                client leg: aborted
                server reading: on
                server: 250 queued
                server gets: QUIT
                (session ended)
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets ACCEPTED 250 queued
                        session CLIENT_GONE 1 : after its message""").replayEveryWay();
    }

    @Test
    void partOfACommandIsNoCommand() {
        transcript(OPEN, """
                client: MAIL FROM:<a@example.com>\\
                (client half-closes)
                server gets: QUIT
                client leg: lingers
                """).replayEveryWay();
    }

    @Test
    void clientThatVanishedBeforeItsNextMessageLeavesTheServerWithoutIt() {
        transcript(DATA, """
                client: x
                client: .
                client: MAIL FROM:<c@example.com>
                client: RCPT TO:<d@example.net>
                client: DATA
                server gets: x
                server gets: .
                server gets: MAIL FROM:<c@example.com>
                server gets: RCPT TO:<d@example.net>
                server gets: DATA
                (client vanishes)
                server: 250 queued
                server: 250 mail
                server: 250 rcpt
                server: 354 go on
                server leg: aborted
                (session ended)
                """).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets ACCEPTED 250 queued
                        transaction 2 <c@example.com> to <d@example.net>=? : 0 octets ABANDONED""").replayEveryWay();
    }
}
