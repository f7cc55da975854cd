package dev.weft.nio;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of an idle leg to the transaction that has claimed it, which may be on another loop. If it dies on the way, its slot goes on
 * alone, as soon as the server sees the connection no more.
 */
final class LegHandover {

    private static final Logger LOG = LoggerFactory.getLogger(LegHandover.class);

    private final PooledLeg leg;
    /** Who gets the slot once the leg is closed; null while it is not known to die. */
    private LeaseRequest heir;
    private boolean gone;

    LegHandover(PooledLeg leg) {
        this.leg = leg;
    }

    /** For any thread. */
    void begin(LeaseRequest request) {
        if (!leg.loop().execute(() -> set(request))) {
            passSlotOn(request); // its loop has ended, and the leg with it
        }
    }

    private void set(LeaseRequest request) {
        if (!leg.usable()) {
            dies(request);
        } else if (leg.loop() == request.loop()) {
            leg.take(request);
        } else {
            migrate(request);
        }
    }

    /** Leaves its loop's selector and joins the other's. Between the two nobody reads it; what comes meanwhile is found on arrival. */
    private void migrate(LeaseRequest request) {
        var from = leg.channel();
        from.detach();
        leg.loop().afterSelect(() -> {
            if (!request.loop().execute(() -> arrive(from, request))) {
                from.abandon();
                passSlotOn(request);
            }
        });
    }

    private void arrive(LegChannel from, LeaseRequest request) {
        try {
            leg.moveTo(request.loop(), from);
        } catch (IOException | RuntimeException e) {
            LOG.debug("a server leg to {} was lost between two loops", leg.key().server(), e);
            from.abandon();
            passSlotOn(request);
            return;
        }
        if (leg.usable()) {
            leg.take(request);
        } else {
            dies(request);
        }
    }

    private void dies(LeaseRequest request) {
        if (gone) {
            passSlotOn(request);
        } else {
            heir = request;
            leg.giveUp();
        }
    }

    /** The leg is closed, while it was claimed. */
    void gone() {
        gone = true;
        if (heir != null) {
            passSlotOn(heir);
        }
    }

    private void passSlotOn(LeaseRequest request) {
        leg.slot().count.arrived(leg.slot());
        request.open(leg.slot());
    }
}
