package dev.weft.session;

import dev.weft.relay.MessageChange;
import dev.weft.smtp.EndOfData;
import dev.weft.smtp.Stuffing;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A held message on its way to the server: changed as was decided, stuffed anew, guarded where it is not the client's own. */
final class HeldSending {

    private static final byte[] CRLF = {'\r', '\n'};

    private final SmtpSession session;
    private final MessageStore.Kept kept;
    private final TransactionState transaction;
    private final MessageChange change;
    private final HeldView view;
    private final Stuffing stuffing = new Stuffing();
    /** Null for what passed the guard when it came. */
    private final EndOfData guard;
    private MessageStore.Source body;
    private ByteBuffer head;
    private long offset;
    /** Whether the piece that was asked for last is the client's own. */
    private boolean fromKept;
    /** The last piece, stuffed: it leaves with what comes behind it, so that the end does not go alone. */
    private ByteBuffer last;

    HeldSending(SmtpSession session, MessageStore.Kept kept, HeldView view, MessageChange change, TransactionState transaction) {
        this.session = session;
        this.kept = kept;
        this.view = view;
        this.change = change;
        this.transaction = transaction;
        this.guard = change.replacedBody().isPresent() ? new EndOfData(session.settings.bareLineEnds()) : null;
    }

    /** The server waits for the message. */
    void begin() {
        if (!change.isNone()) {
            head = ByteBuffer.wrap(change.apply(view.original()).bytes());
            offset = view.original().length();
        }
        change.replacedBody().ifPresent(replacement -> {
            var withSeparator = new byte[head.remaining() + CRLF.length];
            head.get(withSeparator, 0, head.remaining());
            System.arraycopy(CRLF, 0, withSeparator, withSeparator.length - CRLF.length, CRLF.length);
            head = ByteBuffer.wrap(withSeparator);
            body = session.port.messageStore().read(replacement);
        });
    }

    /** The next piece of the message, none at the end. */
    CompletionStage<ByteBuffer> next(int most) {
        if (head != null && head.hasRemaining()) {
            var first = head;
            head = null;
            return CompletableFuture.completedFuture(first);
        }
        if (body != null) {
            return body.next(most);
        }
        fromKept = true;
        return kept.read(offset, most);
    }

    /** Sends a piece; false if it holds what some receiver could take for the end. */
    boolean send(ByteBuffer piece) {
        if (fromKept) {
            offset += piece.remaining();
        }
        var wire = stuffing.write(piece);
        if (guard != null && guard.scan(wire) != EndOfData.Status.MORE) {
            return false;
        }
        leave();
        last = wire;
        return true;
    }

    private void leave() {
        if (last != null) {
            transaction.messageBytes += last.remaining();
            session.port.write(Leg.SERVER, last);
            last = null;
        }
    }

    /**
     * The octets that end the message, with what has not left before: some receivers, and boxes on the way, take a marker in a
     * packet of its own badly.
     *
     * @return null if the last line and the end make what some receiver could take for an earlier end
     */
    ByteBuffer end() {
        var end = stuffing.end();
        if (guard != null && guard.scan(ByteBuffer.wrap(end)) != EndOfData.Status.END) {
            return null;
        }
        if (last == null) {
            return ByteBuffer.wrap(end);
        }
        var both = ByteBuffer.allocate(last.remaining() + end.length).put(last).put(end);
        last = null;
        return both.flip();
    }

    void close() {
        if (body != null) {
            body.close();
        }
    }
}
