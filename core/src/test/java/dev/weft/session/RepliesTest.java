package dev.weft.session;

import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;

import org.junit.jupiter.api.Test;

class RepliesTest {

    private static final String OUT_OF_STEP = """
            client gets: 421 4.5.0 Server sent a reply that answers no command, closing
            client leg: lingers
            server leg: awaits peer
            server gets nothing
            (session ended)
            """;

    @Test
    void bareCodesAreCompleteReplies() {
        transcript("""
                (server connects)
                server: 220
                client gets: 220
                client: HELO a.example
                server gets: HELO a.example
                server: 250
                client gets: 250
                client: MAIL FROM:<a@example.com>
                server gets: MAIL FROM:<a@example.com>
                server: 250-
                server: 250
                client gets: 250-
                client gets: 250
                client: DATA
                server gets: DATA
                server: 354
                client gets: 354
                client: .
                server gets: .
                server: 250\\tqueued
                client gets: 250\\tqueued
                client: QUIT
                server gets: QUIT
                server: 221
                client gets: 221
                """).records("transaction session", """
                        transaction 1 <a@example.com> to  : 0 octets ACCEPTED 250 queued
                        session QUIT 1""").replayEveryWay();
    }

    @Test
    void longRefusalsPassLineByLine() {
        var reply = """
                421-4.7.26 Your IP has been
                421-4.7.26
                421-
                421-4.7.26 limited. See
                421-4.7.26  https://mx.example.net/
                421 4.7.26 - gsmtp""".replace("421", "451");
        transcript(ENVELOPE, "client: RCPT TO:<c@example.net>\nserver gets: RCPT TO:<c@example.net>\n",
                "server: " + reply.replace("\n", "\nserver: ") + "\n", "client gets: " + reply.replace("\n", "\nclient gets: ") + "\n", QUIT)
                .recording(recorder -> {
                    var last = recorder.transactions().get(0).recipients().get(1).reply().orElseThrow();
                    if (last.lines().size() != 6 || last.enhancedCode().isEmpty()) {
                        throw new AssertionError(last);
                    }
                }).replayEveryWay();
    }

    @Test
    void lineFeedAloneEndsAServersLineAndIsNoticed() {
        transcript(OPEN, """
                client: NOOP
                server gets: NOOP
                server: 250-a\\n250 b\\n\\
                client gets: 250-a\\n250 b\\n\\
                """, QUIT).records("notice", "notice BARE_LF_REPLY a b").replayEveryWay();
    }

    @Test
    void mixedCodesCountAsTheLastLine() {
        transcript(ENVELOPE, """
                client: RCPT TO:<c@example.net>
                server gets: RCPT TO:<c@example.net>
                server: 250-maybe
                server: 550 no
                client gets: 250-maybe
                client gets: 550 no
                """, QUIT).records("notice transaction", """
                        notice MIXED_CODES maybe no
                        transaction 1 <a@example.com> to <b@example.net>=250 <c@example.net>=550 : 0 octets ABANDONED""").replayEveryWay();
    }

    @Test
    void lineThatIsNoReplyEndsTheSession() {
        transcript(OPEN, """
                client: NOOP
                server gets: NOOP
                server: hello
                client gets: 421 4.5.0 Server sent what is no SMTP reply, closing
                server leg: awaits peer
                server gets nothing
                """).records("notice session", """
                        notice MALFORMED_REPLY hello??
                        session OUT_OF_STEP 0 : malformed reply""").replayEveryWay();
        transcript(OPEN, """
                client: NOOP
                server gets: NOOP
                server: 250-a
                server: b
                client gets: 421 4.5.0 Server sent what is no SMTP reply, closing
                """).replayEveryWay();
    }

    @Test
    void replyBeyondTheLimitsEndsTheSession() {
        transcript(OPEN, """
                client: NOOP
                server gets: NOOP
                server: 250 \\{3000*x}
                client gets: 250 \\{3000*x}
                client: NOOP
                server gets: NOOP
                server: 250 \\{17000*x}
                client gets: 421 4.5.0 Server sent a reply that is too long, closing
                """).replayEveryWay();
        transcript(OPEN, "client: NOOP\nserver gets: NOOP\n", "server: 250-\\{900*x}\n".repeat(75),
                "client gets: 421 4.5.0 Server sent a reply that is too long, closing\n").replayEveryWay();
    }

    @Test
    void strayReplyEndsTheSessionAndIsNeverShifted() {
        transcript(ENVELOPE, "server: 250 stray\n", OUT_OF_STEP).records("transaction session", """
                transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets ABANDONED
                session OUT_OF_STEP 1 : a reply that nothing asked for: stray""").replayEveryWay();
    }

    @Test
    void strayReplyGluedToAValidOneIsFoundOut() {
        transcript(OPEN, "client: NOOP\nserver gets: NOOP\nserver: 250 yes\nserver: 250 stray\nclient gets: 250 yes\n", OUT_OF_STEP)
                .replayEveryWay();
    }

    @Test
    void strayReplyGluedToAValidOneIsNeverGivenToACommandThatWaits() {
        transcript(OPEN, """
                client: XFOO
                client: NOOP
                server gets: XFOO
                server: 250 yes
                server: 250 stray
                client gets: 250 yes
                """, OUT_OF_STEP).replay();
    }

    @Test
    void unaskedFor421IsPassedOn() {
        transcript(OPEN, """
                server: 421 4.4.2 idle too long
                client gets: 421 4.4.2 idle too long
                client leg: lingers
                server gets nothing
                """).records("session", "session SERVER_GONE 0 : 4.4.2 idle too long").replayEveryWay();
    }

    @Test
    void replyOf421ToAnyCommandEndsTheSession() {
        transcript(ENVELOPE, """
                client: RCPT TO:<c@example.net>
                client: RCPT TO:<d@example.net>
                server gets: RCPT TO:<c@example.net>
                server gets: RCPT TO:<d@example.net>
                server: 421 4.7.0 enough
                client gets: 421 4.7.0 enough
                (session ended)
                server gets nothing
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 <c@example.net>=421 <d@example.net>=? : 0 octets ABANDONED
                        session SERVER_GONE 1 : 4.7.0 enough""").replayEveryWay();
    }

    @Test
    void intermediateReplyOutOfPlaceEndsTheSession() {
        for (var command : new String[] {"NOOP", "RCPT TO:<c@example.net>", "RSET", "QUIT", "EHLO b", "VRFY x"}) {
            transcript(ENVELOPE, "client: " + command + "\nserver gets: " + command + "\nserver: 354 go on\n", OUT_OF_STEP).replayEveryWay();
        }
        transcript(ENVELOPE, "client: DATA\nserver gets: DATA\nserver: 250 queued\n", """
                client gets: 421 4.5.0 Server sent a reply that answers no command, closing
                """).replayEveryWay();
    }

    @Test
    void malformedReplyWithinAMessageLeavesNothingBehind() {
        transcript(Dialogues.DATA, """
                client: x
                server gets: x
                server: what
                client gets: 421 4.5.0 Server sent what is no SMTP reply, closing
                server leg: aborted
                """).replayEveryWay();
    }

    @Test
    void replyThatIsCutAtTheEndIsNoReply() {
        transcript(OPEN, """
                client: NOOP
                server gets: NOOP
                server: 250 ye\\
                (server closes)
                client gets: 421 4.4.2 Server closed the connection
                """).replayEveryWay();
    }
}
