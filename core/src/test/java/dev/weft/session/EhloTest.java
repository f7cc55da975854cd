package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.util.ArrayList;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EhloTest {

    private static final String EHLO = GREETED + """
            client: EHLO a.example
            server gets: EHLO a.example
            """;

    private static void offered(String server, String client) {
        var text = new StringBuilder(EHLO);
        server.lines().forEach(line -> text.append("server: ").append(line).append('\n'));
        client.lines().forEach(line -> text.append("client gets: ").append(line).append('\n'));
        transcript(text.toString(), QUIT).replayEveryWay();
    }

    @Test
    void starttlsIsDroppedWhereverItStands() {
        offered("250-mx\n250-STARTTLS\n250-SIZE 10\n250 DSN", "250-mx\n250-SIZE 10\n250 DSN");
        offered("250-mx\n250-SIZE 10\n250-STARTTLS\n250 DSN", "250-mx\n250-SIZE 10\n250 DSN");
        offered("250-mx\n250-SIZE 10\n250-DSN\n250 STARTTLS", "250-mx\n250-SIZE 10\n250 DSN");
        offered("250-mx\n250 STARTTLS", "250 mx");
        offered("250-mx\n250-STARTTLS\\s\\s\n250 DSN", "250-mx\n250 DSN");
    }

    @Test
    void keywordsAreRecognisedInAnyCase() {
        offered("250-mx\n250-startTLS\n250-Chunking\n250 pipelining", "250-mx\n250-Chunking\n250 pipelining");
    }

    @Test
    void oneLineReplyStaysOneLine() {
        offered("250 mx.example.net at your service", "250 mx.example.net at your service");
        offered("250", "250\\s");
    }

    @Test
    void whatCantBeFramedIsNotPromised() {
        offered("""
                250-mx
                250-PRDR
                250-X-ANONYMOUSTLS
                250-X-EXPS GSSAPI NTLM
                250-XEXCH50
                250-BURL imap
                250-ATRN
                250-TURN
                250-PIPECONNECT
                250-XCLIENT NAME ADDR
                250-XFORWARD NAME
                250-XXXXXXXA
                250-CHECKPOINT
                250-REQUIRETLS
                250-8BITMIME
                250 X-NEW""", """
                250-mx
                250 8BITMIME""");
    }

    @Test
    void oddLinesKeepTheirBytesOrGo() {
        offered("250-mx\n250-AUTH=PLAIN LOGIN\n250-AUTH  PLAIN   LOGIN\\s\n250-\n250-SIZE 10\n250-SIZE 20\n250 DSN caf\\xe9",
                "250-mx\n250-AUTH  PLAIN   LOGIN\\s\n250-SIZE 10\n250 DSN caf\\xe9");
    }

    @Test
    void hostMayAddKeywords() {
        transcript(EHLO, """
                server: 250-mx
                server: 250-SIZE 10
                server: 250 prdr
                client gets: 250-mx
                client gets: 250 prdr
                """).settings(SessionSettings.DEFAULT.withEhloKeywords(Set.of("PRDR"))).replayEveryWay();
    }

    @Test
    void ehloThatIsNotUnderstoodIsFollowedByHelo() {
        transcript(EHLO, """
                server: 502 5.5.1 what
                client gets: 502 5.5.1 what
                client: HELO a.example
                server gets: HELO a.example
                server: 250 mx
                client gets: 250 mx
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                server gets: MAIL FROM:<a@example.com>
                server: 250 ok
                server gets: RCPT TO:<b@example.net>
                client gets: 250 ok
                server: 250 ok
                client gets: 250 ok
                """, QUIT).replayEveryWay();
    }

    @Test
    void ehloAnsweredBy421EndsTheSession() {
        transcript(EHLO, """
                server: 421 4.7.0 too busy
                client gets: 421 4.7.0 too busy
                (session ended)
                server gets nothing
                """).records("session", "session SERVER_GONE 0 : 4.7.0 too busy").replayEveryWay();
    }

    @Test
    void secondEhloThatIsRefusedChangesNothing() {
        transcript(Dialogues.OPEN, """
                client: EHLO b.example
                server gets: EHLO b.example
                server: 503 5.5.1 already said hello
                client gets: 503 5.5.1 already said hello
                client: NOOP
                client: NOOP
                server gets: NOOP
                server gets: NOOP
                server: 250 ok
                server: 250 ok
                client gets: 250 ok
                client gets: 250 ok
                """, QUIT).replayEveryWay();
    }

    @Test
    void secondEhloChangesWhatIsOffered() {
        transcript(Dialogues.OPEN, """
                client: EHLO b.example
                server gets: EHLO b.example
                server: 250 mx
                client gets: 250 mx
                client: BDAT 3
                client: a\\
                client gets nothing
                client: bcNOOP
                client gets: 503 5.5.1 CHUNKING was not offered
                server gets: NOOP
                server: 250 ok
                client gets: 250 ok
                """, QUIT).replayEveryWay();
    }

    @Test
    void nothingPassesBeforeEhloIsAnswered() {
        transcript(GREETED, """
                client: EHLO a.example
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                server gets: EHLO a.example
                server: 250-mx
                server: 250 PIPELINING
                client gets: 250-mx
                client gets: 250 PIPELINING
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server: 250 ok
                server: 550 no
                client gets: 250 ok
                client gets: 550 no
                """).records("notice", "notice UNASKED_PIPELINING").replayEveryWay();
    }

    @Test
    void routesNameReplacesTheClientsOwn() {
        var names = new ArrayList<String>();
        class Renaming implements RelayHandler {
            @Override
            public Verdict<Route> connect(RelaySession session, Route proposed) {
                return Verdict.rewrite(proposed.withEhloName("out.example.com"));
            }

            @Override
            public void reply(RelaySession session, Command command, Reply reply) {
                names.add(command.text() + " " + session.ehloName().orElse("none"));
            }
        }
        transcript(GREETED, """
                client: ehlo a.example
                server gets: ehlo out.example.com
                server: 250 mx
                client gets: 250 mx
                """).handler(Renaming::new).replay();
        assertThat(names).containsExactly("ehlo a.example a.example");
    }

    @Test
    void replyIsTheSameHoweverItIsCutOrGlued() {
        transcript(EHLO, """
                server: 250-mx\\r\\
                server: \\n2\\
                server: 50-\\
                server: PIPELINING
                client gets nothing
                server: 250 DSN
                client gets: 250-mx
                client gets: 250-PIPELINING
                client gets: 250 DSN
                """).replayEveryWay();
    }
}
