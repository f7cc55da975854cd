package dev.weft.testkit;

import dev.weft.relay.Route;
import dev.weft.session.Closing;
import dev.weft.session.LegFacts;
import dev.weft.session.LegOpening;
import dev.weft.session.LegRefusal;
import dev.weft.session.OpeningPort;
import dev.weft.session.SessionSettings;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * A written dialogue with a server that is replayed into a real {@link LegOpening} in virtual time. Steps are those of a
 * {@link Transcript} that are about the server, and
 * <ul>
 *   <li>{@code server leg:} one of {@code none}, {@code connecting}, {@code open}, {@code awaits peer}, {@code aborted};
 *   <li>{@code (connecting)} demands a connect order since the last such step;
 *   <li>{@code (opened: 250-mx 250 X)} with the lines of what is offered, {@code (opened in TLS: …)}, {@code (without TLS: why)};
 *   <li>{@code (refused: 451 …)} with the whole reply, and {@code (nothing came of it yet)}.
 * </ul>
 */
public final class OpeningTranscript {

    private static final InetSocketAddress LOCAL = new InetSocketAddress("192.0.2.9", 50_000);

    private final String text;
    private final UnaryOperator<Route> route;
    private final boolean broken;

    private OpeningTranscript(String text, UnaryOperator<Route> route, boolean broken) {
        this.text = text;
        this.route = route;
        this.broken = broken;
    }

    /**
     * Reads a transcript.
     *
     * @param text the steps
     * @return the transcript, of a route without TLS
     */
    public static OpeningTranscript of(String text) {
        return new OpeningTranscript(text, UnaryOperator.identity(), false);
    }

    /**
     * With another route.
     *
     * @param change of the route to the server, without TLS
     * @return the changed copy
     */
    public OpeningTranscript route(UnaryOperator<Route> change) {
        return new OpeningTranscript(text, change, broken);
    }

    /**
     * With a server whose TLS failed a short while ago.
     *
     * @return the changed copy
     */
    public OpeningTranscript serverTlsIsKnownAsBroken() {
        return new OpeningTranscript(text, route, true);
    }

    /** Replays it whole, at every octet, and at ten random cuts. */
    public void replayEveryWay() {
        new Run(Cuts.whole()).run();
        new Run(Cuts.eachByte()).run();
        long seed = new Random().nextLong();
        for (int i = 0; i < 10; i++) {
            new Run(Cuts.random(seed + i)).run();
        }
    }

    private final class Run implements OpeningPort {
        private final Cuts cuts;
        private final LegOpening opening;
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private long now;
        private long deadline = Long.MAX_VALUE;
        private boolean connectOrdered;
        private boolean tlsBroken = broken;
        private String state = "none";
        private String handshake;
        private LegFacts leg;
        private LegRefusal refusal;

        Run(Cuts cuts) {
            this.cuts = cuts;
            this.now = cuts.origin();
            var settings = SessionSettings.DEFAULT;
            this.opening = new LegOpening(settings, route.apply(Route.to(new InetSocketAddress("192.0.2.25", 25))), "proxy.example",
                    now + settings.timeouts().budget().toNanos(), this);
        }

        void run() {
            int line = 0;
            try {
                opening.start();
                for (var step : Step.parse(text)) {
                    line = step.line();
                    take(step);
                }
                line = 0;
                gets(new byte[0]);
                require(leg == null || refusal == null, "it was both opened and refused");
            } catch (AssertionError | RuntimeException e) {
                var at = line == 0 ? "at the end" : "line " + line + ": " + text.split("\n", -1)[line - 1].strip();
                throw new AssertionError(e.getMessage() + "\n" + at + ", cut " + cuts + "\n" + text, e);
            }
        }

        private void take(Step step) {
            switch (step.kind()) {
                case SENDS -> sends(step.octets());
                case GETS -> gets(step.octets());
                case IS -> require(("leg:" + state).equals(step.text()), "server leg:" + state);
                case EVENT -> event(step.text());
            }
        }

        private void sends(byte[] octets) {
            require(state.equals("open"), "the server can't speak over a leg that is " + state);
            for (int from = 0; from < octets.length; ) {
                int length = cuts.next(octets.length - from);
                if (state.equals("open")) { // what a leg still gets while it closes is told to nobody
                    opening.bytes(cuts.buffer(octets, from, length));
                }
                from += length;
            }
        }

        private void gets(byte[] expected) {
            require(Arrays.equals(written.toByteArray(), expected),
                    "server gets\nexpected:\n" + Escapes.show(expected) + "\ngot:\n" + Escapes.show(written.toByteArray()));
            written.reset();
        }

