package dev.weft.nio;

import dev.weft.relay.Route;
import dev.weft.session.Arrival;
import dev.weft.session.Arrival.TlsOffer;
import dev.weft.session.Closing;
import dev.weft.session.Leg;
import dev.weft.session.LegFacts;
import dev.weft.session.MessageStore;
import dev.weft.session.SessionPort;
import dev.weft.session.SmtpSession;
import dev.weft.smtp.Reply;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out one session's orders on its loop, and tells it what comes of them. */
final class SessionDriver implements SessionPort {

    private static final Logger LOG = LoggerFactory.getLogger(SessionDriver.class);

    private final Engine engine;
    private final EventLoop loop;
    private final InetAddress clientAddress;
    private final Arrival arrival;
    private final long accepted;
    private final LegChannel client;
    private final ClientLeg clientLeg;
    private final PresentServer server;
    private final SessionPlace place;
    private final SmtpSession session;
    private final Timer timer = new Timer() {
        @Override
        void fire() {
            tell(SmtpSession::timePassed);
        }
    };

    /** The offer that was asked for last; null if none was. */
    private Offers.Asker offer;
    private boolean overTold;

    SessionDriver(Engine engine, EventLoop loop, LegChannel client, Arrival arrival) {
        this.engine = engine;
        this.loop = loop;
        this.client = client;
        this.arrival = arrival;
        this.clientAddress = arrival.client().getAddress();
        this.accepted = loop.now();
        this.place = new SessionPlace(engine, clientAddress);
        this.clientLeg = new ClientLeg(this, engine, client, place);
        this.server = new PresentServer(this, engine, loop, clientAddress);
        this.session = new SmtpSession(engine.settings(), engine.handlers(), this, arrival);
    }

    /** From here on what was counted for this session is given back when its client leg is closed. */
    void start() {
        clientLeg.take();
        engine.sessionStarted(this);
        tell(SmtpSession::start);
    }

    /** Stops the session; for any thread. */
    void stop(boolean now) {
        loop.execute(() -> tell(ended -> ended.stop(now)));
    }

    Arrival arrival() {
        return arrival;
    }

    long accepted() {
        return accepted;
    }

    PresentServer server() {
        return server;
    }

    /**
     * Every input of the session goes through here: what was written is sent afterwards, and what fails ends this session only.
     */
    void tell(Consumer<SmtpSession> input) {
        try {
            input.accept(session);
        } catch (Throwable failure) {
            sessionFailed(failure);
        }
        try {
            flush();
        } catch (Throwable failure) {
            sessionFailed(failure);
            cut();
        }
        if (!place.settled() && session.greeted()) {
            settle();
        }
        if (session.ended()) {
            over();
        }
    }

    private void settle() {
        var clientTls = client.secure() || arrival.tlsOffer() == TlsOffer.OFFERED || arrival.tlsOffer() == TlsOffer.REQUIRED;
        var channel = server.channel();
        place.settle(clientTls, channel != null, channel != null && channel.secure());
    }

    /**
     * A blocked leg is told to the session, which may write again in answer; that ends, since a leg is told once for each time it
     * blocks.
     */
    private void flush() {
        boolean told;
        do {
            told = server.channel() != null && flush(server.channel(), Leg.SERVER);
            told |= flush(client, Leg.CLIENT);
        } while (told);
    }

    private boolean flush(LegChannel channel, Leg leg) {
        channel.flush();
        boolean blocked = channel.takesNoMore();
        if (blocked) {
            session.writeBlocked(leg);
        }
        return blocked;
    }

    private void sessionFailed(Throwable failure) {
        LOG.error("session {} failed", arrival.sessionId(), failure);
        try {
            session.failed(failure.toString());
        } catch (Throwable second) {
            LOG.error("session {}: its end failed too, both legs are cut", arrival.sessionId(), second);
            cut();
        }
    }

    private void cut() {
        client.closeNow();
        if (server.channel() != null) {
            server.channel().closeNow();
        }
    }

