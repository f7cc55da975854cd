package dev.weft.session;

import static dev.weft.session.Dialogues.DATA;
import static dev.weft.session.Dialogues.FRESH_LEG;
import static dev.weft.session.Dialogues.NEXT_ENVELOPE;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;

import dev.weft.smtp.BareLineEnds;
import org.junit.jupiter.api.Test;

class MessageTest {

    private static final String QUEUED = """
            server: 250 2.0.0 queued
            client gets: 250 2.0.0 queued
            """;

    private static void passes(String... lines) {
        var sent = new StringBuilder(DATA);
        for (var line : lines) {
            sent.append("client: ").append(line).append('\n');
        }
        sent.append("client: .\n");
        for (var line : lines) {
            sent.append("server gets: ").append(line).append('\n');
        }
        sent.append("server gets: .\n");
        transcript(sent.toString(), QUEUED, QUIT).replayEveryWay();
    }

    @Test
    void nothingInAMessageIsACommand() {
        passes("RCPT TO:<x@example.net>", "EHLO evil", "QUIT", "DATA", "STARTTLS", "BDAT 100 LAST", "RSET");
    }

    @Test
    void dotStuffingPassesUnchanged() {
        passes("..", "...", "..x", "x.", "\\s.", "..\\r..");
        passes();
        passes("");
        passes("..");
    }

    @Test
    void nulAndEightBitPassUnchanged() {
        passes("a\\0b", "\\0", "..\\0", "\\xff\\xfe\\x80", "Subject: \\xc3\\xa4");
    }

    @Test
    void lineWithoutEndPasses() {
        passes("\\{70000*A}");
        passes("\\{998*A}", "\\{999*B}", "\\{2049*C}", "\\{8193*D}");
    }

    @Test
    void bareCrAndLfPassWhereNoDotStandsBetweenThem() {
        passes("a\\nb", "a\\rb", "\\n\\n", "\\r\\r", "a\\n..\\nb", "a\\n.b\\n", "\\r.x", "\\n.. ");
    }

    @Test
    void lookAlikesAreRefusedAndTheNextMessagePassesOverAFreshLeg() {
        for (var lookAlike : new String[] {"\\n.\\n", "\\n.\\r\\n", "\\r.\\r", "\\r.\\n", "\\r.\\r\\n", "\\n.\\r", "\\r\\n.\\n", "\\r\\n.\\rx"}) {
            // The octet behind the dot completes it, and never leaves; nor does the CR of CRLF.CR.
            var octets = lookAlike.substring(0, lookAlike.indexOf('.') + 1);
            transcript(DATA, "client: x" + lookAlike + "\\\n", """
                    client: MAIL FROM:<ceo@example.com>
                    client: RCPT TO:<victim@example.net>
                    client: DATA
                    client: forged
                    client: .
                    """, "server gets: x" + octets + "\\\n", """
                    server leg: aborted
                    client gets: 550 5.5.2 Message refused: it holds a dot between bare CR or LF that may be read as its end
                    client: MAIL FROM:<c@example.com>
                    client: RCPT TO:<d@example.net>
                    """, FRESH_LEG, """
                    server gets: MAIL FROM:<c@example.com>
                    server gets: RCPT TO:<d@example.net>
                    server: 250 1
                    server: 250 2
                    client gets: 250 1
                    client gets: 250 2
                    client: DATA
                    server gets: DATA
                    server: 354 go on
                    client gets: 354 go on
                    client: .
                    server gets: .
                    """, QUEUED, QUIT).records("notice transaction session", """
                            notice SMUGGLING_REFUSED a dot between bare CR or LF
                            transaction 1 <a@example.com> to <b@example.net>=250 : %d octets REFUSED 550 5.5.2 Message refused: \
                    it holds a dot between bare CR or LF that may be read as its end
                            notice FRESH_SERVER_LEG
                            transaction 2 <c@example.com> to <d@example.net>=250 : 0 octets ACCEPTED 250 2.0.0 queued
                            session QUIT 2""".formatted(("x" + octets).replaceAll("\\\\.", "_").length())).replayEveryWay();
        }
    }

