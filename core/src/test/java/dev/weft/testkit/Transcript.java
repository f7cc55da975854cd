package dev.weft.testkit;

import dev.weft.relay.LegTls;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Route;
import dev.weft.session.Arrival.TlsOffer;
import dev.weft.session.SessionSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A written dialogue that is replayed into a real session in virtual time. Each replay makes a fresh session; the three ways to
 * replay must give the same outputs.
 *
 * <pre>
 * (server connects)
 * server: 220 mx.example.net ESMTP
 * client gets: 220 mx.example.net ESMTP
 * client: EHLO a.example
 * server gets: EHLO a.example
 * </pre>
 *
 * <p>One step a line; blank lines and lines that begin with {@code #} are nothing.
 * <ul>
 *   <li>{@code client: text}, {@code server: text}: that peer sends the text and CRLF. Consecutive lines are one input.
 *   {@code \r \n \t \0 \s
 *       \\ \xHH} are octets, <code>\{1000*x}</code> repeats, a lone backslash at the end leaves the CRLF out. Text is sent as
 *       UTF-8.
 *   <li>{@code client gets: text}, {@code server gets: text}: exactly this was written to that peer since the last such check;
 *       {@code client gets nothing}, {@code server gets nothing}. At the end nothing unchecked may remain.
 *   <li>{@code client leg:} and {@code server leg:} one of {@code open}, {@code lingers}, {@code awaits peer}, {@code aborted},
 *   {@code half-closed},
 *       {@code connecting}, {@code none}; {@code client reading:} and {@code server reading:} {@code on} or {@code paused}.
 *   <li>{@code (server connects)}, {@code (server refuses: why)} answer the last connect order and demand that there was one;
 *       {@code (server closes)}, {@code (leg 1 sends: text)} for a leg that was let go, {@code (server takes no bytes)},
 *       {@code (server takes bytes again)}, the same with {@code client}.
 *   <li>{@code (client half-closes)}, {@code (client vanishes)}, {@code (time passes: 300 s)}, {@code (stop)},
 *   {@code (stop now)},
 *       {@code (driver fails: why)}, {@code (session ended)}, {@code (session goes on)}.
 *   <li>{@code (verdict: proceed)}, {@code (verdict: reject 550 5.7.1 no)}, {@code (verdict: disconnect 421 4.7.0 no)},
 *   {@code (verdict: rewrite
 *       text)}, {@code (verdict: fails)} complete the oldest open question of a {@link DeferringHandler};
 *       {@code (verdict cancelled)} demands that the last one was cancelled.
 *   <li>{@code (server TLS is ordered, asking for mx.example.net)} or {@code … asking for no name)},
 *   {@code (client TLS is ordered)},
 *       {@code (no TLS is ordered)} demand a handshake that is not answered yet, or none; {@code (server TLS established)},
 *       {@code (server TLS established with a certificate for other names)},
 *       {@code (server TLS established with a certificate that is not trusted)}, {@code (server TLS fails: why)},
 *       {@code (client TLS established)}, {@code (client TLS fails: why)} answer it. What a peer sends before that is in clear,
 *       what it sends after that is inside TLS. {@code (server TLS is remembered as broken)},
 *       {@code (server TLS is not remembered as broken)}.
 *   <li>Bound on mail: {@code (offer is asked)}; {@code (offer is known: mx.example.net | SIZE 1000)} with the lines of an answer
 *       to EHLO, or {@code (offer is not known)} answer it; {@code (offer is corrected: words)} with what a leg said instead, {@code (offer
 *       stands)}. {@code (a lease is asked)}, {@code (a fresh lease is asked)},
 *       {@code (no lease is asked)}, {@code (lease is for: text)} for a part of its route; {@code (lease granted)} or
 *       {@code (lease granted: mx.example.net | PIPELINING)}, {@code (used lease granted)} for a leg that served others,
 *       {@code (lease refused: 451 4.3.2 no turn)} answer it. {@code server leg: given back};
 *       {@code (given back: 1 refusals)}; {@code (turned away: text)}.
 * </ul>
 *
 * <p>Immutable; the methods that configure it give changed copies.
 */
public final class Transcript {

    private final String text;
    private final List<Step> steps;
    private final Setup setup;
    private final List<Consumer<RecordingHandler>> checks;

    /** What a replay starts with. */
    record Setup(Supplier<List<RelayHandler>> handlers, SessionSettings settings, UnaryOperator<Route> route, TlsOffer offer,
            Optional<LegTls> clientTls, boolean tlsBroken) {

        static final Setup DEFAULT = new Setup(
                List::of, SessionSettings.DEFAULT, UnaryOperator.identity(), TlsOffer.NONE, Optional.empty(), false);
    }

    private Transcript(String text, List<Step> steps, Setup setup, List<Consumer<RecordingHandler>> checks) {
        this.text = text;
        this.steps = steps;
        this.setup = setup;
        this.checks = checks;
    }

    private Transcript with(Setup other) {
        return new Transcript(text, steps, other, checks);
    }

