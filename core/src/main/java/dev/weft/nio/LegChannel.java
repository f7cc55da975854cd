package dev.weft.nio;

import dev.weft.session.Closing;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsFacts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One leg's connection on its loop: reads, writes, and closes in one of three ways. It knows bytes and nothing else.
 */
final class LegChannel implements EventLoop.Ready {

    private static final Logger LOG = LoggerFactory.getLogger(LegChannel.class);

    private final EventLoop loop;
    private final SocketChannel channel;
    private LegOwner owner;
    private final SelectionKey key;
    private final LegOutput output;

    private boolean readable = true;
    private boolean inputEnded;
    /** TLS failed: what comes can't be read any more, only be waited for while the leg closes. */
    private boolean unreadable;
    /** How it closes; null while it does not. */
    private LegClosing closing;
    private boolean closed;
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
        this.output = new LegOutput(this, channel, collected);
        int first = channel.isConnected() ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT;
        this.key = channel.register(loop.selector(), first, this);
    }

    /**
     * Takes over on another loop what was detached from its own.
     *
     * @param from the leg as it was there, detached, with its key out of the selector
     * @throws IOException if it was closed on the way
     */
    static LegChannel adopt(EventLoop loop, LegChannel from, LegOwner owner, ByteBuffer collected) throws IOException {
        var adopted = new LegChannel(loop, from.channel, owner, collected);
        if (from.tls != null) {
            adopted.secure(new TlsLayer(loop, adopted, from.tls));
        }
        return adopted;
    }

    /** Whether nothing is under way: nothing to be sent, no work on TLS, no end of either direction. */
    boolean quiet() {
        return !closed && closing == null && !inputEnded && output.quiet() && (tls == null || tls.quiet());
    }

    /**
     * Lets a quiet leg go, to be adopted by another loop once {@link EventLoop#afterSelect} says that the key is out of this
     * one's selector. This object does nothing more, and tells its owner nothing.
     */
    void detach() {
        closed = true;
        output.over();
        key.cancel();
    }

    /** Closes what was detached and is not adopted any more. */
    void abandon() {
        if (tls != null) {
            tls.free();
        }
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("a detached connection did not close in order", e);
        }
    }

    /** Looks for what has come but was not told yet, so that a dead leg is found before it is used. */
    void readNow() {
        if (!closed && channel.isConnected() && !inputEnded) {
            read();
        }
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
        secure(new TlsLayer(loop, this, engine, workers));
        tls.begin();
    }

    private void secure(TlsLayer layer) {
        tls = layer;
        output.secure(layer);
    }

    /** Whether TLS was begun on it. */
    boolean secure() {
        return tls != null;
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
        if (ready.isWritable() && !output.allTaken()) {
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
            if (output.failure() != null) {
                brokenInput(output.failure()); // what it said last can't be taken in, and to wait for that would spin
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
        if (count < 0 && output.failure() != null) {
            brokenInput(output.failure());
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

    /** A worker took the TLS engine or gave it back, or there is something to be sent. */
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
        if (closing()) {
            bytes.position(bytes.limit());
        } else {
            output.write(bytes);
        }
    }

    /** Sends what was collected within the event. */
    void flush() {
        output.flush();
    }

    /** Sends bytes as they are to go over the wire. */
    void sendRaw(ByteBuffer bytes) {
        output.sendRaw(bytes);
    }

    private void writePending() {
        if (!output.goOn()) {
            return;
        }
        updateInterest();
        if (closing == null) {
            output.drained();
            owner.drained(this);
        } else if (tls == null || !tls.working()) {
            allSent();
        }
    }

    /**
     * A peer that closed may have said why: what it sent is read first, and its end is found there. Only where nothing can be
     * read any more is the break told at once.
     */
    void outputBroke(IOException e) {
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
        return output.takesNoMore();
    }

    void pauseReading() {
        readable = output.failure() != null;
        updateInterest();
    }

    void resumeReading() {
        readable = true;
        updateInterest();
    }

    /** Half-closes: the peer is told that no more comes behind what was written, and is still read. */
    void endOutput() {
        output.end();
    }

    /** Closes; the owner hears no more of this leg but {@link LegOwner#closed}. */
    void close(Closing how) {
        close(how, LegClosing.patience(how));
    }

    /** Closes with a patience of the caller's own. */
    void close(Closing how, long patienceNanos) {
        if (closed || closing != null) {
            return;
        }
        if (how == Closing.ABORT && tls != null && tls.alerted() && output.failure() == null) {
            // A reset could take the alert from the peer, who is to read why.
            close(Closing.LINGER, LegClosing.patience(Closing.AWAIT_PEER));
            return;
        }
        closing = new LegClosing(this, loop, channel, how);
        if (how == Closing.ABORT || !channel.isConnected()) {
            output.forgetCollected();
            closing.reset();
            return;
        }
        boolean engineHere = output.sayLast();
        readable = true;
        if (closed) {
            return;
        }
        closing.waitFor(patienceNanos);
        if (output.allTaken() && engineHere) {
            allSent();
        } else {
            updateInterest();
        }
    }

    /** A worker gave the TLS engine back to a leg that was told to close meanwhile. */
    void closeGoesOn() {
        output.sayLast();
        if (!closed && output.allTaken()) {
            allSent();
        } else {
            updateInterest();
        }
    }

    private void allSent() {
        if (inputEnded) {
            closeNow();
        } else if (closing.endOutput()) {
            updateInterest();
        }
    }

    private void drain() {
        if (closing.drained()) {
            return;
        }
        inputEnded = true;
        if (output.allTaken()) {
            closeNow();
        } else {
            updateInterest();
        }
    }

    /** Closes at once, whatever is left unsent. */
    void closeNow() {
        if (closed) {
            return;
        }
        closed = true;
        output.over();
        if (tls != null) {
            tls.free();
        }
        if (closing != null) {
            closing.over();
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
        int ops = (readable && !inputEnded && readsTls() ? SelectionKey.OP_READ : 0)
                | (output.allTaken() ? 0 : SelectionKey.OP_WRITE);
        if (key.interestOps() != ops) {
            key.interestOps(ops);
        }
    }

    private boolean readsTls() {
        if (tls == null || closing != null) {
            return tls == null || !tls.working();
        }
        return !tls.working() && !unreadable && !output.tooMuch();
    }
}