    @Test
    void lookAlikeAtTheVeryBeginningIsRefused() {
        transcript(DATA, """
                client: .\\n\\
                client: forged
                client: .
                server gets: .\\
                server leg: aborted
                client gets: 550 5.5.2 Message refused: it holds a dot between bare CR or LF that may be read as its end
                """).replayEveryWay();
    }

    @Test
    void settingRefusesEveryBareLineEnd() {
        transcript(DATA, """
                client: ab\\nc
                client: .
                server gets: ab\\
                server leg: aborted
                client gets: 550 5.5.2 Message refused: it holds a bare CR or LF
                """).settings(SessionSettings.DEFAULT.withBareLineEnds(BareLineEnds.REFUSE)).replayEveryWay();
    }

    @Test
    void settingLetsEveryBareLineEndPass() {
        transcript(DATA, """
                client: a\\n.\\nb\\n.
                client: c\\r.\\r.
                client: .
                server gets: a\\n.\\nb\\n.
                server gets: c\\r.\\r.
                server gets: .
                """, QUEUED).settings(SessionSettings.DEFAULT.withBareLineEnds(BareLineEnds.PASS)).replayEveryWay();
    }

    @Test
    void clientThatSpeaksBeforeThe354IsHeld() {
        transcript(Dialogues.ENVELOPE, """
                client: DATA
                client: Subject: early
                client: .
                server gets: DATA
                server: 354 go on
                client gets: 354 go on
                server gets: Subject: early
                server gets: .
                server: 554 5.7.1 spam
                client gets: 554 5.7.1 spam
                """, QUIT).records("notice transaction", """
                        notice UNASKED_PIPELINING
                        transaction 1 <a@example.com> to <b@example.net>=250 : 16 octets REFUSED 554 5.7.1 spam""").replayEveryWay();
    }

    @Test
    void earlyRefusalIsGivenOnceAtTheEndOfTheMessage() {
        transcript(DATA, """
                client: first
                server gets: first
                server: 552-5.3.4 too
                server: 552 5.3.4 big
                client gets nothing
                server leg: aborted
                client: second\\n.\\n
                client: QUIT
                client gets nothing
                client: .
                client gets: 552-5.3.4 too
                client gets: 552 5.3.4 big
                client: NOOP
                client gets: 250 2.0.0 Ok
                client: MAIL FROM:<c@example.com>
                client: RCPT TO:<d@example.net>
                """, FRESH_LEG, """
                server gets: MAIL FROM:<c@example.com>
                server gets: RCPT TO:<d@example.net>
                """).records("notice transaction", """
                        notice EARLY_REPLY 5.3.4 too 5.3.4 big
                        transaction 1 <a@example.com> to <b@example.net>=250 : 7 octets REFUSED 552 5.3.4 too 5.3.4 big
                        notice FRESH_SERVER_LEG""").replayEveryWay();
    }

    @Test
    void earlyAcceptanceIsNoAcceptance() {
        for (var reply : new String[] {"250 2.0.0 queued", "354 go on"}) {
            transcript(DATA, "client: first\nserver gets: first\nserver: " + reply + "\n", """
                    client gets nothing
                    server leg: aborted
                    client: second
                    client: .
                    client gets: 451 4.5.0 Server answered before the message had ended
                    """, "client: QUIT\nclient gets: 221 2.0.0 Bye\n(session ended)\n").replayEveryWay();
        }
    }

    @Test
    void early421GoesToTheClientAtOnce() {
        transcript(DATA, """
                client: first
                server gets: first
                server: 421 4.3.2 shutting down
                client gets: 421 4.3.2 shutting down
                client leg: lingers
                server leg: aborted
                client: second
                (session ended)
                """).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 7 octets ABANDONED
                        session SERVER_GONE 1 : 4.3.2 shutting down""").replayEveryWay();
    }

    @Test
    void slowReplyAfterTheDotIsWaitedFor() {
        transcript(DATA, """
                client: x
                client: .
                server gets: x
                server gets: .
                (time passes: 14 min)
                client gets nothing
                """, QUEUED, NEXT_ENVELOPE, QUIT).replayEveryWay();
    }
}
