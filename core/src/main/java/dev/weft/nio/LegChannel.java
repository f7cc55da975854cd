package dev.weft.nio;

import dev.weft.session.Closing;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsFacts;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One leg's connection on its loop: reads, writes, holds what the socket does not take, and closes in one of three ways. It knows
 * bytes and nothing else.
 */
final class LegChannel implements EventLoop.Ready {

    private static final Logger LOG = LoggerFactory.getLogger(LegChannel.class);

    /** Writes from this size on go to the socket without being collected first. */
    private static final int DIRECT_WRITE = 2048;

    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long LINGER_BYTES = 16L << 20;
    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long AWAIT_PEER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * A TLS engine answers some records of its own accord, such as a request for new keys (RFC 8446 §4.6.3), of which its owner
     * hears nothing. A peer that sends them without end and reads nothing is read no further from here on.
     */
    private static final int MOST_UNSENT = 512 * 1024;

    private final EventLoop loop;
    private final SocketChannel channel;
    private LegOwner owner;
    private final ByteBuffer collected;
    private final SelectionKey key;

    private final Unsent unsent = new Unsent();

    private boolean blockedUntold;
    private boolean readable = true;
    private boolean inputEnded;
    /** TLS failed: what comes can't be read any more, only be waited for while the leg closes. */
    private boolean unreadable;
    /** Why nothing can be written any more; null while it can. */
    private IOException outputFailure;
    private boolean outputEnds;
    private Closing closing;
    private boolean closed;
    private long drainedBytes;
    private Timer closeTimer;
    /** Between socket and owner; null while the leg is in clear. */
    private TlsLayer tls;

    /**
     * Takes a channel over.
     *
     * @param collected the loop's buffer that collects what is written to this leg within one event
     */
    LegChannel(EventLoop loop, SocketChannel channel, LegOwner owner, ByteBuffer collected) throws IOException {
        this.loop = loop;
        this.channel = channel;
        this.owner = owner;
        this.collected = collected;
        int first = channel.isConnected() ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT;
        this.key = channel.register(loop.selector(), first, this);
    }

    /** Gives the leg to another owner, which hears all that comes from now on. */
    void owner(LegOwner next) {
        owner = next;
    }

    /** Begins a handshake; what was written before goes out in clear first. */
    void startTls(TlsEngine engine, Executor workers) {
        flush();
        if (closing()) {
            engine.free();
            return;
        }
        tls = new TlsLayer(loop, this, engine, workers);
        tls.begin();
    }

    SocketChannel channel() {
        return channel;
    }

    /** Whether it was closed, or is about to be. */
    boolean closing() {
        return closed || closing != null;
    }

    @Override
    public void ready(SelectionKey ready) throws IOException {
        if (ready.isConnectable()) {
            finishConnect();
            return;
        }
        if (ready.isWritable() && !unsent.none()) {
            writePending();
        }
        if (!closed && ready.isReadable()) {
            read();
        }
    }

    @Override
    public void failed(Throwable failure) {
        owner.failed(this, failure);
    }

    @Override
    public void loopEnded() {
        if (closing == null) {
            owner.failed(this, new IOException("the event loop ended"));
        }
        closeNow();
    }

    private void finishConnect() {
        try {
            if (!channel.finishConnect()) {
                return;
            }
        } catch (IOException e) {
            owner.notConnected(this, e);
            return;
        }
        updateInterest();
        owner.connected(this);
    }

    private void read() {
        if (closing != null) {
            drain();
            return;
        }
        int room = owner.room(this);
        if (room == 0) {
            if (outputFailure != null) {
                brokenInput(outputFailure); // what it said last can't be taken in, and to wait for that would spin
            }
            return;
        }
        var in = loop.readBuffer();
        if (tls != null) {
            tls.prepend(in); // and whole records only can be taken, so the room is not kept to
        } else {
            in.limit(Math.min(in.capacity(), room));
        }
        int count;
        try {
            count = channel.read(in);
        } catch (IOException e) {
            brokenInput(e);
            return;
        }
        if (count < 0 && outputFailure != null) {
            brokenInput(outputFailure);
        } else if (count < 0) {
            inputEnded();
        } else if (count > 0) {
            received(in.flip());
        } else if (tls != null) {
            tls.nothingRead(in);
        }
    }

