package dev.weft.session;

import static dev.weft.session.Dialogues.NEXT_ENVELOPE;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.MessageEndings.SMUGGLING;
import static dev.weft.session.MessageEndings.content;
import static dev.weft.session.MessageEndings.eachWire;
import static dev.weft.session.MessageEndings.goesOn;
import static dev.weft.session.MessageEndings.line;
import static dev.weft.session.MessageEndings.lookAlike;
import static dev.weft.session.MessageEndings.stuffed;
import static dev.weft.session.Paths.HELD;
import static dev.weft.session.Paths.NEXT_OVER_FRESH_LEG;

import dev.weft.relay.MessageChange;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Verdict;
import dev.weft.smtp.BareLineEnds;
import dev.weft.smtp.Header;
import dev.weft.testkit.DeferringHandler;
import dev.weft.testkit.Transcript;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Each path and what may become of a message on it, with messages that end in every mix of dots and line ends. */
class MessageEndingsTest {

    private static final int SHORT = 3;
    private static final int LONGEST = Integer.getInteger("endings", 4);
    private static final String QUEUED = """
            server: 250 2.0.0 queued
            client gets: 250 2.0.0 queued
            """;
    private static final String GO_ON = """
            server gets: DATA
            server: 354 go on
            """;
    private static final String FAILED = "client gets: 451 4.3.0 Temporary local problem, try again later\n";
    private static final String DIED = "client gets: 451 4.4.2 Server closed the connection in the middle of the message\n";
    private static final String RESET = """
            server gets: RSET
            server: 250 reset
            (nothing kept)
            """ + NEXT_ENVELOPE + QUIT;
    private static final String FRESH = NEXT_OVER_FRESH_LEG + QUIT;

    private static void replay(Supplier<RelayHandler> handler, String... parts) {
        var transcript = Transcript.of(String.join("", parts)).handler(handler);
        transcript.replay();
        transcript.replayEachByte();
        transcript.replayAtRandomCuts(System.nanoTime(), 1);
    }

    private static Supplier<RelayHandler> stream() {
        return () -> Paths.choosing(MessageUse.look(), MessagePath::stream);
    }

    private static Supplier<RelayHandler> dot() {
        return () -> Paths.reading(new Paths.Reading());
    }

    private static Supplier<RelayHandler> hold() {
        return () -> Paths.holding(message -> Verdict.proceed());
    }

    private static Supplier<RelayHandler> lateDot() {
        return () -> DeferringHandler.at("dot");
    }

    private static Supplier<RelayHandler> lateHold() {
        return () -> DeferringHandler.at("hold");
    }

    private static String butTheEnd(String wire) {
        return wire.substring(0, wire.length() - 2);
    }

    @Test
    void relayedOrRefusedAsALookAlikeOfAnEnd() {
        eachWire(LONGEST, wire -> {
            var refused = lookAlike(wire);
            var sent = line("client", wire);
            if (refused < 0) {
                replay(stream(), Paths.DATA, sent, line("server gets", wire), QUEUED, QUIT);
                replay(dot(), Paths.DATA, sent, line("server gets", wire), QUEUED, QUIT);
                replay(hold(), HELD, sent, GO_ON, line("server gets", stuffed(content(wire))), QUEUED, QUIT);
            } else {
                var cut = line("server gets", wire.substring(0, refused)) + "server leg: aborted\n" + SMUGGLING;
                replay(stream(), Paths.DATA, sent, cut, FRESH);
                replay(dot(), Paths.DATA, sent, cut, FRESH);
                replay(hold(), HELD, sent, SMUGGLING, RESET);
            }
        });
    }

    @Test
    void relayedAsItIsWhereASettingLetsAllLineEndsPass() {
        var settings = SessionSettings.DEFAULT.withBareLineEnds(BareLineEnds.PASS);
        eachWire(SHORT + 1, wire -> {
            var sent = line("client", wire);
            for (var each : List.of(
                    Dialogues.transcript(Paths.DATA, sent, line("server gets", wire), QUEUED, QUIT).handler(dot()),
                    Dialogues.transcript(HELD, sent, GO_ON, line("server gets", stuffed(content(wire))), QUEUED, QUIT).handler(hold()))) {
                each.settings(settings).replay();
                each.settings(settings).replayEachByte();
            }
        });
    }

