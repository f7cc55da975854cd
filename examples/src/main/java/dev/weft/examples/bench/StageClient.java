package dev.weft.examples.bench;

import dev.weft.tls.spi.TlsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Many SMTP sessions at one time, on one thread, since the client shares the processors with what it measures. So many slots have
 * a session each; when one ends, its slot opens the next, until there were as many as wanted.
 */
final class StageClient implements AutoCloseable {

    private static final int LOOPBACK_SOURCES = 10;

    private final Selector selector = Selector.open();
    private final ByteBuffer plain = ByteBuffer.allocateDirect(64 * 1024);
    private final SessionPlan plan;
    private final List<Slot> slots = new ArrayList<>();
    private StageTimes times;
    private int left;
    private int open;
    private int held;

    /** A place for one session at a time, with buffers and a TLS session of its own. */
    private static final class Slot {
        private final int number;
        private final TlsWire.Buffers buffers = new TlsWire.Buffers();
        private StageSession session;

        Slot(int number) {
            this.number = number;
        }
    }

    StageClient(SessionPlan plan, int concurrency) throws IOException {
        this.plan = plan;
        for (int i = 0; i < concurrency; i++) {
            slots.add(new Slot(i));
        }
    }

    /**
     * Runs so many sessions; with those that hold, until that many are held.
     *
     * @throws IOException if they take longer than the limit
     */
    StageTimes run(int sessions, Duration limit) throws IOException {
        times = new StageTimes();
        left = sessions;
        held = 0;
        long start = System.nanoTime();
        for (var slot : slots) {
            if (slot.session == null) {
                next(slot);
            }
        }
        while (open > held) {
            selector.select(this::serve, 1000);
            startTogether();
            if (System.nanoTime() - start > limit.toNanos()) {
                throw new IOException("only " + times.sessions + " of " + sessions + " sessions were done within " + limit
                        + (times.failed > 0 ? "; the first failure: " + times.firstFailure : ""));
            }
        }
        times.seconds = (System.nanoTime() - start) / 1e9;
        return times;
    }

    private void startTogether() {
        if (!plan.together() || slots.stream().anyMatch(slot -> slot.session != null && !slot.session.waits())) {
            return;
        }
        for (var slot : slots) {
            if (slot.session != null) {
                try {
                    slot.session.startTls();
                } catch (IOException e) {
                    end(slot, e.getMessage());
                }
            }
        }
    }

    private void next(Slot slot) throws IOException {
        while (left > 0) {
            left--;
            if (opened(slot)) {
                open++;
                return;
            }
        }
    }

    /** A connection that can't be opened is a failed session like any other. */
    private boolean opened(Slot slot) throws IOException {
        var channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            bind(channel, slot.number);
            slot.session = new StageSession(plan, channel, slot.buffers, slot.number, times);
            var key = channel.register(selector, SelectionKey.OP_CONNECT, slot);
            if (channel.connect(plan.server())) {
                key.interestOps(SelectionKey.OP_READ);
                slot.session.connected();
            }
            return true;
        } catch (IOException e) {
            times.fail("connect: " + e.getMessage());
            channel.close();
            slot.session = null;
            return false;
        }
    }

    /** From several addresses of the loopback network, so that the ports of one don't run out. */
    private void bind(SocketChannel channel, int number) throws IOException {
        if (plan.server().getAddress().getHostAddress().startsWith("127.")) {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            byte[] source = {127, 0, 0, (byte) (2 + number % LOOPBACK_SOURCES)};
            channel.bind(new InetSocketAddress(InetAddress.getByAddress(source), 0));
        }
    }

    private void serve(SelectionKey key) {
        var slot = (Slot) key.attachment();
        var session = slot.session;
        try {
            if (key.isConnectable()) {
                ((SocketChannel) key.channel()).finishConnect();
                key.interestOps(SelectionKey.OP_READ);
                session.connected();
            } else if (key.isWritable()) {
                session.write();
            } else {
                session.read(plain);
            }
            if (session.ended()) {
                times.sessions++;
                end(slot, null);
            } else if (session.holds()) {
                if (session.newlyHeld()) {
                    times.sessions++;
                    held++;
                    if (left > 0) {
                        throw new IllegalStateException("more sessions to hold than slots");
                    }
                }
            } else {
                key.interestOps(session.wantsToWrite() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            }
        } catch (IOException | TlsException e) {
            end(slot, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private void end(Slot slot, String failure) {
        if (failure != null) {
            times.fail(failure);
            if (slot.session.holds()) {
                held--;
            }
        }
        try {
            slot.session.close();
            slot.session = null;
            open--;
            next(slot);
        } catch (IOException e) {
            times.fail(e.toString());
        }
    }

    @Override
    public void close() throws IOException {
        for (var slot : slots) {
            if (slot.session != null) {
                slot.session.close();
            }
        }
        selector.close();
    }
}
