package dev.weft.session;

import dev.weft.relay.MessageChange;
import dev.weft.session.Judge.Decision;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The message path <i>hold the dot</i>: all of a message left but its end, which waits for the readers' verdict. What holds the
 * end back is the last octets of the marker, or with BDAT an empty last chunk of our own: command and octets together are
 * acceptance (RFC 3030 §2).
 */
final class HeldDot {

    private static final byte[] LAST_CHUNK = "BDAT 0 LAST\r\n".getBytes(StandardCharsets.US_ASCII);

    private final SmtpSession session;
    private Command command;
    private TransactionState transaction;
    /** What the server lacks; null if nothing is held. */
    private byte[] end;
    /** What came with the end, until it is known whether they go together; null else. */
    private ByteBuffer tail;
    /** The last chunk, sent as one that is not the last, while its reply is outstanding. */
    private Command chunk;
    /** The verdict, while earlier replies are outstanding. */
    private Decision<MessageChange> decision;

    HeldDot(SmtpSession session) {
        this.session = session;
    }

    boolean holding() {
        return end != null;
    }

    /**
     * Sends the last chunk so that another can follow it.
     *
     * @return what the server answers; null if the chunk is empty, so that nothing was sent
     */
    Entry sendChunk(Command last) {
        long octets = last.chunkSize().orElseThrow();
        chunk = octets == 0 ? null : Command.of("BDAT " + octets);
        if (chunk == null) {
            return null;
        }
        var entry = Entry.own(chunk, session.now());
        session.queue.add(entry);
        session.port.write(Leg.SERVER, chunk.bytes());
        return entry;
    }

    /** All chunks left, and none of them was the last. */
    void holdChunk(Command last, TransactionState of) {
        holdBack(last, of, LAST_CHUNK);
    }

    /**
     * The message is whole but for these octets.
     *
     * @param before what came with them and has not left: it goes at once, with the end where that may go at once
     */
    void hold(Command data, TransactionState of, byte[] lacking, ByteBuffer before) {
        chunk = null;
        tail = before;
        holdBack(data, of, lacking);
        sendTail();
    }

    private void sendTail() {
        if (tail != null) {
            session.port.write(Leg.SERVER, tail);
            tail = null;
        }
    }

    private void holdBack(Command of, TransactionState in, byte[] lacking) {
        command = of;
        transaction = in;
        end = lacking;
        decision = null;
        session.client.phase = ClientPhase.JUDGED;
        in.plan.ask(null, this::decided);
    }

    private void decided(Decision<MessageChange> verdict) {
        if (holding()) {
            decision = verdict;
            resume();
        }
    }

    /** Acts on the verdict, once the replies to earlier chunks have come: a refused chunk is not to be followed by another. */
    void resume() {
        if (!holding() || chunk != null || !session.queue.isEmpty()) {
            return;
        }
        if (command.verb() == Verb.BDAT && transaction.chunkRefused) {
            cancel(); // what the readers saw is not what the server has
            finish(Answers.CHUNK_REFUSED, false);
            return;
        }
        if (decision == null) {
            return;
        }
        if (decision instanceof Decision.Refuse<MessageChange> refusal) {
            sendTail();
            session.server.drop(Closing.ABORT);
            finish(refusal.reply(), refusal.endsSession());
        } else {
            release();
        }
    }

    private void release() {
        var lacking = end;
        end = null;
        session.client.phase = ClientPhase.COMMAND;
        session.message.end(command, transaction, behindTail(lacking));
    }

    private ByteBuffer behindTail(byte[] lacking) {
        if (tail == null) {
            return ByteBuffer.wrap(lacking);
        }
        var both = ByteBuffer.allocate(tail.remaining() + lacking.length).put(tail).put(lacking).flip();
        tail = null;
        return both;
    }

    /** The server's answer to the chunk that was sent as one that is not the last; false if this is none of it. */
    boolean answered(Command own, Reply reply) {
        if (chunk == null || own != chunk) {
            return false;
        }
        chunk = null;
        if (reply.isPositive()) {
            return true;
        }
        if (holding() && reply.code() != 421) {
            cancel();
            finish(reply, false);
        }
        return true;
    }

    /** The server leg is dropped: its early reply, or what became of it, is the message's. */
    void lost(Reply reply) {
        cancel();
        chunk = null;
        finish(reply, false);
    }

    private void cancel() {
        if (session.judge.waiting()) {
            session.judge.cancel();
        }
    }

    private void finish(Reply reply, boolean endsSession) {
        end = null;
        session.client.phase = ClientPhase.COMMAND;
        session.message.refuseHere(command, transaction, reply, endsSession);
    }
}
