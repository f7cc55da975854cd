package dev.weft.nio;

import dev.weft.session.Leg;
import dev.weft.session.SmtpSession;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsFacts;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A session's client leg: it tells the session what comes, and gives the session's place back when it is closed. */
final class ClientLeg implements LegOwner {

    private static final Logger LOG = LoggerFactory.getLogger(ClientLeg.class);

    private final SessionDriver driver;
    private final Engine engine;
    private final LegChannel channel;
    private final SessionPlace place;

    ClientLeg(SessionDriver driver, Engine engine, LegChannel channel, SessionPlace place) {
        this.driver = driver;
        this.engine = engine;
        this.channel = channel;
        this.place = place;
    }

    /** Takes the leg over from who received it. */
    void take() {
        channel.owner(this);
    }

    void startTls() {
        try {
            channel.startTls(engine.tls().clientLegEngine(), engine.tls().workers());
        } catch (TlsException | RuntimeException e) {
            LOG.warn("session {}: no TLS engine for the client leg", driver.arrival().sessionId(), e);
            driver.later(session -> session.clientTlsFailed(SessionDriver.reason(e)));
        }
    }

    @Override
    public void secured(LegChannel leg, TlsFacts facts) {
        driver.tell(session -> session.clientSecured(engine.tls().judgeClient(facts)));
    }

    @Override
    public void notSecured(LegChannel leg, String why, boolean ours) {
        driver.tell(session -> session.clientTlsFailed(why));
    }

    @Override
    public void flushed(LegChannel leg) {
        driver.tell(session -> { });
    }

    @Override
    public void connected(LegChannel leg) {}

    @Override
    public void notConnected(LegChannel leg, IOException why) {}

    @Override
    public void bytes(LegChannel leg, ByteBuffer in) {
        driver.tell(session -> session.fromClient(in));
    }

    @Override
    public int room(LegChannel leg) {
        return driver.clientRoom();
    }

    @Override
    public void endOfInput(LegChannel leg) {
        driver.tell(SmtpSession::clientHalfClosed);
    }

    @Override
    public void broken(LegChannel leg, IOException why) {
        driver.tell(session -> session.clientGone(SessionDriver.reason(why)));
    }

    @Override
    public void drained(LegChannel leg) {
        driver.tell(session -> session.writeDrained(Leg.CLIENT));
    }

    @Override
    public void closed(LegChannel leg) {
        place.leave();
    }

    @Override
    public void failed(LegChannel leg, Throwable failure) {
        driver.failed(leg, failure);
    }
}
