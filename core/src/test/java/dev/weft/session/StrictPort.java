package dev.weft.session;

import dev.weft.relay.Route;
import dev.weft.testkit.MemoryStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/** Fails the test when a session gives an order that makes no sense. Octets written are counted only. */
class StrictPort implements SessionPort {

    final Map<Leg, Boolean> open = new EnumMap<>(Map.of(Leg.CLIENT, true, Leg.SERVER, false));
    final Map<Leg, Boolean> gone = new EnumMap<>(Map.of(Leg.CLIENT, false, Leg.SERVER, false));
    final Map<Leg, Boolean> paused = new EnumMap<>(Map.of(Leg.CLIENT, false, Leg.SERVER, false));
    /** Whether a handshake is ordered and not answered. */
    final Map<Leg, Boolean> handshake = new EnumMap<>(Map.of(Leg.CLIENT, false, Leg.SERVER, false));
    final Map<Leg, Boolean> secured = new EnumMap<>(Map.of(Leg.CLIENT, false, Leg.SERVER, false));
    final ArrayDeque<Runnable> completions = new ArrayDeque<>();
    final MemoryStore store = new MemoryStore();
    long now;
    long deadline = Long.MAX_VALUE;
    int generation;
    boolean connecting;
    boolean outputEnded;
    /** A lease is asked for, with no answer yet. */
    boolean leasing;
    boolean offerAsked;
    boolean clientHalfClosed;
    /** The server said a part of a reply. */
    boolean partial;
    /** What the client got, as far as it begins with 421. */
    String lastWord = "";
    /** The route of the server leg, and whether its policy likes the certificate that was shown. */
    Route route;
    boolean trusted;
    boolean broken;
    long written;

    StrictPort(long origin) {
        now = origin;
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public void connect(int legGeneration, Route to) {
        route = to;
        require(!open.get(Leg.SERVER), "connect: the former server leg is still open");
        require(open.get(Leg.CLIENT), "connect: the client leg is closed");
        require(legGeneration > generation, "connect: an old generation");
        generation = legGeneration;
        connecting = true;
        open.put(Leg.SERVER, true);
        gone.put(Leg.SERVER, false);
        paused.put(Leg.SERVER, false);
        secured.put(Leg.SERVER, false);
    }

    @Override
    public void askOffer(Route to) {
        require(!offerAsked, "the offer was asked for twice");
        offerAsked = true;
    }

    @Override
    public void lease(int legGeneration, Route to, boolean fresh) {
        connect(legGeneration, to);
        connecting = false;
        leasing = true;
        partial = false;
    }

    @Override
    public void giveBack(LegFacts.Use use) {
        require(open.get(Leg.SERVER) && !leasing, "a leg was given back that is not there");
        require(!paused.get(Leg.SERVER), "a leg was given back that is not read");
        require(!partial, "a leg was given back that is in the midst of a reply");
        open.put(Leg.SERVER, false);
    }

    @Override
    public void write(Leg leg, ByteBuffer bytes) {
        var octets = new byte[bytes.remaining()];
        bytes.get(octets);
        write(leg, octets);
    }

    @Override
    public void write(Leg leg, byte[] bytes) {
        require(open.get(leg) && !gone.get(leg), "write to a " + leg + " leg that is not there");
        require(leg == Leg.CLIENT || !connecting && !leasing, "write to a server leg that is not there yet");
        require(leg == Leg.CLIENT || !outputEnded, "write to a server leg whose output was ended");
        require(!handshake.get(leg), "write in clear to a " + leg + " leg during its handshake");
        written += bytes.length;
        if (leg == Leg.CLIENT) {
            var text = new String(bytes, StandardCharsets.ISO_8859_1);
            lastWord = text.startsWith("421") ? text : lastWord;
        }
        if (leg == Leg.SERVER && route.tls().required() && !(secured.get(leg) && trusted)) {
            for (var line : new String(bytes, StandardCharsets.ISO_8859_1).split("\r\n")) {
                require(line.matches("(?i)(EHLO|HELO|STARTTLS|RSET|NOOP|QUIT)( .*)?"), "a policy that demands TLS let pass: " + line);
            }
        }
    }

    @Override
    public MessageStore messageStore() {
        return store;
    }

    @Override
    public void pauseReading(Leg leg) {
        require(!paused.get(leg) && open.get(leg) && !(leasing && leg == Leg.SERVER), "pause " + leg);
        paused.put(leg, true);
    }

    @Override
    public void resumeReading(Leg leg) {
        require(paused.get(leg) && open.get(leg), "resume " + leg);
        paused.put(leg, false);
    }

    @Override
    public void armTimer(long newDeadline) {
        deadline = newDeadline;
    }

    @Override
    public <T> void onCompletion(CompletionStage<T> stage, BiConsumer<? super T, ? super Throwable> resume) {
        stage.whenComplete((value, failure) -> completions.add(() -> resume.accept(value, failure)));
    }

    @Override
    public void endOutput() {
        require(open.get(Leg.SERVER) && !connecting && !outputEnded, "end the output of a server leg that is not there");
        outputEnded = true;
    }

    @Override
    public void startTls(Leg leg, Route route, Optional<String> serverName) {
        require(open.get(leg) && !gone.get(leg) && !connecting, "TLS on a " + leg + " leg that is not there");
        require(!handshake.get(leg) && !secured.get(leg), "TLS twice on the " + leg + " leg");
        require(leg == Leg.CLIENT || route.tls().wanted(), "TLS that the route does not want");
        handshake.put(leg, true);
    }

    @Override
    public boolean tlsBroken(Route route) {
        return broken;
    }

    @Override
    public void tlsBroke(Route route) {
        broken = true;
    }

    @Override
    public void close(Leg leg, Closing closing) {
        require(open.get(leg), "close a " + leg + " leg that is not open");
        open.put(leg, false);
        handshake.put(leg, false);
        connecting &= leg != Leg.SERVER;
        leasing &= leg != Leg.SERVER;
    }
}