    /** Bytes came over the wire; the owner gets what they hold. */
    void received(ByteBuffer in) {
        if (tls != null) {
            tls.open(in);
        } else {
            owner.bytes(this, in);
        }
    }

    /** What the TLS layer got out of the records that came. */
    void deliver(ByteBuffer plain) {
        owner.bytes(this, plain);
    }

    void secured(TlsFacts facts) {
        owner.secured(this, facts);
    }

    void notSecured(String why, boolean ours) {
        owner.notSecured(this, why, ours);
    }

    /** TLS failed after the handshake. */
    void broken(IOException why) {
        owner.broken(this, why);
    }

    /** TLS failed: what comes now means nothing. */
    void nothingToRead() {
        unreadable = true;
        updateInterest();
    }

    /** The peer ended its side, with close_notify where there is TLS. */
    void inputEnded() {
        inputEnded = true;
        updateInterest();
        owner.endOfInput(this);
    }

    /** A worker took the TLS engine, or gave it back. */
    void interestChanged() {
        updateInterest();
    }

    void flushed() {
        owner.flushed(this);
    }

    void brokenInput(IOException why) {
        inputEnded = true;
        updateInterest();
        owner.broken(this, why);
    }

    /** Writes after what was written before; what the socket does not take is kept. */
    void write(ByteBuffer bytes) {
        if (closed || closing != null) {
            bytes.position(bytes.limit());
            return;
        }
        if (unsent.none() && bytes.remaining() >= DIRECT_WRITE) {
            flush();
            if (unsent.none()) {
                writeNow(bytes);
            }
        }
        while (bytes.hasRemaining()) {
            if (!unsent.none() && tls == null) {
                keep(bytes);
            } else if (bytes.remaining() <= collected.remaining()) {
                collected.put(bytes);
            } else {
                flush();
                if (bytes.remaining() > collected.capacity() && (unsent.none() || tls != null)) {
                    writeNow(bytes);
                }
            }
        }
    }

    /** Sends what was collected within the event. */
    void flush() {
        if (collected.position() > 0) {
            collected.flip();
            if (!closed) {
                writeNow(collected);
            }
            collected.clear();
        }
    }

    private void writeNow(ByteBuffer bytes) {
        if (tls != null) {
            tls.send(bytes);
        } else {
            sendRaw(bytes);
        }
    }

    /** Sends bytes as they are to go over the wire. */
    void sendRaw(ByteBuffer bytes) {
        if (outputFailure != null || closed) {
            bytes.position(bytes.limit());
            return;
        }
        if (!unsent.none()) {
            keep(bytes);
            return;
        }
        try {
            channel.write(bytes);
        } catch (IOException e) {
            outputBroke(e);
            bytes.position(bytes.limit());
            return;
        }
        if (bytes.hasRemaining()) {
            keep(bytes);
            blockedUntold = true;
            updateInterest();
        }
    }

    private void keep(ByteBuffer bytes) {
        unsent.keep(bytes);
        if (tls != null && unsent.size() > MOST_UNSENT) {
            updateInterest();
        }
    }

    private void writePending() {
        try {
            if (!unsent.writeTo(channel)) {
                return;
            }
        } catch (IOException e) {
            outputBroke(e);
            return;
        }
        updateInterest();
        if (closing != null) {
            if (tls == null || !tls.working()) {
                allSent();
            }
        } else {
            if (outputEnds) {
                shutdownOutput();
            }
            blockedUntold = false;
            owner.drained(this);
        }
    }

    /**
     * A peer that closed may have said why: what it sent is read first, and its end is found there. Only where nothing can be
     * read any more is the break told at once.
     */
    private void outputBroke(IOException e) {
        outputFailure = e;
        unsent.drop();
        blockedUntold = false;
        if (closing != null) {
            closeNow();
        } else if (inputEnded) {
            updateInterest();
            loop.defer(() -> {
                if (!closed && closing == null) {
                    owner.broken(this, e);
                }
            });
        } else {
            readable = true;
            updateInterest();
        }
    }

    /** Whether the socket takes no more for now; true once for each time that it stops. */
    boolean takesNoMore() {
        boolean told = blockedUntold;
        blockedUntold = false;
        return told;
    }

