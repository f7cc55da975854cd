package dev.weft.testkit;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.Route;
import dev.weft.session.Arrival;
import dev.weft.session.Leg;
import dev.weft.session.SmtpSession;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One replay of a transcript into a session of its own. */
final class Replay {

    private static final InetSocketAddress CLIENT = address(192, 0, 2, 1, 40_000);
    private static final InetSocketAddress SERVER = address(192, 0, 2, 25, 25);
    private static final InetSocketAddress LOCAL = address(192, 0, 2, 9, 50_000);
    private static final byte[] END = {};

    private final String text;
    private final List<Step> steps;
    private final List<RelayHandler> handlers;
    private final Cuts cuts;
    private final ReplayPort port;
    private final SmtpSession session;
    private final ReplayTls tls;
    private final ReplayLeases leases;
    /** What the client sent and the session does not want yet; {@link #END} is the end of its output. */
    private final ArrayDeque<byte[]> fromClient = new ArrayDeque<>();
    private final ArrayDeque<byte[]> fromServer = new ArrayDeque<>();

    Replay(String text, List<Step> steps, List<RelayHandler> handlers, Transcript.Setup setup, Cuts cuts) {
        this.text = text;
        this.steps = steps;
        this.handlers = handlers;
        this.cuts = cuts;
        this.port = new ReplayPort(cuts.origin(), setup.tlsBroken());
        this.port.store.immediate = cuts.storeAnswersAtOnce();
        var route = setup.route().apply(Route.to(SERVER));
        this.session = new SmtpSession(
                setup.settings(), handlers, port, new Arrival("s1", CLIENT, SERVER, route, setup.offer(), setup.clientTls()));
        this.tls = new ReplayTls(port, session);
        this.leases = new ReplayLeases(port, session, LOCAL);
    }

    void run() {
        int line = 0;
        try {
            port.input(session::start);
            for (var step : steps) {
                line = step.line();
                goOn();
                take(step);
            }
            line = 0;
            goOn();
            for (var leg : Leg.values()) {
                expect(leg, new byte[0], "unchecked at the end");
            }
            if (session.ended()) {
                checkEnded();
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(e.getMessage() + "\n\ncut " + cuts + "\n\n" + marked(line), e);
        }
    }

    /** What is there arrives: it may let the session read on, and so on. */
    private void goOn() {
        do {
            port.runCompletions();
            deliver();
        } while (port.completionsWait());
    }

    private void checkEnded() {
        var client = port.leg(Leg.CLIENT).state;
        var server = port.leg(Leg.SERVER).state;
        ReplayPort.require(port.store.kept == 0, "the session ended and left a message in the store");
        ReplayPort.require(!client.equals("open"), "the session ended and left the client leg open");
        ReplayPort.require(!server.equals("open") && !server.equals("half-closed") && !server.equals("connecting") && port.lease == null, "the session ended and left the server leg " + server);
    }

    private void take(Step step) {
        switch (step.kind()) {
            case SENDS -> {
                queue(step.leg()).add(step.octets());
                deliver();
            }
            case GETS -> expect(step.leg(), step.octets(), "");
            case IS -> {
                var leg = port.leg(step.leg());
                var got = step.text().startsWith("leg:") ? "leg:" + leg.state : "reading:" + (leg.paused ? "paused" : "on");
                ReplayPort.require(got.equals(step.text()), ReplayPort.name(step.leg()) + " " + got);
            }
            case EVENT -> event(step.text());
        }
    }

    private void expect(Leg leg, byte[] expected, String when) {
        var got = port.taken(leg);
        if (!Arrays.equals(got, expected)) {
            throw new AssertionError(ReplayPort.name(leg) + " gets " + when + "\nexpected:\n" + Escapes.show(expected) + "\ngot:\n" + Escapes.show(got));
        }
    }

    private void event(String event) {
        var argument = event.contains(": ") ? event.substring(event.indexOf(": ") + 2) : "";
        var name = event.contains(": ") ? event.substring(0, event.indexOf(": ")) : event;
        switch (name) {
            case "server connects" -> {
                port.answerConnect(true);
                port.input(() -> session.serverConnected(port.generation(), LOCAL));
            }
            case "server refuses" -> {
                port.answerConnect(false);
                port.input(() -> session.serverUnreachable(port.generation(), argument));
            }
            case "server closes" -> {
                port.leg(Leg.SERVER).gone = true;
                port.input(() -> session.serverClosed(port.generation()));
            }
            case "client half-closes" -> {
                fromClient.add(END);
                deliver();
            }
            case "client vanishes" -> {
                port.leg(Leg.CLIENT).gone = true;
                fromClient.clear();
                port.input(() -> session.clientGone("reset by peer"));
            }
            case "client takes no bytes" -> port.input(() -> session.writeBlocked(Leg.CLIENT));
            case "client takes bytes again" -> port.input(() -> session.writeDrained(Leg.CLIENT));
            case "server takes no bytes" -> port.input(() -> session.writeBlocked(Leg.SERVER));
            case "server takes bytes again" -> port.input(() -> session.writeDrained(Leg.SERVER));
            case "time passes" -> timePasses(argument);
            case "stop" -> port.input(() -> session.stop(false));
            case "stop now" -> port.input(() -> session.stop(true));
            case "driver fails" -> port.input(() -> session.failed(argument));
            case "session ended" -> ReplayPort.require(session.ended(), "the session goes on");
            case "session goes on" -> ReplayPort.require(!session.ended(), "the session ended");
            case "verdict" -> {
                deferring().give(argument);
                port.runCompletions();
            }
            case "store is full" -> port.store.capacity = 0;
            case "store stalls" -> port.store.stalled = true;
            case "store works again" -> {
                port.store.stalled = false;
                port.store.capacity = Long.MAX_VALUE;
            }
            case "nothing kept" -> ReplayPort.require(port.store.kept == 0, "a message is still kept");
            case "verdict cancelled" -> ReplayPort.require(deferring().lastIsCancelled(), "the verdict was not cancelled");
            case "verdicts arrive" -> port.runCompletions();
            default -> {
                if (name.matches("leg \\d+ sends")) {
                    int generation = Integer.parseInt(name.split(" ")[1]);
                    var octets = Escapes.octets(argument);
                    port.input(() -> session.fromServer(generation, cuts.buffer(octets, 0, octets.length)));
                } else if (name.matches("leg \\d+ closes")) {
                    port.input(() -> session.serverClosed(Integer.parseInt(name.split(" ")[1])));
                } else if (!tls.event(name, argument) && !leases.event(name, argument)) {
                    throw new IllegalArgumentException("(" + event + "): no such event; Transcript's page lists them");
                }
            }
        }
        deliver();
    }

    private DeferringHandler deferring() {
        return handlers.stream().filter(DeferringHandler.class::isInstance).map(DeferringHandler.class::cast).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("(verdict ...) needs a DeferringHandler among the handlers"));
    }

