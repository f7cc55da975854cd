package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.SERIAL;
import static dev.weft.session.Dialogues.transcript;

import org.junit.jupiter.api.Test;

class PipeliningTest {

    private static final String GROUP = """
            client: MAIL FROM:<a@example.com>
            client: RCPT TO:<b@example.net>
            client: RCPT TO:<bad@example.net>
            client: RCPT TO:<c@example.net>
            client: DATA
            """;

    @Test
    void eachCommandOfAGroupIsSeenAndEachReplyComesInOrder() {
        transcript(OPEN, GROUP, """
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<bad@example.net>
                server gets: RCPT TO:<c@example.net>
                server gets: DATA
                server: 250 2.1.0 Ok
                client gets: 250 2.1.0 Ok
                server: 250 2.1.5 Ok
                server: 550-5.1.1 no such
                server: 550 5.1.1 user
                server: 250 2.1.5 Ok too
                server: 354 go on
                client gets: 250 2.1.5 Ok
                client gets: 550-5.1.1 no such
                client gets: 550 5.1.1 user
                client gets: 250 2.1.5 Ok too
                client gets: 354 go on
                client: x
                client: .
                server gets: x
                server gets: .
                server: 250 2.0.0 queued
                client gets: 250 2.0.0 queued
                """, QUIT).records("command mail rcpt message reply transaction session", """
                        command EHLO a.example
                        reply EHLO 250 mx.example.net PIPELINING SIZE 1000000 AUTH PLAIN LOGIN CHUNKING
                        command MAIL FROM:<a@example.com>
                        mail 1 <a@example.com>
                        command RCPT TO:<b@example.net>
                        rcpt 1 <b@example.net>
                        command RCPT TO:<bad@example.net>
                        rcpt 1 <bad@example.net>
                        command RCPT TO:<c@example.net>
                        rcpt 1 <c@example.net>
                        command DATA
                        message 1 3
                        reply MAIL 250 2.1.0 Ok
                        reply RCPT 250 2.1.5 Ok
                        reply RCPT 550 5.1.1 no such 5.1.1 user
                        reply RCPT 250 2.1.5 Ok too
                        reply DATA 354 go on
                        reply DATA 250 2.0.0 queued
                        transaction 1 <a@example.com> to <b@example.net>=250 <bad@example.net>=550 <c@example.net>=250 : 3 octets \
                ACCEPTED 250 2.0.0 queued
                        command QUIT
                        reply QUIT 221 2.0.0 Bye
                        session QUIT 1""").replayEveryWay();
    }

    @Test
    void pipeliningClientIsSerialisedToAServerThatDoesNotPipeline() {
        transcript(SERIAL, GROUP, """
                server gets: MAIL FROM:<a@example.com>
                server: 250 1
                client gets: 250 1
                server gets: RCPT TO:<b@example.net>
                server: 250 2
                client gets: 250 2
                server gets: RCPT TO:<bad@example.net>
                server: 550 3
                client gets: 550 3
                server gets: RCPT TO:<c@example.net>
                server: 250 4
                client gets: 250 4
                server gets: DATA
                server: 354 5
                client gets: 354 5
                client: x
                client: .
                client: QUIT
                server gets: x
                server gets: .
                server: 250 6
                client gets: 250 6
                server gets: QUIT
                server: 221 7
                client gets: 221 7
                """).records("notice", "notice UNASKED_PIPELINING").replayEveryWay();
    }

