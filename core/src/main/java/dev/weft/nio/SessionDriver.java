package dev.weft.nio;

import dev.weft.relay.Route;
import dev.weft.session.Arrival;
import dev.weft.session.Closing;
import dev.weft.session.Leg;
import dev.weft.session.MessageStore;
import dev.weft.session.SessionPort;
import dev.weft.session.SmtpSession;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsFacts;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out one session's orders on its loop, and tells it what comes of them. */
final class SessionDriver implements SessionPort, LegOwner {

    private static final Logger LOG = LoggerFactory.getLogger(SessionDriver.class);

    private final Engine engine;
    private final EventLoop loop;
    private final InetAddress clientAddress;
    private final Arrival arrival;
    private final long accepted;
    private final LegChannel client;
    private final SmtpSession session;
    private final Timer timer = new Timer() {
        @Override
        void fire() {
            tell(SmtpSession::timePassed);
        }
    };

    private ServerLeg server;
    private boolean overTold;
    /** The last failure of TLS on a server leg came of this side, such as a lack of descriptors. */
    private boolean tlsFaultIsOurs;

    SessionDriver(Engine engine, EventLoop loop, LegChannel client, Arrival arrival) {
        this.engine = engine;
        this.loop = loop;
        this.client = client;
        this.arrival = arrival;
        this.clientAddress = arrival.client().getAddress();
        this.accepted = loop.now();
        this.session = new SmtpSession(engine.settings(), engine.handlers(), this, arrival);
    }

    void start() {
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
        if (session.ended()) {
            over();
        }
    }

    /**
     * A blocked leg is told to the session, which may write again in answer; that ends, since a leg is told once for each time it
     * blocks.
     */
    private void flush() {
        boolean told;
        do {
            told = server != null && flush(server.channel(), Leg.SERVER);
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
        if (server != null) {
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
        try {
            // The arrival was looked at; a handler's route may lead back here all the same, and would go round without end.
            var loopback = engine.guard().refusal(route.server());
            if (loopback.isPresent()) {
                throw new IOException(loopback.get());
            }
            server = new ServerLeg(this, engine, loop, generation, route, clientAddress);
        } catch (IOException | RuntimeException e) {
            LOG.debug("session {}: no server leg {}", arrival.sessionId(), route, e);
            loop.defer(() -> tell(waiting -> waiting.serverUnreachable(generation, reason(e))));
        }
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
        } else if (server != null) {
            server.channel().pauseReading();
        }
    }

    @Override
    public void resumeReading(Leg leg) {
        if (leg == Leg.CLIENT) {
            client.resumeReading();
        } else if (server != null) {
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
        } else if (server != null) {
            var leaves = server;
            server = null;
            leaves.close(closing);
        }
    }

    @Override
    public void endOutput() {
        if (server != null) {
            server.channel().endOutput();
        }
    }

    @Override
    public void startTls(Leg leg, Route route, Optional<String> serverName) {
        if (leg == Leg.SERVER) {
            // After this event: what comes of it is an input of its own, and may come at once.
            var secured = server;
            loop.defer(() -> {
                if (secured != null && secured == server) {
                    secured.startTls(route, serverName);
                    tell(session -> { });
                }
            });
            return;
        }
        loop.defer(() -> {
            if (!client.closing()) {
                startClientTls();
                tell(session -> { });
            }
        });
    }

    private void startClientTls() {
        try {
            client.startTls(engine.tls().clientLegEngine(), engine.tls().workers());
        } catch (TlsException | RuntimeException e) {
            LOG.warn("session {}: no TLS engine for the client leg", arrival.sessionId(), e);
            later(session -> session.clientTlsFailed(reason(e)));
        }
    }

    @Override
    public boolean tlsBroken(Route route) {
        return engine.tls().broken(route, loop.now());
    }

    @Override
    public void tlsBroke(Route route) {
        if (!tlsFaultIsOurs) {
            engine.tls().broke(route, loop.now());
        }
    }

    void tlsFaultIsOurs(boolean ours) {
        tlsFaultIsOurs = ours;
    }

    /** An input that comes of an order, after the present event. */
    void later(Consumer<SmtpSession> input) {
        loop.defer(() -> tell(input));
    }

    // What the client leg tells

    @Override
    public void secured(LegChannel leg, TlsFacts facts) {
        tell(waiting -> waiting.clientSecured(engine.tls().judgeClient(facts)));
    }

    @Override
    public void notSecured(LegChannel leg, String why, boolean ours) {
        tell(waiting -> waiting.clientTlsFailed(why));
    }

    @Override
    public void flushed(LegChannel leg) {
        tell(waiting -> { });
    }

    @Override
    public void connected(LegChannel leg) {}

    @Override
    public void notConnected(LegChannel leg, IOException why) {}

    @Override
    public void bytes(LegChannel leg, ByteBuffer in) {
        tell(reading -> reading.fromClient(in));
    }

    @Override
    public int room(LegChannel leg) {
        return session.clientRoom();
    }

    @Override
    public void endOfInput(LegChannel leg) {
        tell(SmtpSession::clientHalfClosed);
    }

    @Override
    public void broken(LegChannel leg, IOException why) {
        tell(reading -> reading.clientGone(reason(why)));
    }

    @Override
    public void drained(LegChannel leg) {
        tell(writing -> writing.writeDrained(Leg.CLIENT));
    }

    @Override
    public void closed(LegChannel leg) {
        engine.limits().leaveClient(clientAddress);
        engine.limits().leave();
    }

    /** Of either leg. */
    @Override
    public void failed(LegChannel leg, Throwable failure) {
        if (leg == client || server != null && server.channel() == leg) {
            tell(failing -> sessionFailed(failure));
        } else {
            LOG.error("session {}: a server leg that it had let go failed", arrival.sessionId(), failure);
        }
        leg.closeNow();
    }

    void serverLegClosed(ServerLeg leg) {
        if (server == leg) {
            server = null;
        }
    }

    static String reason(Exception e) {
        return e.getMessage() != null ? e.getMessage() : e.getClass().getSimpleName();
    }
}
