package dev.weft.nio;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One listener on one loop. The same listener is registered with every loop, and whichever is free accepts. */
final class Acceptor implements EventLoop.Ready {

    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

    /** Accepted at one wake-up; more would let one loop take a burst alone and keep its sessions waiting. */
    private static final int AT_ONCE = 16;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final long BETWEEN_WARNINGS_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Engine engine;
    private final EventLoop loop;
    private final ServerSocketChannel listener;
    private final boolean implicitTls;
    private final SelectionKey key;
    private long warned = Long.MIN_VALUE;
    private final Timer resume = new Timer() {
        @Override
        void fire() {
            if (key.isValid()) {
                key.interestOps(SelectionKey.OP_ACCEPT);
            }
        }
    };

    Acceptor(Engine engine, EventLoop loop, ServerSocketChannel listener, boolean implicitTls) throws ClosedChannelException {
        this.engine = engine;
        this.loop = loop;
        this.listener = listener;
        this.implicitTls = implicitTls;
        this.key = listener.register(loop.selector(), SelectionKey.OP_ACCEPT, this);
    }

    @Override
    public void ready(SelectionKey ready) {
        for (int i = 0; i < AT_ONCE; i++) {
            SocketChannel channel;
            try {
                channel = listener.accept();
            } catch (IOException | RuntimeException e) {
                pause(e);
                return;
            }
            if (channel == null) {
                return; // another loop was faster, or all are taken
            }
            try {
                Reception.receive(engine, loop, channel, implicitTls);
            } catch (IOException | RuntimeException e) {
                LOG.warn("a connection was lost as it was accepted", e);
            }
        }
    }

    /**
     * Out of descriptors, most likely: the connection stays in the backlog, so the selector would report it at once again. A
     * short rest lets sessions end.
     */
    private void pause(Throwable why) {
        if (!listener.isOpen() || !key.isValid()) {
            return;
        }
        if (warned == Long.MIN_VALUE || loop.now() - warned > BETWEEN_WARNINGS_NANOS) {
            warned = loop.now();
            LOG.warn("can't accept connections for now: {}; raise the limit of open files, or lower that of sessions", why.toString());
        }
        key.interestOps(0);
        loop.arm(resume, loop.now() + PAUSE_NANOS);
    }

    /** Accepts no more, if it is this loop's; the listener itself stays open. */
    void stop(EventLoop onLoop) {
        if (onLoop == loop) {
            loop.cancel(resume);
            key.cancel();
        }
    }

    @Override
    public void failed(Throwable failure) {
        pause(failure);
    }

    @Override
    public void loopEnded() {
        key.cancel(); // the listener is the engine's to close
    }
}
