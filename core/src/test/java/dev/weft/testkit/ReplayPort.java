package dev.weft.testkit;

import dev.weft.relay.Route;
import dev.weft.session.Closing;
import dev.weft.session.Leg;
import dev.weft.session.LegFacts;
import dev.weft.session.MessageStore;
import dev.weft.session.SessionPort;
import dev.weft.smtp.Reply;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/** Keeps what a session orders, holds it to the rules of the port, and has a clock that only a transcript moves. */
final class ReplayPort implements SessionPort {

    static final class LegState {
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        String state;
        boolean paused;
        /** The peer is gone: nothing can be written any more. */
        boolean gone;
        /** The handshake that was ordered and not answered yet, with the name it asks for; null if there is none. */
        String handshake;
        boolean secured;

        LegState(String state) {
            this.state = state;
        }
    }

    private final Map<Leg, LegState> legs = new EnumMap<>(Leg.class);
    private final ArrayDeque<Runnable> completions = new ArrayDeque<>();
    final MemoryStore store = new MemoryStore();
    private boolean tlsBroken;
    private long now;
    private long deadline = Long.MAX_VALUE;
    private int generation;
    private boolean connectOrdered;
    private boolean inSession;
    /** The offer is to be told. */
    boolean offerAsked;
    String offeredLess;
    /** The lease that is asked for, or null. */
    String lease;
    Route leaseRoute;
    /** What the last transaction did to the leg that was given back. */
    String use;
    /** With which 421 the server ended a leased leg. */
    String turnedAway;

    ReplayPort(long origin, boolean tlsBroken) {
        now = origin;
        this.tlsBroken = tlsBroken;
        legs.put(Leg.CLIENT, new LegState("open"));
        legs.put(Leg.SERVER, new LegState("none"));
    }

    LegState leg(Leg leg) {
        return legs.get(leg);
    }

    int generation() {
        return generation;
    }

    long deadline() {
        return deadline;
    }

    void advanceTo(long time) {
        now = Math.max(now, time);
    }

    /** What was written to a peer since it was last asked. */
    byte[] taken(Leg leg) {
        var written = legs.get(leg).written;
        var octets = written.toByteArray();
        written.reset();
        return octets;
    }

    void answerConnect(boolean connected) {
        require(connectOrdered, "no server leg was ordered, or it was answered already");
        connectOrdered = false;
        legs.get(Leg.SERVER).state = connected ? "open" : "none";
    }

    boolean completionsWait() {
        return !completions.isEmpty() || !store.answers.isEmpty();
    }

    void runCompletions() {
        while (!completions.isEmpty() || !store.answers.isEmpty()) {
            for (var next = store.answers.poll(); next != null; next = store.answers.poll()) {
                next.run();
            }
            for (var next = completions.poll(); next != null; next = completions.poll()) {
                input(next);
            }
        }
    }

    /** Calls the session, which may not be called from within an order. */
    void input(Runnable call) {
        require(!inSession, "the session was called from within an order");
        inSession = true;
        try {
            call.run();
        } finally {
            inSession = false;
        }
    }

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public void connect(int legGeneration, Route route) {
        var server = legs.get(Leg.SERVER);
        require(legGeneration > generation, "generation " + legGeneration + " was used already");
        require(!server.state.equals("open") && !connectOrdered, "a server leg was ordered while one is there");
        generation = legGeneration;
        connectOrdered = true;
        server.state = "connecting";
        server.paused = false;
        server.gone = false;
        server.handshake = null;
        server.secured = false;
    }

    @Override
    public void askOffer(Route route) {
        require(!offerAsked, "the offer was asked for twice");
        offerAsked = true;
    }

    @Override
    public void lease(int legGeneration, Route route, boolean fresh) {
        connect(legGeneration, route);
        connectOrdered = false;
        lease = fresh ? "leasing fresh" : "leasing";
        leaseRoute = route;
    }

    /** Answers the lease that was asked for. */
    void answerLease(boolean granted) {
        require(lease != null, "no lease was asked for, or it was answered already");
        lease = null;
        legs.get(Leg.SERVER).state = granted ? "open" : "none";
    }

    @Override
    public void giveBack(LegFacts.Use used) {
        var server = legs.get(Leg.SERVER);
        require(server.state.equals("open"), "gave the server leg back, which is " + server.state);
        require(!server.paused, "gave the server leg back while it is not read");
        server.state = "given back";
        use = used.refusals() + " refusals";
    }

    @Override
    public void offersLess(Route asked, Route leased, Reply hello) {
        offeredLess = hello.text();
    }

    @Override
    public void turnedAway(Reply reply) {
        turnedAway = reply.text();
    }

    @Override
    public void write(Leg leg, ByteBuffer bytes) {
        var octets = new byte[bytes.remaining()];
        bytes.get(octets);
        write(leg, octets);
    }

    @Override
    public void write(Leg leg, byte[] bytes) {
        var to = legs.get(leg);
        require(to.state.equals("open") && !to.gone,
                "written to the " + name(leg) + " leg, which is " + (to.gone ? "gone" : to.state) + ":\n" + Escapes.show(bytes));
        require(to.handshake == null, "written in clear to the " + name(leg) + " leg during its handshake:\n" + Escapes.show(bytes));
        to.written.writeBytes(bytes);
    }

    @Override
    public MessageStore messageStore() {
        return store;
    }

    @Override
    public void startTls(Leg leg, Route route, Optional<String> serverName) {
        var secures = legs.get(leg);
        require(secures.state.equals("open") && !secures.gone, "TLS was ordered on the " + name(leg) + " leg, which is " + secures.state);
        require(secures.handshake == null && !secures.secured, "TLS was ordered twice on the " + name(leg) + " leg");
        secures.handshake = serverName.orElse("no name");
    }

    /** Answers the handshake that was ordered. */
    void answerHandshake(Leg leg, boolean established) {
        var secures = legs.get(leg);
        require(secures.handshake != null, "no TLS is ordered on the " + name(leg) + " leg");
        secures.handshake = null;
        secures.secured = established;
        secures.gone |= !established;
    }

    boolean tlsBroken() {
        return tlsBroken;
    }

    @Override
    public boolean tlsBroken(Route route) {
        return tlsBroken;
    }

    @Override
    public void tlsBroke(Route route) {
        tlsBroken = true;
    }

    @Override
    public void pauseReading(Leg leg) {
        legs.get(leg).paused = true;
    }

    @Override
    public void resumeReading(Leg leg) {
        legs.get(leg).paused = false;
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
        var server = legs.get(Leg.SERVER);
        require(server.state.equals("open"), "the output of the server leg was ended, which is " + server.state);
        server.state = "half-closed";
    }

    @Override
    public void close(Leg leg, Closing closing) {
        var closed = legs.get(leg);
        require(closed.state.equals("open") || closed.state.equals("half-closed") || closed.state.equals("connecting"), "closed the " + name(leg) + " leg, which is " + closed.state);
        connectOrdered &= leg == Leg.CLIENT;
        lease = leg == Leg.CLIENT ? lease : null;
        closed.handshake = null;
        closed.state = switch (closing) {
            case LINGER, FAREWELL -> "lingers";
            case AWAIT_PEER -> "awaits peer";
            case ABORT -> "aborted";
        };
    }

    static String name(Leg leg) {
        return leg.name().toLowerCase(Locale.ROOT);
    }
}