        private void event(String event) {
            var argument = event.contains(": ") ? event.substring(event.indexOf(": ") + 2) : "";
            switch (event.contains(": ") ? event.substring(0, event.indexOf(": ")) : event) {
                case "connecting" -> {
                    require(connectOrdered, "no connect was ordered");
                    connectOrdered = false;
                }
                case "server connects" -> {
                    require(state.equals("connecting"), "server leg:" + state);
                    state = "open";
                    opening.connected(LOCAL);
                }
                case "server refuses" -> {
                    require(state.equals("connecting"), "server leg:" + state);
                    state = "none";
                    opening.unreachable(argument);
                }
                case "server closes" -> {
                    require(state.equals("open"), "server leg:" + state);
                    opening.closed();
                }
                case "time passes" -> pass(Duration.ofSeconds(Long.parseLong(argument.replace(" s", ""))));
                case "server TLS established" -> secured(true, true);
                case "server TLS established with a certificate for other names" -> secured(true, false);
                case "server TLS established with a certificate that is not trusted" -> secured(false, true);
                case "server TLS fails" -> {
                    handshaken();
                    opening.tlsFailed(argument);
                }
                case "server TLS is remembered as broken" -> require(tlsBroken, "it is not remembered");
                case "server TLS is not remembered as broken" -> require(!tlsBroken, "it is remembered");
                case "opened" -> opened(argument, false);
                case "opened in TLS" -> opened(argument, true);
                case "without TLS" -> require(leg.tlsFailure().equals(Optional.of(argument)), "without TLS: " + leg.tlsFailure());
                case "refused" -> {
                    require(refusal != null, "nothing was refused" + (leg == null ? "" : ", a leg was opened"));
                    require(refusal.reply().toString().equals(argument), "refused: " + refusal.reply());
                }
                case "nothing came of it yet" -> require(leg == null && refusal == null, "something came of it");
                default -> {
                    var asked = "server TLS is ordered, asking for ";
                    require(event.startsWith(asked), "what is (" + event + ")?");
                    require(event.substring(asked.length()).equals(handshake), "server TLS is ordered, asking for " + handshake);
                }
            }
        }

        private void opened(String hello, boolean secure) {
            require(leg != null, "no leg was opened" + (refusal == null ? "" : ", but refused: " + refusal.reply()));
            require(String.join(" | ", leg.hello().lines()).equals(hello), "opened: " + String.join(" | ", leg.hello().lines()));
            require(leg.tls().isPresent() == secure, "its TLS: " + leg.tls());
            require(leg.source().equals(LOCAL) && leg.transactions() == 0, "it left from " + leg.source());
            require(state.equals("open"), "server leg:" + state);
        }

        private String handshaken() {
            require(handshake != null, "no TLS is ordered");
            var asked = handshake;
            handshake = null;
            return asked;
        }

        private void secured(boolean trusted, boolean matches) {
            opening.secured(ReplayTls.ofServer(handshaken(), trusted, matches));
        }

        private void pass(Duration time) {
            long end = now + time.toNanos();
            while (deadline <= end) {
                now = Math.max(now, deadline);
                deadline = Long.MAX_VALUE;
                opening.timePassed();
            }
            now = end;
        }

        private void require(boolean met, String got) {
            if (!met) {
                throw new AssertionError(got);
            }
        }

        @Override
        public long now() {
            return now;
        }

        @Override
        public void connect() {
            require(!state.equals("open") && !state.equals("connecting"), "a second connection beside one that is " + state);
            connectOrdered = true;
            state = "connecting";
        }

        @Override
        public void write(byte[] bytes) {
            require(state.equals("open"), "written to a leg that is " + state);
            require(handshake == null, "written during a handshake");
            written.writeBytes(bytes);
        }

        @Override
        public void startTls(Optional<String> serverName) {
            require(state.equals("open"), "TLS on a leg that is " + state);
            handshake = serverName.orElse("no name");
        }

        @Override
        public boolean tlsBroken() {
            return tlsBroken;
        }

        @Override
        public void tlsBroke() {
            tlsBroken = true;
        }

        @Override
        public void armTimer(long at) {
            deadline = at;
        }

        @Override
        public void close(Closing how) {
            require(state.equals("open") || state.equals("connecting"), "a leg is closed that is " + state);
            state = how == Closing.ABORT ? "aborted" : "awaits peer";
            handshake = null;
        }

        @Override
        public void opened(LegFacts facts) {
            require(leg == null && refusal == null, "told twice what came of it");
            leg = facts;
        }

        @Override
        public void refused(LegRefusal why) {
            require(leg == null && refusal == null, "told twice what came of it");
            require(why.reply().code() == 451, "refused with " + why.reply());
            require(!state.equals("open") && !state.equals("connecting"), "refused, and the leg is " + state);
            refusal = why;
        }
    }
}
