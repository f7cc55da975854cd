package dev.weft.session;

import static dev.weft.session.Dialogues.DATA;
import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;
import org.junit.jupiter.api.Test;

/** What a lax server reads as a command must not reach it unless it was read as that command here. */
class BypassTest {

    @Test
    void verbsWithOctetsThatSomeServersTakeForBlanksAreRefusedHere() {
        for (var line : new String[] {"MAIL\\x0bFROM:<evil@example.com>", "RCPT\\x0cTO:<evil@example.net>", "\\x0bDATA", "\\x01QUIT", "RSET\\0",
            "XCLIENT\\x0bADDR=192.0.2.1", "\\x7fNOOP", "\\xCDAIL FROM:<evil@example.com>"}) {
            transcript(ENVELOPE, "client: " + line + "\n", """
                    server gets nothing
                    client gets: 500 5.5.2 Command not recognized
                    """, QUIT).records("mail rcpt", """
                            mail 1 <a@example.com>
                            rcpt 1 <b@example.net>""").replayEveryWay();
        }
    }

    @Test
    void serverThatOpensAMessageWithoutATransactionIsOutOfStep() {
        transcript(OPEN, """
                client: SOML FROM:<evil@example.com>
                server gets: SOML FROM:<evil@example.com>
                server: 250 ok
                client gets: 250 ok
                client: RCPT TO:<b@example.net>
                client: DATA
                server gets: RCPT TO:<b@example.net>
                server gets: DATA
                server: 250 ok
                client gets: 250 ok
                server: 354 go on
                client gets: 421 4.5.0 Server sent a reply that answers no command, closing
                (session ended)
                """).replayEveryWay();
    }

    @Test
    void chunkWithoutATransactionIsAnsweredHere() {
        transcript(OPEN, """
                client: BDAT 3 LAST
                client: abc\\
                client: NOOP
                server gets: NOOP
                client gets: 503 5.5.1 No transaction is open: MAIL first
                server: 250 noop
                client gets: 250 noop
                """, QUIT).replayEveryWay();
    }

    @Test
    void chunkGoesOnInTheOneSpellingThatAllServersCountAlike() {
        for (var line : new String[] {" BDAT 3", "BDAT\\t3", "BDAT  3\\s", "bdat 003"}) {
            transcript(ENVELOPE, "client: " + line + "\nclient: abc\\\n", """
                    server gets: BDAT 3
                    server gets: abc\\
                    server: 250 3 octets
                    client gets: 250 3 octets
                    """, QUIT).replayEveryWay();
        }
    }

    @Test
    void chunkBeyondWhatServersCanCountEndsTheSession() {
        for (var size : new String[] {"2147483648", "4294967296", "4294967299"}) {
            transcript(ENVELOPE, "client: BDAT " + size + " LAST\n", """
                    client: MAIL FROM:<evil@example.com>
                    server gets: QUIT
                    client gets: 421 4.5.4 BDAT size not understood: the octets behind it can't be told from commands, closing
                    """).replayEveryWay();
        }
    }

    @Test
    void oddAnswerToHeloIsCutToItsFirstLineAsItIs() {
        transcript(GREETED, """
                client: HELO a.example
                server gets: HELO a.example
                server: 250-mx \\x01 \\{600*x}
                server: 250 more
                client gets: 250 mx \\x01 \\{600*x}
                """, QUIT).replayEveryWay();
    }

    @Test
    void replyBeforeTheEndOfDataHasLeftIsNoAcceptance() {
        transcript(DATA, """
                client: x
                client: .
                server gets: x
                server gets: .
                (server takes no bytes)
                server: 250 queued
                client gets: 451 4.5.0 Server answered before the message had ended
                server leg: aborted
                (session goes on)
                """).replayEveryWay();
    }

    @Test
    void serverThatRefusesOurRsetIsLeft() {
        transcript(ENVELOPE, """
                client: DATA
                server gets: RSET
                client gets: 550 no
                server: 500 what
                client gets: 421 4.5.0 Server refuses RSET, closing
                (session ended)
                """).handler(BypassTest::refusesData).replayEveryWay();
    }

    private static RelayHandler refusesData() {
        return new RelayHandler() {
            @Override
            public Verdict<Command> command(RelaySession session, Command command) {
                return command.verb() == Verb.DATA ? Verdict.reject(Reply.plain(550, "no")) : Verdict.proceed();
            }
        };
    }
}