    private ArrayDeque<byte[]> queue(Leg leg) {
        return leg == Leg.CLIENT ? fromClient : fromServer;
    }

    /** Gives the session what it is willing to read, as a driver does. */
    private void deliver() {
        while (!fromClient.isEmpty() && !port.leg(Leg.CLIENT).paused) {
            var octets = fromClient.poll();
            if (octets == END) {
                port.input(session::clientHalfClosed);
            } else {
                deliver(Leg.CLIENT, octets);
            }
        }
        while (!fromServer.isEmpty() && !port.leg(Leg.SERVER).paused) {
            deliver(Leg.SERVER, fromServer.poll());
        }
    }

    private void deliver(Leg leg, byte[] octets) {
        int at = 0;
        while (at < octets.length) {
            if (port.leg(leg).paused) {
                queue(leg).addFirst(Arrays.copyOfRange(octets, at, octets.length));
                return;
            }
            int room = leg == Leg.CLIENT && !session.ended() ? session.clientRoom() : Integer.MAX_VALUE;
            ReplayPort.require(room > 0, "reading is on, but there is no room");
            int length = Math.min(room, cuts.next(octets.length - at));
            var buffer = cuts.buffer(octets, at, length);
            port.input(() -> {
                if (leg == Leg.CLIENT) {
                    session.fromClient(buffer);
                } else {
                    session.fromServer(port.generation(), buffer);
                }
            });
            ReplayPort.require(!buffer.hasRemaining(), "the session left " + buffer.remaining() + " octets of a buffer");
            // The driver uses its buffer again: what the session still needs, it must have copied.
            for (int i = 0; i < buffer.limit(); i++) {
                buffer.put(i, (byte) '#');
            }
            at += length;
            if (cuts.verdictBetween()) {
                port.runCompletions();
            }
        }
    }

    private void timePasses(String argument) {
        var words = argument.strip().split(" ");
        long amount = Long.parseLong(words[0]);
        long end = port.now() + switch (words[1]) {
            case "ms" -> TimeUnit.MILLISECONDS.toNanos(amount);
            case "s" -> TimeUnit.SECONDS.toNanos(amount);
            case "min" -> TimeUnit.MINUTES.toNanos(amount);
            default -> throw new IllegalArgumentException("time \"" + argument + "\": use ms, s or min");
        };
        for (int i = 0; !session.ended() && port.deadline() <= end; i++) {
            ReplayPort.require(i < 1000, "the timer is armed again and again for a time that has passed");
            port.advanceTo(port.deadline());
            port.input(session::timePassed);
        }
        port.advanceTo(end);
    }

    private String marked(int line) {
        var out = new StringBuilder();
        var lines = text.split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            out.append(i + 1 == line ? ">>> " : "    ").append(lines[i]).append('\n');
        }
        return out.toString();
    }

    private static InetSocketAddress address(int a, int b, int c, int d, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) a, (byte) b, (byte) c, (byte) d}), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