    /**
     * Reads a transcript.
     *
     * @param text the steps
     * @return the transcript, without handlers, with the default settings
     * @throws IllegalArgumentException if a line is none of the steps above
     */
    public static Transcript of(String text) {
        return new Transcript(text, Step.parse(text), Setup.DEFAULT, List.of());
    }

    /**
     * The steps, for a transcript that begins with them.
     *
     * @return the text as it was given
     */
    public String text() {
        return text;
    }

    /**
     * With handlers, made anew for each replay.
     *
     * @param factory makes the handlers, in order
     * @return the changed copy
     */
    public Transcript handlers(Supplier<List<RelayHandler>> factory) {
        Objects.requireNonNull(factory, "factory");
        return with(new Setup(factory, setup.settings, setup.route, setup.offer, setup.clientTls, setup.tlsBroken));
    }

    /**
     * With one handler, made anew for each replay.
     *
     * @param factory makes the handler
     * @return the changed copy
     */
    public Transcript handler(Supplier<? extends RelayHandler> factory) {
        return handlers(() -> List.of(factory.get()));
    }

    /**
     * With other settings.
     *
     * @param other the settings
     * @return the changed copy
     */
    public Transcript settings(SessionSettings other) {
        Objects.requireNonNull(other, "other");
        return with(new Setup(setup.handlers, other, setup.route, setup.offer, setup.clientTls, setup.tlsBroken));
    }

    /**
     * With another route proposed, such as one with a TLS policy.
     *
     * @param change of the route to the server, without TLS
     * @return the changed copy
     */
    public Transcript route(UnaryOperator<Route> change) {
        Objects.requireNonNull(change, "change");
        return with(new Setup(setup.handlers, setup.settings, change, setup.offer, setup.clientTls, setup.tlsBroken));
    }

    /**
     * With a client that is offered TLS.
     *
     * @param offer what it is offered
     * @return the changed copy
     */
    public Transcript clientIsOffered(TlsOffer offer) {
        Objects.requireNonNull(offer, "offer");
        return with(new Setup(setup.handlers, setup.settings, setup.route, offer, setup.clientTls, setup.tlsBroken));
    }

    /**
     * With a client leg that is in TLS from its beginning.
     *
     * @return the changed copy
     */
    public Transcript clientLegStartsInTls() {
        var tls = Optional.of(ReplayTls.ofClient());
        return with(new Setup(setup.handlers, setup.settings, setup.route, setup.offer, tls, setup.tlsBroken));
    }

    /**
     * With a server whose TLS failed a short while ago, in another session.
     *
     * @return the changed copy
     */
    public Transcript serverTlsIsKnownAsBroken() {
        return with(new Setup(setup.handlers, setup.settings, setup.route, setup.offer, setup.clientTls, true));
    }

    /**
     * With a recorder before all handlers, which is looked at after each replay.
     *
     * @param check throws an {@link AssertionError} if it does not like what was recorded
     * @return the changed copy
     */
    public Transcript recording(Consumer<RecordingHandler> check) {
        var more = new ArrayList<>(checks);
        more.add(check);
        return new Transcript(text, steps, setup, List.copyOf(more));
    }

    /**
     * With a recorder whose lines of some kinds must be these.
     *
     * @param kinds first words of the lines to compare, such as {@code "transaction session"}
     * @param expected the lines
     * @return the changed copy
     * @see RecordingHandler
     */
    public Transcript records(String kinds, String expected) {
        var wanted = expected.strip().lines().map(String::strip).toList();
        return recording(recorder -> {
            var got = recorder.lines(kinds.split(" "));
            if (!got.equals(wanted)) {
                throw new AssertionError("recorded lines of " + kinds + "\nexpected:\n    " + String.join("\n    ", wanted)
                        + "\ngot:\n    " + String.join("\n    ", got));
            }
        });
    }

    /**
     * Replays it with each input whole.
     *
     * @throws AssertionError if an expectation is not met
     */
    public void replay() {
        replay(Cuts.whole());
    }

    /**
     * Replays it with each input cut at every octet.
     *
     * @throws AssertionError if an expectation is not met
     */
    public void replayEachByte() {
        replay(Cuts.eachByte());
    }

    /**
     * Replays it with each input cut at random places.
     *
     * @param seed of the first replay; the following ones count up
     * @param times how many replays
     * @throws AssertionError if an expectation is not met; it names the seed
     */
    public void replayAtRandomCuts(long seed, int times) {
        for (int i = 0; i < times; i++) {
            replay(Cuts.random(seed + i));
        }
    }

    /**
     * Replays it whole, at every octet, and at ten random cuts.
     *
     * @throws AssertionError if an expectation is not met
     */
    public void replayEveryWay() {
        replay();
        replayEachByte();
        replayAtRandomCuts(new Random().nextLong(), Integer.getInteger("cuts", 10));
    }

    private void replay(Cuts cuts) {
        var asked = new ArrayList<RelayHandler>();
        var recorder = new RecordingHandler();
        if (!checks.isEmpty()) {
            asked.add(recorder);
        }
        asked.addAll(setup.handlers.get());
        new Replay(text, steps, asked, setup, cuts).run();
        try {
            checks.forEach(check -> check.accept(recorder));
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\nafter the whole transcript, cut " + cuts, e);
        }
    }
}