    @Test
    void rejectedAfterAllOfItCame() {
        eachWire(SHORT + 1, wire -> {
            if (lookAlike(wire) < 0) {
                var verdict = """
                        (verdict: reject 550 5.7.1 spam)
                        client gets: 550 5.7.1 spam
                        """;
                replay(lateDot(), Paths.DATA, line("client", wire), line("server gets", butTheEnd(wire)), verdict,
                        "server leg: aborted\n", FRESH);
                replay(lateHold(), HELD, line("client", wire), verdict, RESET);
            }
        });
    }

    @Test
    void changedByAHeader() {
        var added = Header.of("X-Added", "1");
        var size = "client gets: 250-SIZE 1000000";
        var smaller = "client gets: 250-SIZE 999000";
        var data = Paths.DATA.replace(size, smaller);
        Supplier<RelayHandler> stream = () -> Paths.adding(added);
        Supplier<RelayHandler> dot = () -> Paths.choosing(MessageUse.grow(1000),
                () -> MessagePath.holdTheDot(new Paths.Reading()).prepending(added));
        Supplier<RelayHandler> hold = () -> Paths.choosing(MessageUse.grow(1000),
                () -> MessagePath.hold(message -> Verdict.rewrite(MessageChange.none().prepend(added))));
        eachWire(SHORT + 1, wire -> {
            if (lookAlike(wire) < 0) {
                var sent = line("client", wire);
                replay(stream, data, "server gets: X-Added: 1\n", sent, line("server gets", wire), QUEUED, QUIT);
                replay(dot, data, "server gets: X-Added: 1\n", sent, line("server gets", wire), QUEUED, QUIT);
                replay(hold, HELD.replace(size, smaller), sent, GO_ON, "server gets: X-Added: 1\n",
                        line("server gets", stuffed(content(wire))), QUEUED, QUIT);
            }
        });
    }

    @Test
    void changedByABodyThatEndsAnyhow() {
        for (var body : MessageEndings.mixes(LONGEST)) {
            Supplier<RelayHandler> hold = () -> Paths.holding(message -> Verdict.rewrite(MessageChange.none()
                    .body(() -> new ByteArrayInputStream(body.getBytes(StandardCharsets.ISO_8859_1)))));
            var wire = stuffed(body);
            // The piece before has left when it is the end that completes the look-alike.
            var left = lookAlike(MessageEndings.dotted(body)) < 0 ? "server gets: A: b\\r\\n\n" : "";
            replay(hold, HELD, "client: A: b\\r\\n\\r\\nx\\r\\n.\n", GO_ON, lookAlike(wire) < 0
                    ? line("server gets", "A: b\r\n\r\n" + wire) + QUEUED + QUIT
                    : left + "server leg: aborted\n" + FAILED + "(nothing kept)\n" + FRESH);
        }
    }

    /** The message is cut at each octet, as far as it may go on until there. */
    private interface Halves {
        void check(String first, String rest, String goneOn);
    }

    private static void eachHalf(Halves halves) {
        eachWire(SHORT, wire -> {
            for (int i = 0; i < wire.length(); i++) {
                var first = wire.substring(0, i);
                if (lookAlike(first) < 0) {
                    halves.check(first, wire.substring(i), goesOn(first));
                }
            }
        });
    }

    @Test
    void answeredEarlyByTheServer() {
        var early = """
                server: 552 5.3.4 too big
                server leg: aborted
                client gets nothing
                """;
        eachHalf((first, rest, goneOn) -> {
            var answered = early + line("client", rest) + "client gets: 552 5.3.4 too big\n" + FRESH;
            replay(stream(), Paths.DATA, line("client", first), line("server gets", goneOn), answered);
            replay(dot(), Paths.DATA, line("client", first), line("server gets", goneOn), answered);
        });
        eachWire(SHORT, wire -> {
            if (lookAlike(wire) < 0) {
                replay(lateDot(), Paths.DATA, line("client", wire), line("server gets", butTheEnd(wire)), """
                        server: 451 4.4.2 timeout
                        server leg: aborted
                        client gets: 451 4.4.2 timeout
                        (verdict cancelled)
                        """, FRESH);
                replay(hold(), HELD, line("client", wire), """
                        server gets: DATA
                        server: 451 4.3.0 not now
                        client gets: 451 4.3.0 not now
                        """, RESET);
            }
        });
    }

