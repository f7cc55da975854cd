package dev.weft.session;

import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.FRESH_LEG;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.SERIAL;
import static dev.weft.session.Dialogues.transcript;

import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import org.junit.jupiter.api.Test;

class ChunkingTest {

    @Test
    void chunksAreCountedOctetForOctet() {
        transcript(ENVELOPE, """
                client: BDAT 12
                client: QUIT\\r\\n.\\r\\n\\n.\\n\\
                client: bdat 3 last
                client: \\0\\r\\n\\
                client: NOOP
                server gets: BDAT 12
                server gets: QUIT\\r\\n.\\r\\n\\n.\\n\\
                server gets: bdat 3 last
                server gets: \\0\\r\\n\\
                server gets: NOOP
                server: 250 12 octets
                server: 250 queued
                server: 250 noop
                client gets: 250 12 octets
                client gets: 250 queued
                client gets: 250 noop
                """, QUIT).records("message reply transaction session", """
                        reply EHLO 250 mx.example.net PIPELINING SIZE 1000000 AUTH PLAIN LOGIN CHUNKING
                        reply MAIL 250 2.1.0 Ok
                        reply RCPT 250 2.1.5 Ok
                        message 1 1
                        reply BDAT 250 12 octets
                        reply bdat 250 queued
                        transaction 1 <a@example.com> to <b@example.net>=250 : 15 octets ACCEPTED 250 queued
                        reply NOOP 250 noop
                        reply QUIT 221 2.0.0 Bye
                        session QUIT 1""").replayEveryWay();
    }

    @Test
    void emptyLastChunkEndsTheMessage() {
        transcript(ENVELOPE, """
                client: BDAT 2
                client: ab\\
                client: BDAT 0 LAST
                server gets: BDAT 2
                server gets: abBDAT 0 LAST
                server: 250 2
                server: 250 queued
                client gets: 250 2
                client gets: 250 queued
                """, QUIT).replayEveryWay();
    }

    @Test
    void chunkThatWasNotOfferedIsAnsweredHereAndItsOctetsAreNoCommands() {
        transcript(SERIAL, """
                client: BDAT 17 LAST
                client: MAIL FROM:<evil>\\
                client gets nothing
                client: \\nNOOP
                client gets: 503 5.5.1 CHUNKING was not offered
                server gets: NOOP
                server: 250 ok
                client gets: 250 ok
                """, QUIT).replayEveryWay();
    }

    @Test
    void chunkThatIsNotUnderstoodEndsTheSession() {
        for (var argument : new String[] {"", " x", " -1", " 99999999999999999999", " 1 2 3", " 5 LASTLY"}) {
            transcript(ENVELOPE, "client: BDAT" + argument + "\n", """
                    client: MAIL FROM:<evil@example.com>
                    server gets: QUIT
                    client gets: 421 4.5.4 BDAT size not understood: the octets behind it can't be told from commands, closing
                    client leg: lingers
                    """).replayEveryWay();
        }
    }

    @Test
    void octetsBehindAChunkThatIsNotUnderstoodAreNeverCommands() {
        transcript(ENVELOPE, """
                client: NOOP
                client: BDAT x
                client: MAIL FROM:<evil@example.com>
                server gets: NOOP
                client gets nothing
                server: 250 noop
                client gets: 250 noop
                client gets: 421 4.5.4 BDAT size not understood: the octets behind it can't be told from commands, closing
                server gets: QUIT
                (session ended)
                """).replayEveryWay();
    }

    @Test
    void refusedChunkLeavesTheSessionInStep() {
        transcript(ENVELOPE, """
                client: BDAT 1
                client: aBDAT 1 LAST
                client: b\\
                server gets: BDAT 1
                server gets: aBDAT 1 LAST
                server gets: b\\
                server: 552 5.3.4 too big
                server: 503 5.5.1 no
                client gets: 552 5.3.4 too big
                client gets: 503 5.5.1 no
                client: RSET
                server gets: RSET
                server: 250 ok
                client gets: 250 ok
                """, QUIT).replayEveryWay();
    }

