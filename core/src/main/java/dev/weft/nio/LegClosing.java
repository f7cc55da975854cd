package dev.weft.nio;

import dev.weft.session.Closing;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of one leg's connection: how it closes, how long that may take, and what still comes meanwhile. */
final class LegClosing {

    private static final Logger LOG = LoggerFactory.getLogger(LegClosing.class);

    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long LINGER_BYTES = 16L << 20;
    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long AWAIT_PEER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LegChannel leg;
    private final EventLoop loop;
    private final SocketChannel channel;
    private final Closing how;
    private final Timer timer = new Timer() {
        @Override
        void fire() {
            leg.closeNow();
        }
    };
    private long drainedBytes;

    LegClosing(LegChannel leg, EventLoop loop, SocketChannel channel, Closing how) {
        this.leg = leg;
        this.loop = loop;
        this.channel = channel;
        this.how = how;
    }

    static long patience(Closing how) {
        return switch (how) {
            case LINGER -> LINGER_NANOS;
            case FAREWELL -> FAREWELL_NANOS;
            case AWAIT_PEER, ABORT -> AWAIT_PEER_NANOS;
        };
    }

    /** Closes at once, with a reset where there is a connection. */
    void reset() {
        try {
            if (channel.isConnected()) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException e) {
            LOG.debug("SO_LINGER could not be set on a connection that is being aborted", e);
        }
        leg.closeNow();
    }

    void waitFor(long patienceNanos) {
        loop.arm(timer, loop.now() + patienceNanos);
    }

    /**
     * All that was written has left: where the peer is not to close first, it is told that no more comes.
     *
     * @return false if the leg is closed by that
     */
    boolean endOutput() {
        if (how != Closing.AWAIT_PEER) {
            try {
                channel.shutdownOutput();
            } catch (IOException e) {
                leg.closeNow();
                return false;
            }
        }
        return true;
    }

    /**
     * Reads what still comes and forgets it, so that the peer reads our last reply and not a reset.
     *
     * @return false if the peer has ended its side
     */
    boolean drained() {
        try {
            int count = channel.read(loop.readBuffer());
            if (count < 0) {
                return false;
            }
            drainedBytes += count;
            if (drainedBytes > LINGER_BYTES) {
                leg.closeNow();
            }
        } catch (IOException e) {
            leg.closeNow();
        }
        return true;
    }

    /** The leg is closed. */
    void over() {
        loop.cancel(timer);
    }
}
