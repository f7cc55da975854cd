package dev.weft.nio;

import dev.weft.intercept.Interception;
import dev.weft.intercept.ProxyHeaderReader;
import dev.weft.relay.LegTls;
import dev.weft.relay.Route;
import dev.weft.session.Arrival;
import dev.weft.session.Arrival.TlsOffer;
import dev.weft.session.Closing;
import dev.weft.smtp.Reply;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsFacts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An accepted connection until it is known where it wanted to go: reads the PROXY protocol's header if there has to be one,
 * refuses what must be refused, and hands the leg to a session.
 */
final class Reception implements LegOwner {

    private static final Logger LOG = LoggerFactory.getLogger(Reception.class);

    private static final long HEADER_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * Who is refused has hardly begun to write, so a short linger is enough; and nobody is to take all descriptors, or the places
     * of others, by being refused.
     */
    private static final long BRIEF_LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Engine engine;
    private final EventLoop loop;
    private final InetSocketAddress peer;
    private final LegChannel client;
    private boolean admitted;
    private final boolean implicitTls;
    private ProxyHeaderReader header;
    /** Goes on once the handshake is done; null if none is under way. */
    private Consumer<LegTls> secured;
    private boolean tlsDone;
    private final Timer timer = new Timer() {
        @Override
        void fire() {
            if (secured != null) {
                LOG.debug("connection from {} closed: no TLS handshake in time", peer);
                client.close(Closing.LINGER, BRIEF_LINGER_NANOS);
                return;
            }
            LOG.info("connection from {} closed: no PROXY protocol header in time", peer);
            refuse(Refusals.BAD_HEADER);
        }
    };

    private Reception(Engine engine, EventLoop loop, SocketChannel channel, boolean implicitTls) throws IOException {
        this.engine = engine;
        this.loop = loop;
        this.implicitTls = implicitTls;
        this.peer = (InetSocketAddress) channel.getRemoteAddress();
        this.client = new LegChannel(loop, channel, this, loop.toClient());
    }