    /** The session takes no more input, so it orders nothing more: whatever it left open would stay open. */
    private void over() {
        if (!overTold) {
            overTold = true;
            loop.cancel(timer);
            if (!client.closing()) {
                client.write(ByteBuffer.wrap(Refusals.FAILED.bytes()));
                client.close(Closing.LINGER);
            }
            close(Leg.SERVER, Closing.ABORT);
            if (offer != null) {
                offer.withdraw();
            }
            engine.sessionEnded(this);
        }
    }

    // The orders of the session

    @Override
    public long now() {
        return loop.now();
    }

    @Override
    public void connect(int generation, Route route) {
        server.connect(generation, route);
    }

    @Override
    public void askOffer(Route route) {
        if (!place.settled()) {
            settle(); // bound on mail it has no server leg of its own: what was held for one is there for those that it leases
        }
        offer = engine.pool().offers().ask(loop, route, clientAddress, hello -> tell(waiting -> waiting.offerKnown(hello)));
    }

    @Override
    public void offersLess(Route asked, Route leased, Reply hello) {
        engine.pool().offers().learnLess(asked, leased, clientAddress, hello, loop.now());
    }

    @Override
    public void lease(int generation, Route route, boolean fresh) {
        server.lease(generation, route, fresh);
    }

    @Override
    public void giveBack(LegFacts.Use use) {
        server.giveBack(use);
    }

    @Override
    public void turnedAway(Reply reply) {
        server.turnedAway(reply);
    }

    @Override
    public void write(Leg leg, ByteBuffer bytes) {
        (leg == Leg.CLIENT ? client : server.channel()).write(bytes);
    }

    @Override
    public void write(Leg leg, byte[] bytes) {
        write(leg, ByteBuffer.wrap(bytes));
    }

    // A server leg that could not be opened at all is told of after this event; until then the session may still pause it.

    @Override
    public void pauseReading(Leg leg) {
        if (leg == Leg.CLIENT) {
            client.pauseReading();
        } else if (server.channel() != null) {
            server.channel().pauseReading();
        }
    }

    @Override
    public void resumeReading(Leg leg) {
        if (leg == Leg.CLIENT) {
            client.resumeReading();
        } else if (server.channel() != null) {
            server.channel().resumeReading();
        }
    }

    @Override
    public MessageStore messageStore() {
        return engine.spool();
    }

    @Override
    public void armTimer(long deadline) {
        loop.arm(timer, deadline);
    }

    @Override
    public <T> void onCompletion(CompletionStage<T> stage, BiConsumer<? super T, ? super Throwable> resume) {
        stage.whenComplete((value, failure) -> loop.execute(() -> tell(waiting -> {
            resume.accept(value, failure);
            waiting.timePassed(); // what was held behind the verdict goes on now, not with the next thing that happens
        })));
    }

    @Override
    public void close(Leg leg, Closing closing) {
        if (leg == Leg.CLIENT) {
            client.close(closing);
        } else {
            server.close(closing);
        }
    }

    @Override
    public void endOutput() {
        if (server.channel() != null) {
            server.channel().endOutput();
        }
    }

    @Override
    public void startTls(Leg leg, Route route, Optional<String> serverName) {
        if (leg == Leg.SERVER) {
            server.startTls(route, serverName);
            return;
        }
        loop.defer(() -> {
            if (!client.closing()) {
                clientLeg.startTls();
                tell(session -> { });
            }
        });
    }

    @Override
    public boolean tlsBroken(Route route) {
        return engine.tls().broken(route, loop.now());
    }

    @Override
    public void tlsBroke(Route route) {
        server.tlsBroke(route);
    }

    /** An input that comes of an order, after the present event. */
    void later(Consumer<SmtpSession> input) {
        loop.defer(() -> tell(input));
    }

    // What the legs tell

    int clientRoom() {
        return session.clientRoom();
    }

    /** Of either leg. */
    void failed(LegChannel leg, Throwable failure) {
        if (leg == client || leg == server.channel()) {
            tell(failing -> sessionFailed(failure));
        } else {
            LOG.error("session {}: a server leg that it had let go failed", arrival.sessionId(), failure);
        }
        leg.closeNow();
    }

    static String reason(Exception e) {
        return e.getMessage() != null ? e.getMessage() : e.getClass().getSimpleName();
    }
}
