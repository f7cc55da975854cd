package dev.weft.session;

import dev.weft.relay.Notice;
import dev.weft.smtp.BareLineEnds;
import dev.weft.smtp.Command;
import dev.weft.smtp.EndOfData;
import dev.weft.smtp.Header;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Stuffing;
import dev.weft.smtp.Unstuffing;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The message path <i>stream</i>, and the flow of <i>hold the dot</i>: bytes go on as they come. If nothing may go on any more,
 * the server leg is dropped without end-of-data, the client's message is read to its true end, and one reply is given there.
 */
final class MessageRelay {

    static final byte[] CR = {'\r'};
    private static final byte[] CRLF = {'\r', '\n'};
    private static final byte[] LF = {'\n'};
    /** The marker's own octets, once the last line's CRLF is counted to the message (RFC 5321 §4.1.1.4). */
    private static final int MARKER = ".\r\n".length();

    private final SmtpSession session;
    private EndOfData endOfData;
    private Command command;
    private long chunkLeft;
    private Entry chunk;
    private long lastByte = Long.MIN_VALUE;
    /** Makes the message out of what passes, where somebody reads or counts it; else null. */
    private Unstuffing unstuffing;
    private MessagePlan plan;
    /** Whose message is counted. */
    private TransactionState counted;
    /** Why the message may not go on. */
    private Reply refusal;
    /** The chunk that the client said is its last, while its octets go on as one that is not. */
    private Command lastChunk;
    /** What the client is told at the true end of a message that goes nowhere. */
    private Reply finalReply;

    MessageRelay(SmtpSession session) {
        this.session = session;
    }

    /** The server said 354 and the client was told. */
    void beginData(Command data) {
        command = data;
        endOfData = new EndOfData(session.settings.bareLineEnds());
        finalReply = null;
        session.client.phase = ClientPhase.DATA;
        begin(session.transaction);
        unstuffing = plan != null || session.uses.limit() != Long.MAX_VALUE ? new Unstuffing() : null;
        if (plan != null) {
            prepend(plan.prepended());
        }
    }

    private void begin(TransactionState transaction) {
        plan = transaction == null ? null : transaction.plan;
        refusal = null;
        if (counted == null || counted != transaction) {
            counted = transaction;
            session.meter.begin(session.now());
        } else {
            session.meter.goOn(session.now());
        }
    }

    private void prepend(List<Header> headers) {
        for (var header : headers) {
            var wire = new Stuffing().write(ByteBuffer.wrap(header.bytes()));
            session.transaction.messageBytes += wire.remaining();
            session.port.write(Leg.SERVER, wire);
        }
    }

    /** Shows and counts what passes, before it does. */
    private void see(ByteBuffer in, int passed, boolean releasesCr) {
        if (unstuffing != null) {
            if (releasesCr) {
                unstuffing.read(ByteBuffer.wrap(CR), this::see);
            }
            unstuffing.read(in.duplicate().limit(in.position() + passed), this::see);
        }
    }

    private void see(ByteBuffer piece) {
        if (refusal != null) {
            return;
        }
        if (session.meter.exceeds(piece.remaining(), session.uses.limit())) {
            refusal = Answers.TOO_LARGE;
        } else if (plan != null && !plan.read(piece)) {
            refusal = Answers.HANDLER_FAILED;
        }
    }

    void data(ByteBuffer in) {
        var forward = session.client.phase == ClientPhase.DATA;
        var status = endOfData.scan(in);
        int passed = endOfData.passed();
        var releasesCr = endOfData.releasesCr();
        session.meter.received(passed, session.now());
        if (forward) {
            see(in, passed, releasesCr);
        }
        var refused = forward && refusal != null;
        // With the CR gone before, or withheld, it is the LF alone that completes the marker.
        int withheld = status == EndOfData.Status.END && forward && plan != null && plan.holdsTheDot() ? Math.min(2, passed) : 0;
        var held = !refused && withheld > 0 ? in.duplicate().limit(in.position() + passed - withheld) : null;
        if (forward && !refused && held == null) {
            forward(in, passed, releasesCr);
        } else {
            in.position(in.position() + passed);
        }
        switch (status) {
            case MORE -> {
                in.position(in.limit()); // but for a withheld CR, all of it
                if (refused) {
                    drain(refusal);
                }
            }
            case END -> {
                endOfData = null;
                if (refused) {
                    drain(refusal);
                    endOfMessage(false);
                } else if (held != null) {
                    var lacking = withheld == 2 || releasesCr ? CRLF : LF;
                    session.transaction.messageBytes += held.remaining() + lacking.length - MARKER;
                    session.heldDot.hold(command, session.transaction, lacking, held);
                } else {
                    endOfMessage(forward);
                }
            }
            case REFUSED -> {
                endOfData = endOfData.draining();
                var bare = session.settings.bareLineEnds() == BareLineEnds.REFUSE;
                session.notice(Notice.Kind.SMUGGLING_REFUSED, bare ? "bare CR or LF" : "a dot between bare CR or LF");
                drain(bare ? Answers.BARE_IN_MESSAGE : Answers.SMUGGLING);
            }
        }
    }