    /** Takes a connection over that was just accepted. */
    static void receive(Engine engine, EventLoop loop, SocketChannel channel, boolean implicitTls) throws IOException {
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            new Reception(engine, loop, channel, implicitTls).receive(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private void receive(SocketChannel channel) {
        try {
            begin(channel);
        } catch (RuntimeException e) {
            client.closeNow(); // which gives back what was counted
            throw e;
        }
    }

    private void begin(SocketChannel channel) {
        admitted = engine.limits().admit();
        if (!admitted) {
            refuse(Refusals.TOO_MANY_SESSIONS);
            return;
        }
        var interception = engine.interception();
        if (interception instanceof Interception.ProxyProtocol proxy) {
            if (proxy.trusts(peer.getAddress())) {
                header = new ProxyHeaderReader();
                loop.arm(timer, loop.now() + Math.min(HEADER_NANOS, engine.settings().timeouts().idle().toNanos()));
            } else {
                LOG.warn("connection from {} refused: it is no trusted peer of the PROXY protocol", peer);
                refuse(Refusals.UNTRUSTED);
            }
            return;
        }
        try {
            var destination = interception.destination(channel).orElseThrow();
            arrived(peer, destination, interception instanceof Interception.Fixed
                    ? (InetSocketAddress) channel.getLocalAddress()
                    : destination);
        } catch (IOException e) {
            LOG.warn("connection from {} refused: its original destination can't be found", peer, e);
            refuse(Refusals.NO_DESTINATION);
        }
    }

    private void header(ByteBuffer in) {
        switch (header.read(in)) {
            case MORE -> { }
            case REFUSED -> {
                LOG.warn("connection from {} closed: {}", peer, header.reason());
                refuse(Refusals.BAD_HEADER);
            }
            case DONE -> {
                loop.cancel(timer);
                if (header.local()) {
                    client.close(Closing.LINGER, BRIEF_LINGER_NANOS); // a health check: it is there, and wants nothing
                    return;
                }
                var source = header.source();
                var destination = header.destination();
                header = null;
                arrived(source, destination, destination);
                if (in.hasRemaining() && !client.closing()) {
                    client.received(in);
                }
            }
        }
    }

    /**
     * Gives the leg to a session, or refuses it. Whether it is a server leg of ours is seen by what it dialled, and that
     * is not a fixed server: a client of this host may well have the port that some server leg has.
     */
    private void arrived(InetSocketAddress from, InetSocketAddress destination, InetSocketAddress dialled) {
        var guard = engine.guard();
        var loopback = guard.refusal(destination).or(() -> guard.refusalOfClient(from, dialled));
        if (loopback.isPresent()) {
            LOG.warn("connection from {} refused: {}", from, loopback.get());
            refuse(Refusals.LOOP);
            return;
        }
        if (destination.getPort() == 0 || destination.getAddress().isAnyLocalAddress()) {
            LOG.warn("connection from {} refused: {} is no destination", from, destination);
            refuse(Refusals.NO_DESTINATION);
            return;
        }
        if (!implicitTls) {
            begin(from, destination, Optional.empty());
            return;
        }
        secured = tls -> begin(from, destination, Optional.of(tls));
        loop.arm(timer, loop.now() + engine.settings().timeouts().handshake().toNanos());
        try {
            client.startTls(engine.tls().clientLegEngine(), engine.tls().workers());
        } catch (TlsException e) {
            LOG.warn("connection from {} closed: no TLS engine", from, e);
            client.closeNow();
        }
    }

    private void begin(InetSocketAddress from, InetSocketAddress destination, Optional<LegTls> tls) {
        if (!engine.limits().admitClient(from.getAddress())) {
            refuse(Refusals.TOO_MANY_OF_CLIENT);
            return;
        }
        SessionDriver driver;
        try {
            var route = Route.to(destination).withTls(engine.tls().policy()).withBinding(engine.pool().binding());
            var offer = tls.isPresent() ? TlsOffer.NONE : engine.tls().offer();
            var arrival = new Arrival(engine.nextId(), from, destination, route, offer, tls);
            driver = new SessionDriver(engine, loop, client, arrival);
        } catch (RuntimeException e) {
            engine.limits().leaveClient(from.getAddress());
            throw e;
        }
        driver.start(); // from here on it gives back what was counted
    }

    private void refuse(Reply reply) {
        loop.cancel(timer);
        if (!implicitTls || tlsDone) { // text in clear means nothing to who waits for a handshake
            client.write(ByteBuffer.wrap(reply.bytes()));
        }
        client.close(Closing.LINGER, BRIEF_LINGER_NANOS);
    }

    // Before admission, and after a refusal, nobody cares what the client says.

    @Override
    public void connected(LegChannel leg) {}

    @Override
    public void notConnected(LegChannel leg, IOException why) {}

    @Override
    public void bytes(LegChannel leg, ByteBuffer in) {
        if (header != null) {
            header(in);
        }
    }

    @Override
    public int room(LegChannel leg) {
        return EventLoop.READ_BYTES;
    }

    @Override
    public void secured(LegChannel leg, TlsFacts facts) {
        loop.cancel(timer);
        tlsDone = true;
        secured.accept(engine.tls().judgeClient(facts));
    }

    @Override
    public void notSecured(LegChannel leg, String why, boolean ours) {
        LOG.debug("connection from {} closed: TLS handshake: {}", peer, why);
        leg.close(Closing.LINGER, BRIEF_LINGER_NANOS); // so that the alert is read
    }

    @Override
    public void endOfInput(LegChannel leg) {
        leg.closeNow();
    }

    @Override
    public void broken(LegChannel leg, IOException why) {
        leg.closeNow();
    }

    @Override
    public void drained(LegChannel leg) {}

    @Override
    public void closed(LegChannel leg) {
        loop.cancel(timer);
        if (admitted) {
            engine.limits().leave(engine.limits().most());
        }
    }

    @Override
    public void failed(LegChannel leg, Throwable failure) {
        leg.closeNow();
    }
}
