package dev.weft.nio;

import dev.weft.session.Closing;
import dev.weft.session.LegFacts;
import dev.weft.session.LegOpening;
import dev.weft.session.LegRefusal;
import dev.weft.session.OpeningPort;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsFacts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out the opening of one leg on the loop of who asked for it, within one slot of its destination. */
final class LegOpener implements LegOwner, OpeningPort {

    private static final Logger LOG = LoggerFactory.getLogger(LegOpener.class);

    private final LeaseRequest request;
    private final LegSlot slot;
    private final EventLoop loop;
    private final Engine engine;
    private final LegOpening opening;
    /** The present connection; null while there is none. */
    private Departure departure;
    /** The present connection closes, and another is wanted. */
    private boolean again;
    private boolean over;
    /** The last failure of TLS came of this side, and says nothing about the server. */
    private boolean tlsFaultIsOurs;
    private final Timer timer = new Timer() {
        @Override
        void fire() {
            tell(opening::timePassed);
        }
    };

    LegOpener(LeaseRequest request, LegSlot slot) {
        this.request = request;
        this.slot = slot;
        this.loop = request.loop();
        this.engine = request.pool().engine();
        this.opening = new LegOpening(
                engine.settings(), request.route(), request.pool().helloName(), request.budgetEnd(), this);
    }

    void start() {
        tell(opening::start);
    }

    /** Nobody waits for the leg any more. */
    void abandon() {
        end();
        if (departure != null) {
            departure.channel().close(Closing.ABORT);
        }
    }

    private void tell(Runnable input) {
        try {
            if (!over) {
                input.run();
            }
            if (departure != null) {
                departure.channel().flush();
            }
        } catch (Throwable failure) {
            LOG.error("a server leg could not be opened {}", request.route(), failure);
            if (!over) {
                abandon();
                request.refused(slot, LegRefusal.failed(failure.toString()));
            }
        }
    }

    /** The slot is free once the server sees no connection any more. */
    private void end() {
        over = true;
        again = false;
        loop.cancel(timer);
        if (departure == null) {
            slot.count.gone(slot, loop.now());
        } else {
            slot.count.closes(slot, null);
        }
    }

    // The orders of the opening

    @Override
    public long now() {
        return loop.now();
    }

    @Override
    public void connect() {
        if (departure != null) {
            again = true; // one connection at a time: the server counts them
            return;
        }
        try {
            // A handler's route may lead back here, and would go round without end.
            var loopback = engine.guard().refusal(request.route().server());
            if (loopback.isPresent()) {
                throw new IOException(loopback.get());
            }
            departure = new Departure(engine, loop, request.route(), request.client(), this);
        } catch (IOException | RuntimeException e) {
            LOG.debug("no server leg {}", request.route(), e);
            loop.defer(() -> tell(() -> opening.unreachable(SessionDriver.reason(e))));
        }
    }

    @Override
    public void write(byte[] bytes) {
        departure.channel().write(ByteBuffer.wrap(bytes));
    }

    @Override
    public void startTls(Optional<String> serverName) {
        var secured = departure;
        loop.defer(() -> {
            if (!over && departure == secured && !secured.channel().closing()) {
                tlsFaultIsOurs = false;
                try {
                    secured.channel().startTls(engine.tls().serverLegEngine(request.route(), serverName), engine.tls().workers());
                } catch (TlsException | RuntimeException e) {
                    tlsFaultIsOurs = true;
                    tell(() -> opening.tlsFailed(SessionDriver.reason(e)));
                }
            }
        });
    }

    @Override
    public boolean tlsBroken() {
        return engine.tls().broken(request.route(), loop.now());
    }

    @Override
    public void tlsBroke() {
        if (!tlsFaultIsOurs) {
            engine.tls().broke(request.route(), loop.now());
        }
    }

    @Override
    public void armTimer(long deadline) {
        loop.arm(timer, deadline);
    }

    @Override
    public void close(Closing how) {
        if (departure != null) {
            departure.channel().close(how);
        }
    }

    @Override
    public void opened(LegFacts facts) {
        over = true;
        loop.cancel(timer);
        departure.forget();
        var channel = departure.channel();
        departure = null;
        request.pool().descriptors().settle(slot, engine.descriptors().leg(channel.secure()));
        var leg = new PooledLeg(request, slot, channel, facts);
        channel.owner(leg);
        request.opened(leg);
    }

    @Override
    public void refused(LegRefusal refusal) {
        end();
        request.refused(slot, refusal);
    }

    // What the connection tells

    @Override
    public void connected(LegChannel leg) {
        if (!leg.closing()) {
            tell(() -> {
                try {
                    opening.connected(departure.connected());
                } catch (IOException e) {
                    notConnected(leg, e);
                }
            });
        }
    }

    @Override
    public void notConnected(LegChannel leg, IOException why) {
        leg.closeNow();
        tell(() -> opening.unreachable(SessionDriver.reason(why)));
    }

    @Override
    public void bytes(LegChannel leg, ByteBuffer in) {
        departure.forget();
        tell(() -> opening.bytes(in));
    }

    @Override
    public int room(LegChannel leg) {
        return Integer.MAX_VALUE;
    }

    @Override
    public void endOfInput(LegChannel leg) {
        tell(opening::closed);
    }

    @Override
    public void broken(LegChannel leg, IOException why) {
        tell(opening::closed);
    }

    @Override
    public void drained(LegChannel leg) {}

    @Override
    public void flushed(LegChannel leg) {
        tell(() -> { });
    }

    @Override
    public void secured(LegChannel leg, TlsFacts facts) {
        tell(() -> opening.secured(engine.tls().judgeServer(facts, request.route())));
        // Behind the EHLO that has just been written, since to write makes the kernel delay again.
        if (!leg.closing()) {
            QuickAck.ask(leg.channel());
        }
    }

    @Override
    public void notSecured(LegChannel leg, String why, boolean ours) {
        tlsFaultIsOurs = ours;
        tell(() -> opening.tlsFailed(why));
    }

    @Override
    public void closed(LegChannel leg) {
        departure.forget();
        loop.afterSelect(() -> {
            departure = null;
            if (over) {
                slot.count.gone(slot, loop.now());
            } else if (again) {
                again = false;
                tell(this::connect);
            }
        });
    }

    @Override
    public void failed(LegChannel leg, Throwable failure) {
        LOG.error("the opening of a server leg {} failed", request.route(), failure);
        tell(opening::closed);
        leg.closeNow();
    }
}
