package dev.weft.session;

import dev.weft.testkit.OpeningTranscript;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a leg is opened without TLS, and how that fails. */
class LegOpeningTest {

    private static final String GREETED = """
            (connecting)
            (server connects)
            server: 220 mx.example.net ESMTP
            server gets: EHLO proxy.example
            """;

    private static void plays(String text) {
        OpeningTranscript.of(text).replayEveryWay();
    }

    @Test
    void aLegIsGreetedByTheProxy() {
        plays("""
                (connecting)
                server gets nothing
                (server connects)
                server gets nothing
                server: 220-mx.example.net ESMTP
                server: 220-no spam
                server: 220 please
                server gets: EHLO proxy.example
                server: 250-mx.example.net
                server: 250-PIPELINING
                server: 250 SIZE 1000
                (opened: mx.example.net | PIPELINING | SIZE 1000)
                server leg: open
                """);
    }

    @Test
    void nothingIsSentBeforeTheGreetingIsComplete() {
        plays("""
                (server connects)
                server: 220-mx.example.net ESMTP
                server: 220-wait for it
                server gets nothing
                server: 220 now\\
                server gets nothing
                server: \\
                server:
                server gets: EHLO proxy.example
                server: 250 mx.example.net
                (opened: mx.example.net)
                """);
    }

    @Test
    void theRoutesOwnNameIsSaid() {
        OpeningTranscript.of("""
                (server connects)
                server: 220 mx.example.net ESMTP
                server gets: EHLO out7.example.com
                server: 250 mx.example.net
                (opened: mx.example.net)
                """).route(route -> route.withEhloName("out7.example.com")).replayEveryWay();
    }

    @Test
    void aServerWithoutEhloGetsHeloAndOffersNothing() {
        plays(GREETED + """
                server: 502 5.5.1 what?
                server gets: HELO proxy.example
                server: 250-old.example.net
                server: 250 PIPELINING
                (opened: old.example.net)
                """);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "450 4.7.1 not now            | 451 4.7.1 Server refuses the connection: 450 4.7.1 not now",
        "554 5.7.1 you are listed     | 451 4.7.1 Server refuses the connection: 554 5.7.1 you are listed",
        "554 no                       | 451 4.4.1 Server refuses the connection: 554 no"})
    void aRefusingGreetingIsPassedOnAsFarAsItMeansThisConnection(String greeting, String told) {
        plays("""
                (server connects)
                server: %s
                server gets: QUIT
                server leg: awaits peer
                (refused: %s)
                """.formatted(greeting, told));
    }

    @Test
    void a421AsGreetingIsNoneForTheClient() {
        plays("""
                (server connects)
                server: 421 4.7.0 mx Error: too many connections from 192.0.2.9
                server gets nothing
                server leg: awaits peer
                (refused: 451 4.7.0 Server refuses the connection: 421 4.7.0 mx Error: too many connections from 192.0.2.9)
                """);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "421 4.3.2 closing  | server gets nothing | 451 4.3.2 Server refuses the connection: 421 4.3.2 closing",
        "550 5.7.1 bad name | server gets: QUIT   | 451 4.7.1 Server refuses the connection: 550 5.7.1 bad name"})
    void aRefusedEhloIsTheServersWord(String reply, String said, String told) {
        plays(GREETED + """
                server: %s
                %s
                server leg: awaits peer
                (refused: %s)
                """.formatted(reply, said, told));
    }

    @Test
    void aRefusedHeloIsTheEnd() {
        plays(GREETED + """
                server: 500 what?
                server gets: HELO proxy.example
                server: 501 5.5.4 bad name
                server gets: QUIT
                (refused: 451 4.5.4 Server refuses the connection: 501 5.5.4 bad name)
                """);
    }

    @Test
    void whatCantBeReachedIsPutOff() {
        plays("""
                (server refuses: Connection refused)
                (refused: 451 4.4.1 Server can't be reached: Connection refused)
                server leg: none
                """);
        plays("""
                (server connects)
                (server closes)
                server leg: aborted
                (refused: 451 4.4.1 Server closed the connection before its greeting)
                """);
        plays(GREETED + """
                server: 250-mx
                (server closes)
                server leg: aborted
                (refused: 451 4.4.2 Server closed the connection at EHLO)
                """);
    }

    @Test
    void eachStepHasItsTime() {
        plays("""
                (time passes: 29 s)
                (nothing came of it yet)
                (time passes: 1 s)
                server leg: aborted
                (refused: 451 4.4.1 Server can't be reached: connect timed out)
                """);
        // The greeting may take 5 minutes, but all together 270 s.
        plays("""
                (time passes: 20 s)
                (server connects)
                server: 220-slow
                (time passes: 249 s)
                (nothing came of it yet)
                (time passes: 1 s)
                server leg: aborted
                (refused: 451 4.4.1 Server did not greet in time)
                """);
        plays(GREETED + """
                (time passes: 270 s)
                server leg: aborted
                (refused: 451 4.4.2 Server did not answer in time)
                """);
    }

    @Test
    void whatIsNoReplyEndsIt() {
        plays("""
                (server connects)
                server: SSH-2.0-OpenSSH
                server leg: aborted
                (refused: 451 4.5.0 Server sent what is no SMTP reply)
                """);
        plays("""
                (server connects)
                server: 220 \\{70000*x}
                (refused: 451 4.5.0 Server sent a reply that is too long)
                """);
        plays("""
                (server connects)
                server: 354 go on
                (refused: 451 4.5.0 Server answered 354 where that means nothing)
                """);
    }
}