    @Test
    void earlyRefusalOfAChunkIsGivenBehindItsOctets() {
        transcript(ENVELOPE, """
                client: BDAT 6
                client: abc\\
                server gets: BDAT 6
                server gets: abc\\
                server: 552 5.3.4 too big
                server leg: aborted
                client gets nothing
                client: defBDAT 3 LAST
                client: ghiMAIL FROM:<c@example.com>
                client gets: 552 5.3.4 too big
                client gets: 503 5.5.1 The message was refused already: RSET or MAIL first
                """, FRESH_LEG, """
                server gets: MAIL FROM:<c@example.com>
                """).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets REFUSED 552 5.3.4 too big
                        """).replayEveryWay();
    }

    @Test
    void chunkRefusedByAHandlerIsReadAndResetsTheServer() {
        transcript(ENVELOPE, """
                client: BDAT 6 LAST
                client: abcdefMAIL FROM:<c@example.com>
                client gets: 550 5.7.1 not here
                server gets: RSET
                server gets: MAIL FROM:<c@example.com>
                server: 250 reset
                server: 250 mail
                client gets: 250 mail
                """).handler(() -> Rules.rejectCommand("BDAT")).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets REFUSED 550 5.7.1 not here
                        """).replayEveryWay();
    }

    @Test
    void handlerCantChangeTheCountOfAChunk() {
        transcript(ENVELOPE, """
                client: BDAT 2 LAST
                client: abNOOP
                client gets: 451 4.3.0 Temporary local problem, try again later
                server gets: RSET
                server gets: NOOP
                """).handler(() -> Rules.command(command -> command.text().startsWith("BDAT")
                        ? Verdict.rewrite(Command.of("BDAT 5 LAST"))
                        : Verdict.proceed())).replayEveryWay();
    }

    @Test
    void replyToAnEarlierChunkMayComeWhileTheNextOneFlows() {
        transcript(ENVELOPE, """
                client: BDAT 1
                client: aBDAT 4 LAST
                client: bc\\
                server gets: BDAT 1
                server gets: aBDAT 4 LAST
                server gets: bc\\
                server: 250 1 octet
                client gets: 250 1 octet
                client: de\\
                server gets: de\\
                server: 250 queued
                client gets: 250 queued
                """, QUIT).replayEveryWay();
    }

    @Test
    void clientThatVanishesWithinTheLastChunkLeavesNothingBehind() {
        transcript(ENVELOPE, """
                client: BDAT 4 LAST
                client: ab\\
                server gets: BDAT 4 LAST
                server gets: ab\\
                (client vanishes)
                (session ended)
                server leg: aborted
                """).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 2 octets ABANDONED
                        """).replayEveryWay();
    }

    @Test
    void serverThatDiesWithinAChunkIsA451BehindIt() {
        transcript(ENVELOPE, """
                client: BDAT 1
                client: aBDAT 4 LAST
                client: bc\\
                server gets: BDAT 1
                server gets: aBDAT 4 LAST
                server gets: bc\\
                (server closes)
                client gets: 451 4.4.2 Server closed the connection in the middle of the message
                client: deNOOP
                client gets: 451 4.4.2 Server closed the connection in the middle of the message
                client gets: 250 2.0.0 Ok
                """).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets DEFERRED 451 4.4.2 Server closed the connection \
                in the middle of the message""").replayEveryWay();
    }

    @Test
    void chunksAreSerialisedToAServerThatDoesNotPipeline() {
        transcript(Dialogues.GREETED, """
                client: EHLO a.example
                server gets: EHLO a.example
                server: 250-mx
                server: 250 CHUNKING
                client gets: 250-mx
                client gets: 250 CHUNKING
                client: MAIL FROM:<a@example.com>
                client: BDAT 2
                client: abBDAT 1 LAST
                client: cQUIT
                server gets: MAIL FROM:<a@example.com>
                server: 250 1
                client gets: 250 1
                server gets: BDAT 2
                server gets: ab\\
                server: 503 2
                client gets: 503 2
                server gets: BDAT 1 LAST
                server gets: c\\
                server: 503 3
                client gets: 503 3
                server gets: QUIT
                server: 221 4
                client gets: 221 4
                """).replayEveryWay();
    }
}
