package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;

import dev.weft.testkit.DeferringHandler;
import org.junit.jupiter.api.Test;

class GreetingTest {

    @Test
    void greetingIsRelayedAsItIs() {
        transcript(GREETED, QUIT).records("greeting session", """
                greeting 220 mx.example.net ESMTP
                session QUIT 0""").replayEveryWay();
    }

    @Test
    void greetingOfSeveralLinesComesWhenComplete() {
        transcript("""
                (server connects)
                server: 220-mx.example.net
                client gets nothing
                (time passes: 30 s)
                client: EHLO a.example
                server gets nothing
                server: 220 mx\\
                server gets nothing
                client gets nothing
                server: .example.net
                client gets: 220-mx.example.net
                client gets: 220 mx.example.net
                server gets: EHLO a.example
                server: 250 mx.example.net
                client gets: 250 mx.example.net
                """).replayEveryWay();
    }

    @Test
    void earlyTalkerIsHeldAndReportedOnce() {
        transcript("""
                client: EHLO a.example
                (time passes: 1 s)
                client: QUIT
                (server connects)
                server gets nothing
                server: 220 mx
                client gets: 220 mx
                server gets: EHLO a.example
                server: 250 mx
                client gets: 250 mx
                server gets: QUIT
                server: 221 bye
                client gets: 221 bye
                (session ended)
                """).records("notice", "notice EARLY_TALKER").replayEveryWay();
    }

    @Test
    void earlyTalkerCantFillTheMemory() {
        transcript("""
                client: \\{40000*x}
                client reading: paused
                (server connects)
                server: 220 mx
                client gets: 220 mx
                client gets: 500 5.5.2 Command line too long
                client reading: on
                client: NOOP
                server gets: NOOP
                server: 250 ok
                client gets: 250 ok
                """).replayEveryWay();
    }

    @Test
    void refusedConnectionIsA421() {
        transcript("""
                (server refuses: Connection refused)
                client gets: 421 4.4.1 Server can't be reached: Connection refused
                client leg: lingers
                server leg: none
                """).records("session", "session UNREACHABLE 0 : Connection refused").replayEveryWay();
    }

    @Test
    void reasonOfARefusedConnectionCantInjectAReply() {
        transcript("""
                (server refuses: no\u560d\u560a250 way)
                client gets: 421 4.4.1 Server can't be reached: no??250 way
                """).replayEveryWay();
    }

    @Test
    void silentAddressIsA421WithinTheConnectLimit() {
        transcript("""
                (time passes: 29 s)
                client gets nothing
                (time passes: 1 s)
                client gets: 421 4.4.1 Server can't be reached: connect timed out
                client leg: lingers
                server leg: aborted
                """).records("session", "session UNREACHABLE 0 : connect timed out").replayEveryWay();
    }

    @Test
    void silentServerIsA421WhileTheClientStillListens() {
        transcript("""
                (time passes: 20 s)
                (server connects)
                (time passes: 249 s)
                client gets nothing
                (time passes: 1 s)
                client gets: 421 4.4.1 Server did not greet in time
                client leg: lingers
                server leg: awaits peer
                """).records("session", "session UNREACHABLE 0 : no greeting in time").replayEveryWay();
    }

    @Test
    void serverThatClosesBeforeItsGreetingIsA421() {
        transcript("""
                (server connects)
                server: 220-mx
                (server closes)
                client gets: 421 4.4.1 Server closed the connection before its greeting
                client leg: lingers
                """).records("session", "session UNREACHABLE 0 : closed before its greeting").replayEveryWay();
    }

    @Test
    void refusingGreetingIsRelayedAndQuitPasses() {
        transcript("""
                (server connects)
                server: 554-5.7.1 blocked
                server: 554 5.7.1 see https://mx.example.net/
                client gets: 554-5.7.1 blocked
                client gets: 554 5.7.1 see https://mx.example.net/
                (session goes on)
                """, QUIT).replayEveryWay();
    }

    @Test
    void refusingGreetingIsRelayedAndNothingIsAddedWhenTheServerCloses() {
        transcript("""
                (server connects)
                server: 450 4.7.1 greylisted
                client gets: 450 4.7.1 greylisted
                (server closes)
                client gets nothing
                client leg: lingers
                """).records("session", "session SERVER_GONE 0").replayEveryWay();
    }

