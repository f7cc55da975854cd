package dev.weft.session;

import static dev.weft.session.Dialogues.DATA;
import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.NEXT_ENVELOPE;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Verdict;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class MessageLimitsTest {

    private static final SessionSettings TEN = SessionSettings.DEFAULT.withMessages(MessageLimits.DEFAULT.withSize(10));

    private static String atTen(String dialogue) {
        return dialogue.replace("client gets: 250-SIZE 1000000", "client gets: 250-SIZE 10");
    }

    private static final String FRESH_LEG = Paths.NEXT_OVER_FRESH_LEG;

    private static Supplier<RelayHandler> uses(MessageUse use) {
        return () -> Paths.choosing(use, MessagePath::stream);
    }

    @Test
    void messageBeyondTheLimitIsA552AndTheSessionGoesOn() {
        transcript(atTen(DATA), """
                client: 12345678
                server gets: 12345678
                client: 9\\
                client: aaaaaaa
                server leg: aborted
                client: .
                client gets: 552 5.3.4 Message is larger than may pass here
                """, FRESH_LEG, QUIT).settings(TEN).replayEveryWay();
    }

    @Test
    void dotsOfTransparencyAndTheEndDoNotCount() {
        transcript(atTen(DATA), """
                client: ..2345678
                client: .
                server gets: ..2345678
                server gets: .
                server: 250 queued
                client gets: 250 queued
                """, QUIT).settings(TEN).replayEveryWay();
    }

    @Test
    void limitHoldsForHeldMessages() {
        transcript(atTen(Paths.HELD), """
                client: 12345678
                client: 9
                client: .
                client gets: 552 5.3.4 Message is larger than may pass here
                server gets: RSET
                server: 250 reset
                """, NEXT_ENVELOPE, QUIT).settings(TEN).handler(() -> Paths.holding(message -> Verdict.proceed())).replayEveryWay();
    }

    @Test
    void limitHoldsForTheSumOfTheChunks() {
        transcript(atTen(ENVELOPE), """
                client: BDAT 6
                client: 123456\\
                server gets: BDAT 6
                server gets: 123456\\
                server: 250 6
                client gets: 250 6
                client: BDAT 5 LAST
                client: 12345\\
                client gets: 552 5.3.4 Message is larger than may pass here
                server gets: RSET
                server: 250 reset
                """, NEXT_ENVELOPE, QUIT).settings(TEN).replayEveryWay();
    }

    @Test
    void announcedSizeIsRefusedAtMail() {
        transcript(atTen(OPEN), """
                client: MAIL FROM:<a@example.com> SIZE=11
                client gets: 552 5.3.4 Message is larger than may pass here
                client: MAIL FROM:<a@example.com> SIZE=99999999999999999999
                client gets: 552 5.3.4 Message is larger than may pass here
                client: MAIL FROM:<a@example.com> size=10
                server gets: MAIL FROM:<a@example.com> size=10
                """).settings(TEN).replayEveryWay();
    }

    @Test
    void sizeIsTheSmallestOfServerProxyAndHandlerLessTheGrowth() {
        transcript(OPEN.replace("client gets: 250-SIZE 1000000", "client gets: 250-SIZE 999900").replace("client gets: 250-AUTH PLAIN LOGIN",
                "client gets: 250 AUTH PLAIN LOGIN").replace("client gets: 250 CHUNKING\n", ""), """
                client: MAIL FROM:<a@example.com> SIZE=500 BODY=8BITMIME
                server gets: MAIL FROM:<a@example.com> SIZE=600 BODY=8BITMIME
                """).handler(uses(MessageUse.grow(100))).replayEveryWay();
        transcript(Paths.OPEN.replace("client gets: 250-SIZE 1000000", "client gets: 250-SIZE 5000"), """
                client: MAIL FROM:<a@example.com> SIZE=500 BODY=8BITMIME
                server gets: MAIL FROM:<a@example.com> BODY=8BITMIME
                """).handler(uses(MessageUse.replace().upTo(5000))).replayEveryWay();
        transcript(GREETED, """
                client: EHLO a.example
                server gets: EHLO a.example
                server: 250-mx.example.net
                server: 250 SIZE
                client gets: 250-mx.example.net
                client gets: 250 SIZE 10
                """).settings(TEN).replayEveryWay();
        transcript(GREETED, """
                client: EHLO a.example
                server gets: EHLO a.example
                server: 250-mx.example.net
                server: 250-BINARYMIME
                server: 250-CHUNKING
                server: 250 SIZE 0
                client gets: 250-mx.example.net
                client gets: 250 SIZE 0
                """).handler(uses(MessageUse.grow(10))).replayEveryWay();
    }

    @Test
    void senderOfOneOctetASecondIsBounded() {
        var slow = new StringBuilder(DATA);
        for (int i = 0; i < 610; i++) {
            slow.append("client: x\\\n(time passes: 1 s)\n");
        }
        slow.append("server gets: \\{607*x}\\\nclient gets: 421 4.4.2 No progress in the message, closing\nserver leg: aborted\n(session ended)\n");
        transcript(slow.toString()).replay();
    }

    @Test
    void senderWhoseServerIsSlowIsNotBlamed() {
        var slow = new StringBuilder(DATA);
        for (int i = 0; i < 20; i++) {
            slow.append("client: x\nserver gets: x\n(server takes no bytes)\n(time passes: 100 s)\n(server takes bytes again)\n");
        }
        transcript(slow.toString(), "client gets nothing\n(session goes on)\n").replay();
    }

    @Test
    void limitsOutOfRangeAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> MessageLimits.DEFAULT.withSize(0));
        assertThatIllegalArgumentException().isThrownBy(() -> MessageLimits.DEFAULT.withLeastRate(-1, Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> MessageUse.grow(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> MessageUse.look().upTo(0));
        assertThatIllegalArgumentException().isThrownBy(() -> MessageUse.replace().withChunking());
    }
}
