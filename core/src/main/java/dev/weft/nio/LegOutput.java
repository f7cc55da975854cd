package dev.weft.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * What goes out on one leg: it is collected within an event, made records of where there is TLS, and kept as long as the socket does
 * not take it.
 */
final class LegOutput {

    /** Writes from this size on go to the socket without being collected first. */
    private static final int DIRECT_WRITE = 2048;

    /**
     * A TLS engine answers some records of its own accord, such as a request for new keys (RFC 8446 §4.6.3), of which its owner
     * hears nothing. A peer that sends them without end and reads nothing is read no further from here on.
     */
    private static final int MOST_UNSENT = 512 * 1024;

    private final LegChannel leg;
    private final SocketChannel channel;
    private final ByteBuffer collected;
    private final Unsent unsent = new Unsent();
    /** Null while the leg is in clear. */
    private TlsLayer tls;
    private boolean blockedUntold;
    /** Why nothing can be written any more; null while it can. */
    private IOException failure;
    /** The peer is to be told that no more comes. */
    private boolean ends;
    private boolean over;

    /**
     * Nothing was written yet.
     *
     * @param collected the loop's buffer that collects what is written to this leg within one event
     */
    LegOutput(LegChannel leg, SocketChannel channel, ByteBuffer collected) {
        this.leg = leg;
        this.channel = channel;
        this.collected = collected;
    }

    /** From now on all goes through TLS. */
    void secure(TlsLayer layer) {
        tls = layer;
    }

    /** Whether nothing is under way. */
    boolean quiet() {
        return !ends && failure == null && unsent.none();
    }

    /** Whether the socket has taken all that it was given. */
    boolean allTaken() {
        return unsent.none();
    }

    /** Whether so much is unsent that the peer, who causes it, is not to be read. */
    boolean tooMuch() {
        return unsent.size() > MOST_UNSENT;
    }

    /** Why nothing can be written any more; null while it can. */
    IOException failure() {
        return failure;
    }

    /** Writes after what was written before; what the socket does not take is kept. */
    void write(ByteBuffer bytes) {
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
            if (!over) {
                writeNow(collected);
            }
            collected.clear();
        }
    }

    /** Sends what was collected, and in TLS close_notify along with it; false if a worker has the engine. */
    boolean sayLast() {
        if (tls == null) {
            flush();
            return true;
        }
        boolean engineHere = tls.closeOutput(collected.flip());
        collected.clear();
        return engineHere;
    }

    /** Nobody is to hear what was collected. */
    void forgetCollected() {
        collected.clear();
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
        if (failure != null || over) {
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
            broke(e);
            bytes.position(bytes.limit());
            return;
        }
        if (bytes.hasRemaining()) {
            keep(bytes);
            blockedUntold = true;
            leg.interestChanged();
        }
    }

    private void keep(ByteBuffer bytes) {
        unsent.keep(bytes);
        if (tls != null && tooMuch()) {
            leg.interestChanged();
        }
    }

    /** The socket takes more now; true if it took the rest. */
    boolean goOn() {
        try {
            return unsent.writeTo(channel);
        } catch (IOException e) {
            broke(e);
            return false;
        }
    }

    /** All has left, and the owner is about to be told. */
    void drained() {
        if (ends) {
            shutdown();
        }
        blockedUntold = false;
    }

    private void broke(IOException e) {
        failure = e;
        unsent.drop();
        blockedUntold = false;
        leg.outputBroke(e);
    }

    /** Whether the socket takes no more for now; true once for each time that it stops. */
    boolean takesNoMore() {
        boolean told = blockedUntold;
        blockedUntold = false;
        return told;
    }

    /** Half-closes behind what was written. */
    void end() {
        flush();
        ends = true;
        if (unsent.none()) {
            shutdown();
        }
    }

    private void shutdown() {
        try {
            if (!over) {
                channel.shutdownOutput();
            }
        } catch (IOException e) {
            broke(e);
        }
    }

    /** The leg is closed, or another's: nothing leaves any more, whatever is unsent. */
    void over() {
        over = true;
        unsent.drop();
    }
}