    @Test
    void greetingOf421EndsTheSession() {
        transcript("""
                (server connects)
                server: 421-4.7.26 too many
                server: 421-4.7.26
                server: 421 4.7.26 sessions
                client gets: 421-4.7.26 too many
                client gets: 421-4.7.26
                client gets: 421 4.7.26 sessions
                client leg: lingers
                server leg: awaits peer
                server gets nothing
                """).records("session", "session SERVER_GONE 0 : greeting: 4.7.26 too many 4.7.26 4.7.26 sessions").replayEveryWay();
    }

    @Test
    void mixedGreetingCountsAsItsLastLine() {
        transcript("""
                (server connects)
                server: 220-mx
                server: 521 5.7.1 blocked
                client gets: 220-mx
                client gets: 521 5.7.1 blocked
                (server closes)
                client gets nothing
                """).records("notice session", """
                        notice MIXED_CODES mx 5.7.1 blocked
                        session SERVER_GONE 0""").replayEveryWay();
    }

    @Test
    void greetingThatIsNoGreetingIsA421() {
        transcript("""
                (server connects)
                server: 354 go on
                client gets: 421 4.5.0 Server sent a reply that answers no command, closing
                client leg: lingers
                server gets nothing
                """).replayEveryWay();
        transcript("""
                (server connects)
                server: SSH-2.0-OpenSSH_9
                client gets: 421 4.5.0 Server sent what is no SMTP reply, closing
                server gets nothing
                """).records("notice session", """
                        notice MALFORMED_REPLY SSH-2.0-OpenSSH_9??
                        session OUT_OF_STEP 0 : malformed reply""").replayEveryWay();
    }

    @Test
    void handlerMayRefuseAtConnect() {
        transcript("""
                server leg: none
                client gets nothing
                (verdict: reject 554 5.7.1 not you)
                client gets: 554 5.7.1 not you
                client leg: lingers
                server leg: none
                """).handler(() -> DeferringHandler.at("connect")).records("session", "session REFUSED 0 : 5.7.1 not you").replayEveryWay();
    }

    @Test
    void handlerMayChangeTheRoute() {
        transcript("""
                (verdict: rewrite 192.0.2.77)
                (server connects)
                server: 220 other
                client gets: 220 other
                """, QUIT).handler(() -> DeferringHandler.at("connect")).recording(recorder -> {
            var to = recorder.session().route().orElseThrow().server().getAddress().getHostAddress();
            if (!to.equals("192.0.2.77")) {
                throw new AssertionError(to);
            }
        }).replayEveryWay();
    }

    @Test
    void handlerThatFailsAtConnectIsA421() {
        for (var verdict : new String[] {"fails", "null"}) {
            transcript("(verdict: " + verdict + ")\n", """
                    client gets: 421 4.3.0 Temporary local problem, try again later
                    client leg: lingers
                    """).handler(() -> DeferringHandler.at("connect")).replayEveryWay();
        }
        transcript("""
                (time passes: 30 s)
                (verdict cancelled)
                client gets: 421 4.3.0 Temporary local problem, try again later
                """).handler(() -> DeferringHandler.at("connect")).replayEveryWay();
    }

    @Test
    void clientThatGoesWhileTheRouteIsDecidedIsNoticedAtOnce() {
        for (var parting : new String[][] {{"(client vanishes)", "aborted"}, {"(client half-closes)", "lingers"}}) {
            transcript(parting[0] + "\n", """
                    (verdict cancelled)
                    (session ended)
                    client leg: %s
                    server leg: none
                    """.formatted(parting[1])).handler(() -> DeferringHandler.at("connect")).replayEveryWay();
        }
    }

    @Test
    void clientThatGoesWhileTheServerConnectsIsNoticedAtOnce() {
        transcript("""
                server leg: connecting
                (client half-closes)
                (session ended)
                server leg: aborted
                """).records("session", "session CLIENT_GONE 0 : while it was waited for").replayEveryWay();
    }

    @Test
    void clientThatHalfClosesBehindItsQuitIsServedToTheEnd() {
        transcript("""
                client: EHLO a.example
                client: QUIT
                (client half-closes)
                (server connects)
                server: 220 mx
                client gets: 220 mx
                server gets: EHLO a.example
                server: 250 mx
                client gets: 250 mx
                server gets: QUIT
                server: 221 bye
                client gets: 221 bye
                client leg: lingers
                """).records("session", "session QUIT 0").replayEveryWay();
    }
}
