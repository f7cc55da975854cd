package dev.weft.session;

import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.SERIAL;
import static dev.weft.session.Dialogues.transcript;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.testkit.RecordingHandler;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class AuthTest {

    private static final Consumer<RecordingHandler> NO_SECRETS = recorder -> {
        for (var line : recorder.lines()) {
            if (line.contains("c2VjcmV0") || line.contains("dXNlcg")) {
                throw new AssertionError("a secret was shown: " + line);
            }
        }
    };

    @Test
    void exchangePassesAndIsShownMasked() {
        transcript(OPEN, """
                client: AUTH LOGIN
                client: dXNlcg==
                server gets: AUTH LOGIN
                server: 334 VXNlcm5hbWU6
                client gets: 334 VXNlcm5hbWU6
                server gets: dXNlcg==
                server: 334\\s
                client gets: 334\\s
                client: QUIT
                server gets: QUIT
                client gets nothing
                server: 334
                client gets: 334
                client: c2VjcmV0
                client: NOOP
                server gets: c2VjcmV0
                server: 235 2.7.0 yes
                client gets: 235 2.7.0 yes
                server gets: NOOP
                server: 250 noop
                client gets: 250 noop
                """, QUIT).recording(NO_SECRETS).records("command session", """
                        command EHLO a.example
                        command AUTH LOGIN
                        command NOOP
                        command QUIT
                        session QUIT 0""").replayEveryWay();
    }

    @Test
    void secretsSentAlongWithAnAuthThatIsRefusedAreNeitherShownNorPassed() {
        transcript(OPEN, """
                client: AUTH LOGIN
                client: dXNlcg==
                client: c2VjcmV0
                client: NOOP
                server gets: AUTH LOGIN
                server: 504 5.5.4 not that one
                client gets: 504 5.5.4 not that one
                client gets: 500 5.5.2 Command not recognized: nothing may be sent along with AUTH
                client gets: 500 5.5.2 Command not recognized: nothing may be sent along with AUTH
                server gets: NOOP
                server: 250 noop
                client gets: 250 noop
                client: XFOO
                server gets: XFOO
                server: 500 what
                client gets: 500 what
                """, QUIT).recording(NO_SECRETS).replayEveryWay();
    }

    @Test
    void initialResponseIsMasked() {
        transcript(OPEN, """
                client: AUTH=PLAIN c2VjcmV0
                server gets: AUTH=PLAIN c2VjcmV0
                server: 500 5.5.2 what
                client gets: 500 5.5.2 what
                client: AUTH PLAIN c2VjcmV0
                server gets: AUTH PLAIN c2VjcmV0
                server: 535 5.7.8 no
                client gets: 535 5.7.8 no
                """, QUIT).recording(NO_SECRETS).records("command reply", """
                        command EHLO a.example
                        reply EHLO 250 mx.example.net PIPELINING SIZE 1000000 AUTH PLAIN LOGIN CHUNKING
                        command AUTH=PLAIN ***
                        reply AUTH=PLAIN 500 5.5.2 what
                        command AUTH PLAIN ***
                        reply AUTH 535 5.7.8 no
                        command QUIT
                        reply QUIT 221 2.0.0 Bye""").replayEveryWay();
    }

    @Test
    void observersNeverGetASecretWhateverBecomesOfTheCommand() {
        var seen = new StringBuilder();
        class Spy implements RelayHandler {
            @Override
            public void reply(RelaySession session, Command command, Reply reply) {
                seen.append(command.text()).append('\n');
            }
        }
        transcript(OPEN, """
                client: AUTH PLAIN c2VjcmV0
                client: AUTH=PLAIN c2VjcmV0
                client gets: 550 5.7.1 not here
                client gets: 500 5.5.2 Command not recognized: nothing may be sent along with AUTH
                """).handlers(() -> List.of(new Spy(), Rules.rejectCommand("AUTH PLAIN"))).replayEveryWay();
        transcript(SERIAL, """
                client: AUTH PLAIN c2VjcmV0
                client gets: 503 5.5.1 AUTH was not offered
                """).handlers(() -> List.of(new Spy())).replayEveryWay();
        if (seen.indexOf("c2VjcmV0") >= 0) {
            throw new AssertionError(seen.toString());
        }
    }

    @Test
    void cancelledExchangeLeavesTheSessionInStep() {
        transcript(OPEN, """
                client: AUTH LOGIN
                server gets: AUTH LOGIN
                server: 334 VXNlcm5hbWU6
                client gets: 334 VXNlcm5hbWU6
                client: *
                server gets: *
                server: 501 5.7.0 cancelled
                client gets: 501 5.7.0 cancelled
                client: NOOP
                server gets: NOOP
                server: 250 ok
                client gets: 250 ok
                """, QUIT).replayEveryWay();
    }

    @Test
    void longTokensPass() {
        transcript(OPEN, """
                client: AUTH XOAUTH2 \\{12000*A}
                server gets: AUTH XOAUTH2 \\{12000*A}
                server: 334 eyJ9
                client gets: 334 eyJ9
                client: \\{12286*B}
                server gets: \\{12286*B}
                server: 535 5.7.8 no
                client gets: 535 5.7.8 no
                """, QUIT).replayEveryWay();
    }

    @Test
    void lineThatMustNotPassCancelsTheExchange() {
        for (var line : new String[] {"\\{12287*B}", "ab\\nc2VjcmV0", "ab\\rc2VjcmV0"}) {
            transcript(OPEN, """
                    client: AUTH LOGIN
                    server gets: AUTH LOGIN
                    server: 334 VXNlcm5hbWU6
                    client gets: 334 VXNlcm5hbWU6
                    """, "client: " + line + "\n", """
                    server gets: *
                    server: 501 5.7.0 cancelled
                    client gets: 501 5.7.0 cancelled
                    """, QUIT).recording(NO_SECRETS).replayEveryWay();
        }
    }

    @Test
    void authThatWasNotOfferedIsAnsweredHere() {
        transcript(SERIAL, """
                client: AUTH PLAIN c2VjcmV0
                client: NOOP
                client gets: 503 5.5.1 AUTH was not offered
                server gets: NOOP
                server: 250 ok
                client gets: 250 ok
                """, QUIT).recording(NO_SECRETS).replayEveryWay();
    }

    @Test
    void authenticatedLegIsNeverReplacedSilently() {
        transcript(OPEN, """
                client: AUTH PLAIN c2VjcmV0
                server gets: AUTH PLAIN c2VjcmV0
                server: 235 2.7.0 yes
                client gets: 235 2.7.0 yes
                client: MAIL FROM:<a@example.com>
                server gets: MAIL FROM:<a@example.com>
                server: 250 1
                client gets: 250 1
                client: DATA
                server gets: DATA
                server: 354 2
                client gets: 354 2
                client: \\n.\\n
                client: .
                server gets: \\n.\\
                client gets: 550 5.5.2 Message refused: it holds a dot between bare CR or LF that may be read as its end
                client: MAIL FROM:<a@example.com>
                client gets: 421 4.4.2 Server connection is gone and can't be replaced unseen, closing
                (session ended)
                """).replayEveryWay();
    }

    @Test
    void clientThatHalfClosesWithinAnExchangeIsGone() {
        transcript(OPEN, """
                client: AUTH LOGIN
                server gets: AUTH LOGIN
                server: 334 VXNlcm5hbWU6
                client gets: 334 VXNlcm5hbWU6
                (client half-closes)
                (session ended)
                server leg: awaits peer
                """).replayEveryWay();
    }

    @Test
    void rsetDoesNotForgetAnAuthentication() {
        transcript(ENVELOPE, """
                client: RSET
                client: AUTH PLAIN c2VjcmV0
                server gets: RSET
                server gets: AUTH PLAIN c2VjcmV0
                server: 250 ok
                server: 235 yes
                client gets: 250 ok
                client gets: 235 yes
                client: RSET
                server gets: RSET
                server: 250 ok
                client gets: 250 ok
                """, QUIT).replayEveryWay();
    }
}