    private void forward(ByteBuffer in, int passed, boolean releasesCr) {
        var transaction = session.transaction;
        if (transaction != null) {
            transaction.messageBytes += passed + (releasesCr ? 1 : 0);
        }
        if (releasesCr) {
            session.port.write(Leg.SERVER, CR);
        }
        int limit = in.limit();
        in.limit(in.position() + passed);
        session.port.write(Leg.SERVER, in);
        in.limit(limit);
    }

    private void endOfMessage(boolean forwarded) {
        session.client.phase = ClientPhase.COMMAND;
        var transaction = session.transaction;
        if (forwarded) {
            if (transaction != null) {
                transaction.messageBytes -= MARKER;
                sent(transaction);
            }
            session.queue.add(Entry.message(command, transaction, session.now()));
        } else {
            giveFinalReply(transaction);
        }
    }

    /** What was held back of the end goes: from now on only the server knows. */
    void end(Command of, TransactionState transaction, ByteBuffer end) {
        command = of;
        sent(transaction);
        session.queue.add(Entry.message(of, transaction, session.now()));
        session.port.write(Leg.SERVER, end);
    }

    /** The reply to a message that the server did not get whole, given where the client waits for it. */
    void refuseHere(Command of, TransactionState transaction, Reply reply, boolean endsSession) {
        transaction.finish(reply);
        var entry = Entry.local(of, transaction, reply, session.now());
        entry.endsSession = endsSession;
        session.answer(entry);
        if (session.transaction != transaction) {
            return;
        }
        if (session.server.phase == ServerPhase.READY) {
            session.commands.resetServer();
        } else {
            session.transaction = null;
        }
    }

    /** A held message that can't pass is read to its end, and answered there. */
    void drainHeld(Command data, EndOfData rest, Reply reply) {
        command = data;
        endOfData = rest;
        finalReply = reply;
        session.client.phase = ClientPhase.DRAIN_DATA;
    }

    private void giveFinalReply(TransactionState transaction) {
        var reply = finalReply;
        finalReply = null;
        if (transaction != null && session.server.phase == ServerPhase.READY) {
            refuseHere(command, transaction, reply, false);
            return;
        }
        if (transaction != null) {
            transaction.finish(reply);
            session.transaction = null;
        }
        session.answer(Entry.local(command, transaction, reply, session.now()));
    }

    /** A BDAT passed; its octets follow (RFC 3030 §2). */
    void beginChunk(Entry entry) {
        chunk = entry;
        command = entry.command;
        beginOctets(entry.transaction);
    }

    /** The last chunk of a message whose end is held: what the server gets is a chunk that is not the last. */
    void beginLastChunk(Command last) {
        lastChunk = last;
        chunk = session.heldDot.sendChunk(last);
        command = last;
        beginOctets(session.transaction);
    }

    private void beginOctets(TransactionState transaction) {
        chunkLeft = command.chunkSize().orElseThrow();
        finalReply = null;
        unstuffing = null; // a chunk has no dots of transparency (RFC 3030 §2)
        session.client.phase = ClientPhase.CHUNK;
        begin(transaction);
        if (chunkLeft == 0) {
            endOfChunk();
        }
    }

    /** Whether a chunk makes the message too large. */
    boolean tooLarge(Command bdat) {
        long limit = session.uses.limit();
        long octets = bdat.chunkSize().orElseThrow();
        return limit != Long.MAX_VALUE && (counted == session.transaction ? session.meter.wouldExceed(octets, limit) : octets > limit);
    }

