package dev.weft.session;

import static dev.weft.session.Dialogues.DATA;
import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.NEXT_ENVELOPE;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.FailureMode;
import dev.weft.relay.MessagePath;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FailingHandlersTest {

    private static final String WHOLE = DATA + """
            client: x
            client: .
            server gets: x
            server gets: .
            server: 250 queued
            client gets: 250 queued
            """ + QUIT;

    /** A handler whose methods of these names throw; the others let pass. */
    private static RelayHandler failing(FailureMode mode, Throwable failure, String... methods) {
        var failing = Set.of(methods);
        return (RelayHandler) Proxy.newProxyInstance(RelayHandler.class.getClassLoader(), new Class<?>[] {RelayHandler.class},
                (proxy, method, arguments) -> {
                    if (failing.contains(method.getName())) {
                        throw failure;
                    }
                    return switch (method.getName()) {
                        case "failureMode" -> mode;
                        case "deadline" -> Duration.ofSeconds(30);
                        case "message" -> MessagePath.stream();
                        case "connect", "command", "mail", "rcpt" -> Verdict.proceed();
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == arguments[0];
                        case "toString" -> "failing " + failing;
                        default -> null;
                    };
                });
    }

    @Test
    void failingObserversChangeNothing() {
        for (var failure : new Throwable[] {new IllegalStateException("for the test"), new AssertionError("for the test")}) {
            for (var method : new String[] {"greeting", "reply", "notice", "transactionEnded", "sessionClosed"}) {
                transcript(WHOLE).handler(() -> failing(FailureMode.TEMPFAIL, failure, method)).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets ACCEPTED 250 queued
                        session QUIT 1""").replayEveryWay();
            }
        }
    }

    @Test
    void failingWatchersChangeNothing() {
        for (var method : new String[] {"connect", "command", "mail", "rcpt", "message"}) {
            transcript(WHOLE).handler(() -> failing(FailureMode.OPEN, new IllegalStateException("for the test"), method)).replayEveryWay();
        }
    }

    @Test
    void failingGuardAtConnectIsA421() {
        transcript("""
                client gets: 421 4.3.0 Temporary local problem, try again later
                server leg: none
                (session ended)
                """).handler(() -> failing(FailureMode.TEMPFAIL, new StackOverflowError("for the test"), "connect")).replayEveryWay();
    }

    @Test
    void failingGuardAtACommandIsA451InItsPlace() {
        for (var failure : new Throwable[] {new IllegalStateException("for the test"), new StackOverflowError("for the test")}) {
            transcript(Dialogues.GREETED, """
                    client: EHLO a.example
                    client: NOOP
                    client gets: 451 4.3.0 Temporary local problem, try again later
                    client gets: 451 4.3.0 Temporary local problem, try again later
                    client: QUIT
                    client gets: 451 4.3.0 Temporary local problem, try again later
                    (session goes on)
                    """).handler(() -> failing(FailureMode.TEMPFAIL, failure, "command")).replayEveryWay();
        }
    }

    @Test
    void failingGuardOfTheEnvelopeIsA451InItsPlace() {
        transcript(OPEN, """
                client: MAIL FROM:<a@example.com>
                client: RSET
                client gets: 451 4.3.0 Temporary local problem, try again later
                server gets: RSET
                server: 250 ok
                client gets: 250 ok
                """, QUIT).handler(() -> failing(FailureMode.TEMPFAIL, new IllegalStateException("for the test"), "mail"))
                .records("transaction", """
                        transaction 1 <a@example.com> to  : 0 octets DEFERRED 451 4.3.0 Temporary local problem, try again later""")
                .replayEveryWay();
        transcript(OPEN, """
                client: MAIL FROM:<a@example.com>
                client: RCPT TO:<b@example.net>
                client: RSET
                server gets: MAIL FROM:<a@example.com>
                server gets: RSET
                server: 250 1
                server: 250 3
                client gets: 250 1
                client gets: 451 4.3.0 Temporary local problem, try again later
                client gets: 250 3
                """, QUIT).handler(() -> failing(FailureMode.TEMPFAIL, new IllegalStateException("for the test"), "rcpt"))
                .records("transaction", "transaction 1 <a@example.com> to <b@example.net>=451 : 0 octets DEFERRED 451 4.3.0 Temporary local problem, try again later").replayEveryWay();
    }

    @Test
    void failingGuardOfAMessageIsA451AndTheServerIsReset() {
        transcript(ENVELOPE, """
                client: DATA
                client gets: 451 4.3.0 Temporary local problem, try again later
                server gets: RSET
                server: 250 reset
                """, NEXT_ENVELOPE, QUIT).handler(Rules::failAtMessage).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets DEFERRED 451 4.3.0 Temporary local problem, \
                try again later
                        transaction 2 <c@example.com> to <d@example.net>=250 : 0 octets ABANDONED""").replayEveryWay();
        transcript(ENVELOPE, """
                client: BDAT 3 LAST
                client: abcNOOP
                client gets: 451 4.3.0 Temporary local problem, try again later
                server gets: RSET
                server gets: NOOP
                """).handler(Rules::failAtMessage).replayEveryWay();
    }

    @Test
    void handlerWhoseModeOrDeadlineFailsTooIsAGuard() {
        for (var failure : new Throwable[] {new IllegalStateException("for the test"), new AssertionError("for the test")}) {
            transcript(OPEN, """
                    client: MAIL FROM:<a@example.com>
                    client gets: 451 4.3.0 Temporary local problem, try again later
                    """, QUIT).handler(() -> failing(FailureMode.OPEN, failure, "mail", "failureMode")).replayEveryWay();
        }
        var noDeadline = new RelayHandler() {
            @Override
            public Verdict<Command> mail(Transaction transaction, Command command) {
                return Verdict.later(new CompletableFuture<>());
            }

            @Override
            public Duration deadline() {
                return null;
            }
        };
        transcript(OPEN, """
                client: MAIL FROM:<a@example.com>
                client gets: 451 4.3.0 Temporary local problem, try again later
                """, QUIT).handler(() -> noDeadline).replayEveryWay();
    }

    @Test
    void handlerThatReturnsNullFails() {
        transcript(OPEN, """
                client: NOOP
                client gets: 451 4.3.0 Temporary local problem, try again later
                """, QUIT).handler(() -> Rules.command(command -> command.text().equals("NOOP") ? null : Verdict.proceed())).replayEveryWay();
        transcript(ENVELOPE, """
                client: DATA
                client gets: 451 4.3.0 Temporary local problem, try again later
                server gets: RSET
                """).handler(() -> new RelayHandler() {
                    @Override
                    public MessagePath message(Transaction transaction) {
                        return null;
                    }
                }).replayEveryWay();
    }

    @Test
    void whatAHandlerIsGivenStaysAsItWas() {
        var replies = new ArrayList<Reply>();
        var commands = new ArrayList<Command>();
        transcript(WHOLE).handler(() -> new RelayHandler() {
            @Override
            public void reply(RelaySession session, Command command, Reply reply) {
                replies.add(reply);
                commands.add(command);
            }
        }).replay();
        assertThat(replies).extracting(Reply::code).isEqualTo(List.of(250, 250, 250, 354, 250, 221));
        assertThat(commands).extracting(Command::text)
                .isEqualTo(List.of("EHLO a.example", "MAIL FROM:<a@example.com>", "RCPT TO:<b@example.net>", "DATA", "DATA", "QUIT"));
        commands.get(1).bytes()[0] = 'X';
        assertThat(commands.get(1).text()).startsWith("MAIL");
    }
}