    @Test
    void recipientRejectedHereIsAnsweredInItsPlace() {
        transcript(OPEN, GROUP, """
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<c@example.net>
                server gets: DATA
                client gets nothing
                server: 250 mail
                client gets: 250 mail
                server: 250 b
                client gets: 250 b
                client gets: 550 5.7.1 not here
                server: 250 c
                server: 354 go on
                client gets: 250 c
                client gets: 354 go on
                client: .
                server gets: .
                server: 250 queued
                client gets: 250 queued
                """).handler(() -> Rules.rejectPath("bad@")).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 <bad@example.net>=550 <c@example.net>=250 : 0 octets \
                ACCEPTED 250 queued""").replayEveryWay();
    }

    @Test
    void recipientRejectedHereIsAnsweredInItsPlaceAmongSerialisedOnes() {
        transcript(SERIAL, GROUP, """
                server gets: MAIL FROM:<a@example.com>
                server: 250 mail
                client gets: 250 mail
                server gets: RCPT TO:<b@example.net>
                server: 250 b
                client gets: 250 b
                client gets: 550 5.7.1 not here
                server gets: RCPT TO:<c@example.net>
                server: 250 c
                client gets: 250 c
                server gets: DATA
                server: 451 later
                client gets: 451 later
                """, QUIT).handler(() -> Rules.rejectCommand("bad@")).replayEveryWay();
    }

    @Test
    void mailRejectedHereLeavesTheRestToTheServer() {
        transcript(OPEN, GROUP, """
                client gets: 550 5.7.1 not here
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<bad@example.net>
                server gets: RCPT TO:<c@example.net>
                server gets: DATA
                server: 503 1
                server: 503 2
                server: 503 3
                server: 503 4
                client gets: 503 1
                client gets: 503 2
                client gets: 503 3
                client gets: 503 4
                """, Dialogues.NEXT_ENVELOPE, QUIT).handler(() -> Rules.rejectPath("a@example.com")).records("transaction session", """
                        transaction 1 <a@example.com> to  : 0 octets REFUSED 550 5.7.1 not here
                        transaction 2 <c@example.com> to <d@example.net>=250 : 0 octets ABANDONED
                        session QUIT 2""").replayEveryWay();
    }

    @Test
    void dataRejectedHereResetsTheServerUnseen() {
        transcript(OPEN, GROUP, """
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<bad@example.net>
                server gets: RCPT TO:<c@example.net>
                server gets: RSET
                server: 250 1
                server: 250 2
                server: 550 3
                server: 250 4
                client gets: 250 1
                client gets: 250 2
                client gets: 550 3
                client gets: 250 4
                client gets: 550 5.7.1 not here
                client: MAIL FROM:<c@example.com>
                server gets: MAIL FROM:<c@example.com>
                server: 250 reset
                client gets nothing
                server: 250 mail
                client gets: 250 mail
                """).handler(() -> Rules.rejectCommand("DATA")).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 <bad@example.net>=550 <c@example.net>=250 : 0 octets \
                REFUSED 550 5.7.1 not here""").replayEveryWay();
    }

    @Test
    void dataRejectedHereResetsASerialServerBeforeTheNextCommand() {
        transcript(SERIAL, """
                client: MAIL FROM:<a@example.com>
                server gets: MAIL FROM:<a@example.com>
                server: 250 1
                client gets: 250 1
                client: DATA
                client: NOOP
                client gets: 550 5.7.1 not here
                server gets: RSET
                server: 250 reset
                client gets nothing
                server gets: NOOP
                server: 250 noop
                client gets: 250 noop
                """).handler(() -> Rules.rejectCommand("DATA")).replayEveryWay();
    }

    @Test
    void unknownVerbIsSentAloneAndWaitedFor() {
        transcript(OPEN, """
                client: NOOP
                client: XFOO bar
                client: NOOP again
                server gets: NOOP
                server: 250 1
                client gets: 250 1
                server gets: XFOO bar
                server: 500 2
                client gets: 500 2
                server gets: NOOP again
                server: 250 3
                client gets: 250 3
                """, QUIT).replayEveryWay();
    }

    @Test
    void intermediateReplyToAnUnknownVerbIsOutOfStep() {
        transcript(OPEN, """
                client: XFOO bar
                client: MAIL FROM:<a@example.com>
                server gets: XFOO bar
                server: 354 go on
                client gets: 421 4.5.0 Server sent a reply that answers no command, closing
                server gets nothing
                (session ended)
                """).records("session", "session OUT_OF_STEP 0 : reply 354 to UNKNOWN").replayEveryWay();
    }

    @Test
    void commandsThatWereNotOfferedAreAnsweredHereInTheirPlace() {
        transcript(OPEN, """
                client: NOOP
                client: STARTTLS
                client: XCLIENT ADDR=192.0.2.99
                client: x-exps NTLM
                client: RSET
                server gets: NOOP
                server gets: RSET
                client gets nothing
                server: 250 1
                server: 250 5
                client gets: 250 1
                client gets: 502 5.5.1 Command not offered
                client gets: 502 5.5.1 Command not offered
                client gets: 502 5.5.1 Command not offered
                client gets: 250 5
                """, QUIT).replayEveryWay();
    }

    @Test
    void maskedStarttlsIsAnUnknownVerb() {
        transcript(GREETED, """
                client: EHLO a.example
                server gets: EHLO a.example
                server: 250-mx
                server: 250 XXXXXXXA
                client gets: 250 mx
                client: XXXXXXXX
                server gets: XXXXXXXX
                server: 500 what
                client gets: 500 what
                """, QUIT).replayEveryWay();
    }

    @Test
    void nothingPassesBehindQuit() {
        transcript(OPEN, """
                client: QUIT
                client: MAIL FROM:<a@example.com>
                server gets: QUIT
                server: 221 bye
                client gets: 221 bye
                server gets nothing
                (session ended)
                """).replayEveryWay();
    }

    @Test
    void manyOutstandingCommandsCloseTheGate() {
        var text = new StringBuilder(OPEN);
        text.append("client: NOOP\n".repeat(150)).append("server gets: NOOP\n".repeat(100));
        text.append("server: 250 a\n").append("client gets: 250 a\n").append("server gets: NOOP\n");
        text.append("server: 250 b\n".repeat(100)).append("client gets: 250 b\n".repeat(100)).append("server gets: NOOP\n".repeat(49));
        text.append("server: 250 c\n".repeat(49)).append("client gets: 250 c\n".repeat(49));
        transcript(text.toString(), QUIT).replay();
    }
}