    void pauseReading() {
        readable = outputFailure != null;
        updateInterest();
    }

    void resumeReading() {
        readable = true;
        updateInterest();
    }

    /** Half-closes: the peer is told that no more comes behind what was written, and is still read. */
    void endOutput() {
        flush();
        outputEnds = true;
        if (unsent.none()) {
            shutdownOutput();
        }
    }

    private void shutdownOutput() {
        try {
            if (!closed) {
                channel.shutdownOutput();
            }
        } catch (IOException e) {
            outputBroke(e);
        }
    }

    /** Closes; the owner hears no more of this leg but {@link LegOwner#closed}. */
    void close(Closing how) {
        close(how, switch (how) {
            case LINGER -> LINGER_NANOS;
            case FAREWELL -> FAREWELL_NANOS;
            case AWAIT_PEER, ABORT -> AWAIT_PEER_NANOS;
        });
    }

    /** Closes with a patience of the caller's own. */
    void close(Closing how, long patienceNanos) {
        if (closed || closing != null) {
            return;
        }
        if (how == Closing.ABORT && tls != null && tls.alerted() && outputFailure == null) {
            close(Closing.LINGER, AWAIT_PEER_NANOS); // a reset could take the alert from the peer, who is to read why
            return;
        }
        closing = how;
        if (how == Closing.ABORT || !channel.isConnected()) {
            collected.clear();
            abort();
            return;
        }
        boolean engineHere = sayLast();
        readable = true;
        if (closed) {
            return;
        }
        closeTimer = new Timer() {
            @Override
            void fire() {
                closeNow();
            }
        };
        loop.arm(closeTimer, loop.now() + patienceNanos);
        if (unsent.none() && engineHere) {
            allSent();
        } else {
            updateInterest();
        }
    }

    /** Sends what was collected, and in TLS close_notify along with it; false if a worker has the engine. */
    private boolean sayLast() {
        if (tls == null) {
            flush();
            return true;
        }
        boolean engineHere = tls.closeOutput(collected.flip());
        collected.clear();
        return engineHere;
    }

    /** A worker gave the TLS engine back to a leg that was told to close meanwhile. */
    void closeGoesOn() {
        sayLast();
        if (!closed && unsent.none()) {
            allSent();
        } else {
            updateInterest();
        }
    }

    private void allSent() {
        if (inputEnded) {
            closeNow();
            return;
        }
        if (closing != Closing.AWAIT_PEER) {
            try {
                channel.shutdownOutput();
            } catch (IOException e) {
                closeNow();
                return;
            }
        }
        updateInterest();
    }

    /** Reads what still comes and forgets it, so that the peer reads our last reply and not a reset. */
    private void drain() {
        var in = loop.readBuffer();
        try {
            int count = channel.read(in);
            if (count < 0) {
                inputEnded = true;
                if (unsent.none()) {
                    closeNow();
                } else {
                    updateInterest();
                }
                return;
            }
            drainedBytes += count;
            if (drainedBytes > LINGER_BYTES) {
                closeNow();
            }
        } catch (IOException e) {
            closeNow();
        }
    }

    private void abort() {
        try {
            if (channel.isConnected()) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException e) {
            LOG.debug("SO_LINGER could not be set on a connection that is being aborted", e);
        }
        closeNow();
    }

    /** Closes at once, whatever is left unsent. */
    void closeNow() {
        if (closed) {
            return;
        }
        closed = true;
        unsent.drop();
        if (tls != null) {
            tls.free();
        }
        if (closeTimer != null) {
            loop.cancel(closeTimer);
        }
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("a connection did not close in order", e);
        }
        owner.closed(this);
    }

    private void updateInterest() {
        if (closed || !channel.isConnected()) {
            return;
        }
        int ops = (readable && !inputEnded && readsTls() ? SelectionKey.OP_READ : 0) | (!unsent.none() ? SelectionKey.OP_WRITE : 0);
        if (key.interestOps() != ops) {
            key.interestOps(ops);
        }
    }

    private boolean readsTls() {
        if (tls == null || closing != null) {
            return tls == null || !tls.working();
        }
        return !tls.working() && !unreadable && unsent.size() <= MOST_UNSENT;
    }
}
