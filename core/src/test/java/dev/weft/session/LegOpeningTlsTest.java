package dev.weft.session;

import dev.weft.relay.TlsPolicy;
import dev.weft.testkit.OpeningTranscript;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a leg is opened with TLS, and what each policy makes of a failure. */
class LegOpeningTlsTest {

    private static final TlsPolicy MAY = TlsPolicy.may();
    private static final TlsPolicy ENCRYPT = TlsPolicy.encrypt();
    private static final TlsPolicy VERIFY = TlsPolicy.verify("mx.example.net");

    private static final String HELLO = """
            (server connects)
            server: 220 mx.example.net ESMTP
            server gets: EHLO proxy.example
            """;
    private static final String OFFERED = HELLO + """
            server: 250-mx.example.net
            server: 250 STARTTLS
            server gets: STARTTLS
            """;
    private static final String ORDERED = OFFERED + """
            server: 220 2.0.0 go
            server gets nothing
            (server TLS is ordered, asking for mx.example.net)
            """;

    private static void plays(TlsPolicy policy, String text) {
        OpeningTranscript.of(text).route(route -> route.withTls(policy)).replayEveryWay();
    }

    @Test
    void whatHoldsInsideTlsIsWhatCounts() {
        for (var policy : List.of(MAY, ENCRYPT, VERIFY)) {
            plays(policy, ORDERED + """
                    (server TLS established)
                    server gets: EHLO proxy.example
                    server: 250-mx.example.net
                    server: 250 PIPELINING
                    (opened in TLS: mx.example.net | PIPELINING)
                    """);
        }
    }

    @Test
    void theRoutesNameIsAskedForBeforeTheAnnouncedOne() {
        OpeningTranscript.of(OFFERED + """
                server: 220 go
                (server TLS is ordered, asking for mx7.example.org)
                (server TLS established)
                server gets: EHLO proxy.example
                server: 250 mx
                (opened in TLS: mx)
                """).route(route -> route.withTls(MAY).withServerName("mx7.example.org")).replayEveryWay();
    }

    @Test
    void aServerWithoutTlsIsSpokenToInClearWhereThatMayBe() {
        plays(MAY, HELLO + """
                server: 250 mx.example.net
                (opened: mx.example.net)
                (without TLS: the server does not offer STARTTLS)
                """);
        plays(MAY, OFFERED + """
                server: 454 4.7.0 not now
                (opened: mx.example.net | STARTTLS)
                (without TLS: the server refuses STARTTLS: 4.7.0 not now)
                """);
        plays(MAY, HELLO + """
                server: 500 what?
                server gets: HELO proxy.example
                server: 250 old
                (opened: old)
                (without TLS: the server refuses EHLO: what?)
                """);
    }

    @Test
    void aServerWithoutTlsGetsNoMailWhereItIsDemanded() {
        for (var policy : List.of(ENCRYPT, VERIFY)) {
            plays(policy, HELLO + """
                    server: 250 mx.example.net
                    server gets: QUIT
                    server leg: awaits peer
                    (refused: 451 4.7.5 TLS policy can't be met: the server does not offer STARTTLS)
                    """);
            plays(policy, OFFERED + """
                    server: 454 4.7.0 not now
                    server gets: QUIT
                    (refused: 451 4.7.5 TLS policy can't be met: the server refuses STARTTLS: 4.7.0 not now)
                    """);
            plays(policy, HELLO + """
                    server: 502 what?
                    server gets: QUIT
                    (refused: 451 4.7.5 TLS policy can't be met: the server refuses EHLO: what?)
                    """);
            plays(policy, ORDERED + """
                    (server TLS fails: no cipher in common)
                    server leg: aborted
                    (refused: 451 4.7.5 TLS policy can't be met: TLS failed: no cipher in common)
                    """);
        }
    }

