package dev.weft.session;

import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.testkit.DeferringHandler;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

class VerdictsTest {

    private static final String GROUP = """
            client: MAIL FROM:<a@example.com>
            client: RCPT TO:<b@example.net>
            client: RCPT TO:<c@example.net>
            """;

    @Test
    void lateVerdictsHoldUpWhatFollowsAndNothingElse() {
        transcript(OPEN, GROUP, """
                server gets nothing
                (time passes: 10 s)
                (verdict: proceed)
                server gets: MAIL FROM:<a@example.com>
                server: 250 mail
                client gets: 250 mail
                (verdict: reject 450 4.7.1 greylisted)
                client gets: 450 4.7.1 greylisted
                (verdict: proceed)
                server gets: RCPT TO:<c@example.net>
                server: 250 c
                client gets: 250 c
                """, QUIT).handler(() -> DeferringHandler.at("mail", "rcpt")).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=450 <c@example.net>=250 : 0 octets ABANDONED""").replayEveryWay();
    }

    @Test
    void lateVerdictsOnEveryCommandKeepTheOrder() {
        transcript(OPEN.replace("client: EHLO a.example\n", "client: EHLO a.example\n(verdict: proceed)\n"), """
                client: NOOP one
                client: NOOP two
                client: AUTH PLAIN c2VjcmV0
                (verdict: proceed)
                (verdict: reject 550 no)
                (verdict: proceed)
                server gets: NOOP one
                server gets: AUTH PLAIN c2VjcmV0
                server: 250 one
                server: 235 three
                client gets: 250 one
                client gets: 550 no
                client gets: 235 three
                """).handler(() -> DeferringHandler.at("command")).replayEveryWay();
    }

    @Test
    void stagesThatAreCompleteAlreadyCountAsLateToo() {
        transcript(OPEN, GROUP, """
                (verdicts arrive)
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<c@example.net>
                """).handler(() -> Rules.command(command -> Verdict.later(CompletableFuture.completedFuture(Verdict.proceed()))))
                .replayEveryWay();
    }

    @Test
    void idleTimeDoesNotRunWhileAVerdictIsOutstandingAndRunsBehindIt() {
        transcript(OPEN, """
                client: MAIL FROM:<a@example.com>
                (time passes: 20 s)
                (verdict: reject 550 no)
                client gets: 550 no
                (time passes: 299 s)
                (session goes on)
                (time passes: 1 s)
                client gets: 421 4.4.2 No command in time, closing
                server gets: QUIT
                """).handler(() -> DeferringHandler.at("mail")).replayEveryWay();
    }

    @Test
    void verdictBeyondItsDeadlineIsTakenAsTheFailureModeSays() {
        transcript(OPEN, GROUP, """
                (time passes: 29 s)
                client gets nothing
                (time passes: 1 s)
                client gets: 451 4.3.0 Temporary local problem, try again later
                (verdict cancelled)
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<c@example.net>
                """).handler(() -> DeferringHandler.at("mail")).replayEveryWay();
        transcript(OPEN, GROUP, """
                (time passes: 30 s)
                server gets: MAIL FROM:<a@example.com>
                server gets: RCPT TO:<b@example.net>
                server gets: RCPT TO:<c@example.net>
                """).handler(() -> DeferringHandler.openAt("mail")).replayEveryWay();
    }

    @Test
    void lateVerdictThatFailsIsTakenAsTheFailureModeSays() {
        for (var verdict : new String[] {"(verdict: fails)\n", "(verdict: null)\n"}) {
            transcript(OPEN, "client: MAIL FROM:<a@example.com>\n", verdict, """
                    client gets: 451 4.3.0 Temporary local problem, try again later
                    """, QUIT).handler(() -> DeferringHandler.at("mail")).replayEveryWay();
            transcript(OPEN, "client: MAIL FROM:<a@example.com>\n", verdict, """
                    server gets: MAIL FROM:<a@example.com>
                    server: 250 ok
                    client gets: 250 ok
                    """, QUIT).handler(() -> DeferringHandler.openAt("mail")).replayEveryWay();
        }
    }

    @Test
    void rewrittenCommandGoesOnAndTheClientNeverKnows() {
        transcript(OPEN, GROUP, """
                (verdict: rewrite MAIL FROM:<z@example.com> SIZE=5)
                (verdict: rewrite RCPT TO:<y@example.net>)
                (verdict: proceed)
                server gets: MAIL FROM:<z@example.com> SIZE=5
                server gets: RCPT TO:<y@example.net>
                server gets: RCPT TO:<c@example.net>
                server: 250 1
                server: 250 2
                server: 250 3
                client gets: 250 1
                client gets: 250 2
                client gets: 250 3
                """, QUIT).handler(() -> DeferringHandler.at("mail", "rcpt")).records("transaction", """
                        transaction 1 <z@example.com> to <y@example.net>=250 <c@example.net>=250 : 0 octets ABANDONED""").replayEveryWay();
    }

    @Test
    void rewriteThatChangesTheVerbFails() {
        transcript(OPEN, """
                client: NOOP
                client gets: 451 4.3.0 Temporary local problem, try again later
                """, QUIT).handler(() -> Rules.rewrite("NOOP", "RSET")).replayEveryWay();
        transcript(OPEN, """
                client: MAIL FROM:<a@example.com>
                (verdict: rewrite DATA)
                client gets: 451 4.3.0 Temporary local problem, try again later
                """, QUIT).handler(() -> DeferringHandler.at("mail")).replayEveryWay();
    }

    @Test
    void handlersAreAskedInOrderAndTheFirstRefusalIsFinal() {
        transcript(OPEN, """
                client: NOOP a
                client: NOOP d
                server gets: NOOP c
                client gets nothing
                server: 250 ok
                client gets: 250 ok
                client gets: 550 5.7.1 not here
                """, QUIT).handlers(() -> List.of(
                Rules.rewrite("NOOP a", "NOOP b"), Rules.rewrite("NOOP b", "NOOP c"), Rules.rejectCommand("NOOP b"),
                Rules.rejectCommand("NOOP d"), Rules.disconnectAt("NOOP d"))).replayEveryWay();
    }

    @Test
    void disconnectAnswersInItsPlaceAndEndsTheSession() {
        transcript(OPEN, """
                client: NOOP
                client: VRFY x
                client: DATA
                server gets: NOOP
                client gets nothing
                server: 250 ok
                client gets: 250 ok
                client gets: 421 4.7.0 enough
                client leg: lingers
                server gets: QUIT
                """).handler(() -> Rules.disconnectAt("VRFY")).records("session", "session REFUSED 0 : 4.7.0 enough").replayEveryWay();
    }

    @Test
    void disconnectMayComeLate() {
        transcript(OPEN, GROUP, """
                (verdict: disconnect 521 5.7.1 go away)
                client gets: 521 5.7.1 go away
                server gets: QUIT
                (session ended)
                """).handler(() -> DeferringHandler.at("mail")).records("transaction session", """
                        transaction 1 <a@example.com> to  : 0 octets REFUSED 521 5.7.1 go away
                        session REFUSED 1 : 5.7.1 go away""").replayEveryWay();
    }

    @Test
    void replyTextCantInjectAReply() {
        transcript(OPEN, """
                client: NOOP
                client gets: 550 no??250 ok
                """, QUIT).handler(() -> Rules.command(command -> command.text().equals("NOOP")
                ? Verdict.reject(Reply.plain(550, "no\u560d\u560a250 ok"))
                : Verdict.proceed())).replayEveryWay();
        transcript(OPEN, """
                client: NOOP
                client gets: 451 4.3.0 Temporary local problem, try again later
                """, QUIT).handler(() -> Rules.command(command -> command.text().equals("NOOP")
                ? Verdict.reject(Reply.plain(550, "no\r\n250 ok"))
                : Verdict.proceed())).replayEveryWay();
        transcript(OPEN, """
                client: NOOP
                client gets: 451 4.3.0 Temporary local problem, try again later
                """, QUIT).handler(() -> Rules.command(command -> command.text().equals("NOOP")
                ? Verdict.reject(Reply.plain(250, "accepted"))
                : Verdict.proceed())).replayEveryWay();
    }

    @Test
    void stageThatCantBeWaitedForCountsAsAFailure() {
        class Unwilling extends CompletableFuture<Verdict<Command>> {
            @Override
            public CompletableFuture<Verdict<Command>> whenComplete(
                    BiConsumer<? super Verdict<Command>, ? super Throwable> action) {
                throw new UnsupportedOperationException("for the test");
            }
        }
        transcript(OPEN, """
                client: NOOP
                client: RSET
                client gets: 451 4.3.0 Temporary local problem, try again later
                server gets: RSET
                server: 250 ok
                client gets: 250 ok
                (time passes: 60 s)
                client gets nothing
                """, QUIT).handler(() -> Rules.command(command -> command.text().equals("NOOP")
                ? Verdict.later(new Unwilling())
                : Verdict.proceed())).replayEveryWay();
    }

    @Test
    void verdictThatIsCompletedAfterTheSessionEndedChangesNothing() {
        class Uncancellable extends CompletableFuture<Verdict<Command>> {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false;
            }
        }
        class TooLate implements RelayHandler {
            private final CompletableFuture<Verdict<Command>> verdict = new Uncancellable();

            @Override
            public Verdict<Command> mail(Transaction transaction, Command command) {
                return Verdict.later(verdict);
            }

            @Override
            public void sessionClosed(RelaySession session, SessionRecord record) {
                verdict.complete(Verdict.proceed());
            }
        }
        transcript(OPEN, """
                client: MAIL FROM:<a@example.com>
                (client vanishes)
                server gets: QUIT
                (verdicts arrive)
                server gets nothing
                """).handler(TooLate::new).replayEveryWay();
    }
}
