package dev.weft.session;

import static dev.weft.session.RandomPool.require;

import dev.weft.relay.Route;
import dev.weft.testkit.MemoryStore;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/** The orders of a session bound on mail, held to the rules of the port, and what is on its way to and from its peers. */
class RandomPoolPort implements SessionPort {

    final Random random;
    final List<String> log = new ArrayList<>();
    final RandomPool pool;
    final MemoryStore store = new MemoryStore();
    final ArrayDeque<Runnable> completions = new ArrayDeque<>();
    final ByteArrayOutputStream toServer = new ByteArrayOutputStream();
    final ByteArrayOutputStream toClient = new ByteArrayOutputStream();
    final Set<Leg> blocked = EnumSet.noneOf(Leg.class);
    final Set<Leg> paused = EnumSet.noneOf(Leg.class);
    byte[] serverSends = {};
    long now;
    long deadline = Long.MAX_VALUE;
    boolean offerAsked;
    /** Nothing can be written to the leased leg any more. */
    boolean serverGone;
    /** The client is not there any more, or not for the proxy. */
    boolean left;
    private boolean clientClosed;

    RandomPoolPort(Random random) {
        this.random = random;
        pool = new RandomPool(random);
    }

    static byte[] take(ByteArrayOutputStream from) {
        var octets = from.toByteArray();
        from.reset();
        return octets;
    }

    private void legGone() {
        serverSends = new byte[0];
        toServer.reset();
        blocked.remove(Leg.SERVER);
        paused.remove(Leg.SERVER);
        serverGone = false;
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public void connect(int legGeneration, Route route) {
        throw new AssertionError("a leg is leased, never connected");
    }

    @Override
    public void askOffer(Route route) {
        require(!offerAsked, "the offer was asked for twice");
        offerAsked = true;
    }

    @Override
    public void lease(int legGeneration, Route route, boolean fresh) {
        log.add("lease " + legGeneration + " asked" + (fresh ? ", fresh" : ""));
        pool.ask(legGeneration, fresh);
    }

    @Override
    public void giveBack(LegFacts.Use use) {
        log.add("given back");
        require(!paused.contains(Leg.SERVER), "a leg was given back that is not read");
        pool.giveBack(toServer.size() > 0 || serverSends.length > 0);
        legGone();
    }

    @Override
    public void write(Leg leg, ByteBuffer bytes) {
        var octets = new byte[bytes.remaining()];
        bytes.get(octets);
        write(leg, octets);
    }

    @Override
    public void write(Leg leg, byte[] bytes) {
        var there = leg == Leg.CLIENT ? !clientClosed : pool.leased != null && !serverGone;
        require(there, "write to a " + leg + " leg that is not there");
        (leg == Leg.CLIENT ? toClient : toServer).writeBytes(bytes);
    }

    @Override
    public void pauseReading(Leg leg) {
        require(leg == Leg.CLIENT || pool.leased != null, "pause");
        require(paused.add(leg), "paused twice");
    }

    @Override
    public void resumeReading(Leg leg) {
        require(paused.remove(leg), "resumed what is read");
    }

    @Override
    public void armTimer(long when) {
        deadline = when;
    }

    @Override
    public <T> void onCompletion(CompletionStage<T> stage, BiConsumer<? super T, ? super Throwable> resume) {
        stage.whenComplete((value, failure) -> completions.add(() -> resume.accept(value, failure)));
    }

    @Override
    public MessageStore messageStore() {
        return store;
    }

    @Override
    public void endOutput() {
        throw new AssertionError("no TLS is passed through");
    }

    @Override
    public void close(Leg leg, Closing closing) {
        log.add("close " + leg + " " + closing);
        if (leg == Leg.SERVER) {
            if (closing != Closing.ABORT && pool.leased != null) {
                lastBytes();
            }
            pool.close();
            legGone();
        } else {
            clientClosed = true;
            left |= closing == Closing.ABORT;
        }
    }

    /** What was written before a close in good order arrives, and is acted on. */
    private void lastBytes() {
        var server = pool.leased;
        server.take(take(toServer));
        for (var acts = true; acts;) {
            acts = server.act();
            while (server.nextReply() != null) {
                acts = true;
            }
        }
    }
}
