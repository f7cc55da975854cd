package dev.weft.session;

import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;

import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Reply;
import org.junit.jupiter.api.Test;

/** A message is carried as was chosen for it, with the recipients and the beginning that it really has. */
class PathChoiceTest {

    private static final Verdict<Void> NO = Verdict.reject(Reply.of(550, "5.7.1", "no"));

    /** Holds the dot of what goes to the guarded recipient, and refuses it; streams all else. */
    private static RelayHandler guarding() {
        return new RelayHandler() {
            @Override
            public MessageUse messageUse(RelaySession session) {
                return MessageUse.look().withChunking();
            }

            @Override
            public MessagePath message(Transaction transaction) {
                var guarded = transaction.recipients().stream().anyMatch(to -> to.path().toString().contains("guarded"));
                return guarded ? MessagePath.holdTheDot(new Paths.Reading() {
                    @Override
                    public Verdict<Void> end() {
                        return NO;
                    }
                }) : MessagePath.stream();
            }
        };
    }

    private static RelayHandler holdingAll() {
        return Paths.choosing(MessageUse.look().withChunking(),
                () -> MessagePath.hold(message -> Verdict.reject(Reply.of(550, "5.7.1", "no"))));
    }

    private static final String MAIL = Dialogues.OPEN + """
            client: MAIL FROM:<a@example.com>
            server gets: MAIL FROM:<a@example.com>
            server: 250 mail
            client gets: 250 mail
            """;
    private static final String GUARDED = """
            client: RCPT TO:<guarded@example.net>
            server gets: RCPT TO:<guarded@example.net>
            server: 250 rcpt
            client gets: 250 rcpt
            """;

    @Test
    void refusedDataIsChosenForAgain() {
        transcript(MAIL, """
                client: DATA
                server gets: DATA
                server: 503 no recipients
                client gets: 503 no recipients
                """, GUARDED, """
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                server gets: x
                server gets: .\\
                server leg: aborted
                client gets: 550 5.7.1 no
                """).handler(PathChoiceTest::guarding).replayEveryWay();
    }

    @Test
    void chunkBehindARefusedDataIsChosenForAgain() {
        transcript(MAIL, """
                client: DATA
                client gets: 503 5.5.1 No valid recipients
                """, GUARDED, """
                client: BDAT 4 LAST
                client: spam\\
                client gets: 451 4.3.0 Temporary local problem, try again later
                server gets: RSET
                """).handler(PathChoiceTest::holdingAll).replayEveryWay();
        transcript(MAIL, """
                client: DATA
                server gets: DATA
                server: 503 no recipients
                client gets: 503 no recipients
                """, GUARDED, """
                client: BDAT 4 LAST
                client: spam\\
                server gets: BDAT 4
                server gets: spam\\
                server: 250 4
                server leg: aborted
                client gets: 550 5.7.1 no
                """).handler(PathChoiceTest::guarding).replayEveryWay();
    }

    @Test
    void recipientsAndSenderStandOnceAChunkHasPassed() {
        transcript(MAIL, """
                client: RCPT TO:<b@example.net>
                server gets: RCPT TO:<b@example.net>
                server: 250 rcpt
                client gets: 250 rcpt
                client: BDAT 3
                client: abc\\
                server gets: BDAT 3
                server gets: abc\\
                server: 250 3
                client gets: 250 3
                client: RCPT TO:<guarded@example.net>
                client: MAIL FROM:<c@example.com>
                client: DATA
                client gets: 503 5.5.1 The message has begun: RSET first
                client gets: 503 5.5.1 The message has begun: RSET first
                client gets: 503 5.5.1 The message has begun: RSET first
                client: BDAT 3 LAST
                client: def\\
                server gets: BDAT 3 LAST
                server gets: def\\
                server: 250 queued
                client gets: 250 queued
                """, QUIT).handler(PathChoiceTest::guarding).replayEveryWay();
    }

    @Test
    void messageBehindANestedMailThatIsNotAnsweredIsRefused() {
        transcript(MAIL, GUARDED, """
                client: MAIL FROM:<nested@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                server gets: MAIL FROM:<nested@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 503 nested
                server: 250 rcpt
                client gets: 503 nested
                client gets: 250 rcpt
                client gets: 503 5.5.1 MAIL is nested: RSET first
                client: DATA
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                client: x
                client: .
                server gets: x
                server gets: .\\
                server leg: aborted
                client gets: 550 5.7.1 no
                """).handler(PathChoiceTest::guarding).replayEveryWay();
    }

    @Test
    void messageMayBePipelinedBehindRset() {
        transcript(MAIL, """
                client: RSET
                client: MAIL FROM:<c@example.com>
                client: RCPT TO:<b@example.net>
                client: DATA
                server gets: RSET
                server gets: MAIL FROM:<c@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: DATA
                server: 250 reset
                server: 250 mail
                server: 250 rcpt
                server: 354 go on
                client gets: 250 reset
                client gets: 250 mail
                client gets: 250 rcpt
                client gets: 354 go on
                """).handler(PathChoiceTest::guarding).replayEveryWay();
    }

    @Test
    void chunkBehindARefusedOneIsNotTakenForTheWholeMessage() {
        transcript(MAIL, GUARDED, """
                client: BDAT 3
                client: abc\\
                client: BDAT 4 LAST
                client: spam\\
                server gets: BDAT 3
                server gets: abcBDAT 4
                server gets: spam\\
                server: 552 5.3.4 too big
                client gets: 552 5.3.4 too big
                server: 250 4
                client gets: 503 5.5.1 An earlier chunk was refused: RSET first
                server gets: RSET
                """).handler(() -> Paths.choosing(MessageUse.look().withChunking(),
                () -> MessagePath.holdTheDot(new Paths.Reading()))).replayEveryWay();
        transcript(MAIL, GUARDED, """
                client: BDAT 3
                client: abc\\
                server gets: BDAT 3
                server gets: abc\\
                server: 552 5.3.4 too big
                client gets: 552 5.3.4 too big
                client: BDAT 4 LAST
                client: spam\\
                client gets: 503 5.5.1 An earlier chunk was refused: RSET first
                server gets: RSET
                server: 250 reset
                """, QUIT).handler(() -> Paths.choosing(MessageUse.look().withChunking(),
                () -> MessagePath.holdTheDot(new Paths.Reading()))).replayEveryWay();
    }
}