    @Test
    void leftByItsClient() {
        eachHalf((first, rest, goneOn) -> {
            var gone = "(client vanishes)\nserver leg: aborted\n(session ended)\n";
            replay(stream(), Paths.DATA, line("client", first), line("server gets", goneOn), gone);
            replay(dot(), Paths.DATA, line("client", first), line("server gets", goneOn), gone);
            replay(hold(), HELD, line("client", first), """
                    (client vanishes)
                    server gets: QUIT
                    server leg: awaits peer
                    (nothing kept)
                    (session ended)
                    """);
        });
    }

    @Test
    void leftByItsServer() {
        eachHalf((first, rest, goneOn) -> {
            var whole = first + rest;
            var behind = "(server closes)\nclient gets nothing\n" + line("client", rest);
            replay(stream(), Paths.DATA, line("client", first), line("server gets", goneOn), behind, DIED, FRESH);
            replay(dot(), Paths.DATA, line("client", first), line("server gets", goneOn), behind, DIED, FRESH);
            if (lookAlike(whole) < 0) {
                replay(hold(), HELD, line("client", first), behind, Dialogues.FRESH_LEG, """
                        server gets: MAIL FROM:<a@example.com>
                        server gets: RCPT TO:<b@example.net>
                        server: 250 mail
                        server: 250 rcpt
                        """, GO_ON, line("server gets", stuffed(content(whole))), QUEUED, QUIT);
            }
        });
    }

    @Test
    void judgedTooLateOrByAHandlerThatThrows() {
        var late = "(time passes: 30 s)\n" + FAILED + "(verdict cancelled)\n";
        Supplier<RelayHandler> throwingDot = () -> Paths.reading(new Paths.Reading() {
            @Override
            public Verdict<Void> end() {
                throw new IllegalStateException("a reader that fails, for the test");
            }
        });
        Supplier<RelayHandler> throwingHold = () -> Paths.holding(message -> {
            throw new IllegalStateException("a judge that fails, for the test");
        });
        eachWire(SHORT, wire -> {
            if (lookAlike(wire) < 0) {
                var allButTheEnd = line("client", wire) + line("server gets", butTheEnd(wire));
                replay(lateDot(), Paths.DATA, allButTheEnd, late, "server leg: aborted\n", FRESH);
                replay(throwingDot, Paths.DATA, allButTheEnd, FAILED, "server leg: aborted\n", FRESH);
                replay(lateHold(), HELD, line("client", wire), late, RESET);
                replay(throwingHold, HELD, line("client", wire), FAILED, RESET);
            }
        });
    }

    @Test
    void inOneChunkWhereDotsAndLineEndsMeanNothing() {
        Supplier<RelayHandler> stream = () -> Paths.choosing(MessageUse.none(), MessagePath::stream);
        Supplier<RelayHandler> late = () -> DeferringHandler.at("chunks");
        for (var mix : MessageEndings.mixes(SHORT)) {
            var bdat = "client: BDAT " + mix.length() + " LAST\n" + line("client", mix);
            replay(stream, Dialogues.ENVELOPE, bdat, "server gets: BDAT " + mix.length() + " LAST\n", line("server gets", mix), QUEUED, QUIT);
            var chunk = mix.isEmpty() ? "" : "server gets: BDAT " + mix.length() + "\n" + line("server gets", mix) + "server: 250 chunk\n";
            replay(late, Dialogues.ENVELOPE, bdat, chunk, """
                    client gets nothing
                    (verdict: proceed)
                    server gets: BDAT 0 LAST
                    """, QUEUED, QUIT);
            replay(late, Dialogues.ENVELOPE, bdat, chunk, """
                    (verdict: reject 550 5.7.1 spam)
                    server leg: aborted
                    client gets: 550 5.7.1 spam
                    """, FRESH);
        }
    }
}