    @Test
    void aCertificateThatDoesNotDoIsEnoughForAllButVerify() {
        plays(ENCRYPT, ORDERED + """
                (server TLS established with a certificate that is not trusted)
                server gets: EHLO proxy.example
                server: 250 mx
                (opened in TLS: mx)
                """);
        plays(VERIFY, ORDERED + """
                (server TLS established with a certificate that is not trusted)
                server gets: QUIT
                server leg: awaits peer
                (refused: 451 4.7.5 TLS policy can't be met: the server's certificate is not verified: self-signed)
                """);
        plays(VERIFY, ORDERED + """
                (server TLS established with a certificate for other names)
                server gets: QUIT
                (refused: 451 4.7.5 TLS policy can't be met: the server's certificate is not verified: it is made out to other names)
                """);
    }

    @Test
    void aFailedHandshakeIsTriedWithoutANameAndThenInClear() {
        plays(MAY, "(connecting)\n" + ORDERED + """
                (server TLS fails: unrecognized name)
                (connecting)
                (server TLS is not remembered as broken)
                """ + OFFERED + """
                server: 220 go
                (server TLS is ordered, asking for no name)
                (server TLS fails: no cipher in common)
                (connecting)
                (server TLS is remembered as broken)
                """ + HELLO + """
                server: 250-mx.example.net
                server: 250 STARTTLS
                (opened: mx.example.net | STARTTLS)
                (without TLS: no cipher in common)
                """);
    }

    @Test
    void aHandshakeThatStallsOrIsCutIsNotTriedAgain() {
        plays(MAY, ORDERED + """
                (time passes: 59 s)
                (nothing came of it yet)
                (time passes: 1 s)
                (server TLS is remembered as broken)
                """ + HELLO + """
                server: 250 mx
                (opened: mx)
                (without TLS: the handshake did not finish in time)
                """);
        plays(MAY, OFFERED + """
                (server closes)
                """ + HELLO + """
                server: 250 mx
                (opened: mx)
                (without TLS: the server closed the connection at STARTTLS)
                """);
        // TLS 1.3: a server that wants a certificate of ours says so after the handshake.
        plays(MAY, ORDERED + """
                (server TLS established)
                server gets: EHLO proxy.example
                (server closes)
                """ + HELLO + """
                server: 250 mx
                (opened: mx)
                (without TLS: the server closed the connection after the TLS handshake)
                """);
    }

    @Test
    void whereTlsIsKnownAsBrokenItIsNotTriedUnlessDemanded() {
        OpeningTranscript.of(HELLO + """
                server: 250-mx
                server: 250 STARTTLS
                (opened: mx | STARTTLS)
                (without TLS: TLS failed on this server a short while ago)
                """).route(route -> route.withTls(MAY)).serverTlsIsKnownAsBroken().replayEveryWay();
        OpeningTranscript.of(ORDERED + """
                (server TLS established)
                server gets: EHLO proxy.example
                server: 250 mx
                (opened in TLS: mx)
                """).route(route -> route.withTls(ENCRYPT)).serverTlsIsKnownAsBroken().replayEveryWay();
    }

    @Test
    void textBehindThe220IsAnAttackAtEveryPolicy() {
        for (var policy : List.of(MAY, ENCRYPT, VERIFY)) {
            plays(policy, OFFERED + """
                    server: 220 go
                    server: 250 injected
                    server leg: aborted
                    (refused: 451 4.7.0 Server sent text behind its reply to STARTTLS)
                    """);
        }
    }

    @Test
    void allTogetherHasOneBudget() {
        plays(MAY, """
                (time passes: 25 s)
                (server connects)
                (time passes: 200 s)
                server: 220 mx.example.net
                server gets: EHLO proxy.example
                server: 250-mx
                server: 250 STARTTLS
                server gets: STARTTLS
                server: 220 go
                (time passes: 45 s)
                server leg: aborted
                (refused: 451 4.4.2 Server did not answer in time: TLS: the handshake did not finish in time)
                """);
    }
}