    void chunk(ByteBuffer in) {
        int octets = (int) Math.min(chunkLeft, in.remaining());
        session.meter.received(octets, session.now());
        if (session.client.phase == ClientPhase.CHUNK) {
            see(in.asReadOnlyBuffer().limit(in.position() + octets).slice());
        }
        if (session.client.phase == ClientPhase.CHUNK && refusal == null) {
            forward(in, octets, false);
        } else {
            in.position(in.position() + octets);
        }
        chunkLeft -= octets;
        if (session.client.phase == ClientPhase.CHUNK && refusal != null) {
            new ServerLoss(session).refusedInChunk(refusal);
        }
        if (chunkLeft == 0) {
            endOfChunk();
        }
    }

    private void endOfChunk() {
        var forwarded = session.client.phase == ClientPhase.CHUNK;
        session.client.phase = ClientPhase.COMMAND;
        lastByte = session.now();
        var last = lastChunk;
        lastChunk = null;
        if (!forwarded) {
            endOfDrainedChunk();
        } else if (last != null) {
            session.heldDot.holdChunk(last, session.transaction);
        } else if (chunk.kind == Entry.Kind.MESSAGE && chunk.transaction != null) {
            sent(chunk.transaction);
        }
    }

    /**
     * What the client sends from now on belongs to no transaction until the next MAIL, though the reply to this one is to come.
     */
    private void sent(TransactionState transaction) {
        transaction.messageSent = true;
        if (session.transaction == transaction) {
            session.transaction = null;
        }
    }

    /** A BDAT that does not pass: its octets are read, then it is answered. */
    void drainChunk(Command bdat, Reply reply) {
        command = bdat;
        chunkLeft = bdat.chunkSize().orElseThrow();
        finalReply = reply;
        session.client.phase = ClientPhase.DRAIN_CHUNK;
        session.meter.goOn(session.now());
        if (chunkLeft == 0) {
            endOfChunk();
        }
    }

    private void endOfDrainedChunk() {
        var transaction = session.transaction;
        if (session.server.phase == ServerPhase.ABSENT) {
            giveFinalReply(transaction);
            return;
        }
        if (transaction != null) {
            transaction.refused(finalReply);
        }
        session.answer(Entry.local(command, transaction, finalReply, session.now()));
        session.commands.endRefused();
    }

    /** The entry of a chunk whose octets are on their way, or null. */
    Entry unfinishedChunk() {
        return session.client.phase == ClientPhase.CHUNK ? chunk : null;
    }

    /** When the last octet of this entry's chunk went. */
    long lastByte(Entry entry) {
        return entry == chunk ? lastByte : Long.MIN_VALUE;
    }

    /** Whether the server may not answer this entry yet, since its octets are still on their way. */
    boolean unfinished(Entry entry) {
        return session.client.phase == ClientPhase.CHUNK && entry == chunk;
    }

    /**
     * The server answered before the message had ended. A refusal is given once, at the client's end-of-data; anything else can't
     * be an answer to a message that was not complete.
     */
    void earlyReply(Reply reply) {
        session.notice(Notice.Kind.EARLY_REPLY, reply);
        drain(toPart(reply));
    }

    /** What the server's reply to a part of a message is worth. */
    static Reply toPart(Reply reply) {
        return reply.isTransient() || reply.isPermanent() ? reply : Answers.EARLY_ACCEPTANCE;
    }

    /** Nothing of this message goes on any more: the server leg goes, the client's bytes are read to the true end. */
    void drain(Reply reply) {
        finalReply = reply;
        session.server.drop(Closing.ABORT);
        if (session.heldDot.holding()) {
            session.heldDot.lost(reply);
        } else if (session.holding.sending()) {
            session.holding.lost(reply);
        } else if (session.client.phase == ClientPhase.CHUNK) {
            session.client.phase = ClientPhase.DRAIN_CHUNK;
        } else {
            if (endOfData != null && session.client.phase == ClientPhase.DATA) {
                endOfData = endOfData.draining();
            }
            session.client.phase = ClientPhase.DRAIN_DATA;
        }
    }

    /** Whether a message is on its way to the server, so that its leg must not end in good order. */
    boolean flowing() {
        return session.client.phase == ClientPhase.DATA || session.client.phase == ClientPhase.CHUNK
                || session.heldDot.holding() || session.holding.sending();
    }
}
