package dev.weft.session;

import dev.weft.relay.MessageChange;
import dev.weft.relay.Notice;
import dev.weft.relay.Stage;
import dev.weft.session.Judge.Decision;
import dev.weft.smtp.BareLineEnds;
import dev.weft.smtp.Command;
import dev.weft.smtp.EndOfData;
import dev.weft.smtp.Headers;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Unstuffing;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The message path <i>hold</i>: the whole message is kept before the server hears of it, then judged, then sent.
 *
 * <pre>
 * NONE     -> KEEPING (354 of the proxy's own)
 * KEEPING  -> SEALING (end-of-data) | NONE (it can't pass: the rest is drained)
 * SEALING  -> JUDGING (all is kept, the header is read)
 * JUDGING  -> ASKING (approved: DATA is sent) | REOPENING (approved, and the server leg is gone) | NONE (refused)
 * REOPENING -> ASKING (a fresh leg accepted the envelope again) | NONE (it did not)
 * ASKING   -> SENDING (354) | NONE (the server's refusal is the message's reply)
 * SENDING  -> NONE (end-of-data sent, or the server leg dropped before it)
 * </pre>
 */
final class HoldPath {

    private static final Command DATA = Command.of("DATA");
    /** What is read of a header at most. */
    private static final int LONGEST_HEADER = 256 * 1024;
    /** The marker's own octets: behind a message without a last CRLF there is one more to send, which counts to the message. */
    private static final int MARKER = ".\r\n".length();
    private static final int PIECE = 32 * 1024;

    private enum Step { NONE, KEEPING, SEALING, JUDGING, REOPENING, ASKING, SENDING }

    private final SmtpSession session;
    final StoreWait store;
    private Step step = Step.NONE;
    private Command command;
    private TransactionState transaction;
    private MessageStore.Kept kept;
    private EndOfData endOfData;
    private Unstuffing unstuffing;
    private long size;
    private Reply refusal;
    private CompletionStage<?> lastAppend;
    private ByteArrayOutputStream beginning;
    private HeldView view;
    private HeldSending sending;
    /** What a fresh leg is told first; null until it is there. */
    private EnvelopeAgain envelope;
    private long asked;

    HoldPath(SmtpSession session) {
        this.session = session;
        this.store = new StoreWait(session, this::storeFailed);
    }

    boolean active() {
        return step != Step.NONE;
    }

    /** Whether the server leg is in the midst of the message. */
    boolean sending() {
        return step == Step.SENDING;
    }

    /** DATA, with all earlier replies given: so the client may be told to go on before the server is asked (RFC 5321 §4.3.1). */
    void begin(Command data, TransactionState of) {
        command = data;
        transaction = of;
        kept = session.port.messageStore().keep();
        endOfData = new EndOfData(session.settings.bareLineEnds());
        unstuffing = new Unstuffing();
        size = 0;
        refusal = null;
        lastAppend = null;
        step = Step.KEEPING;
        session.client.phase = ClientPhase.HOLD;
        session.meter.begin(session.now());
        session.answer(Entry.local(data, of, Answers.SEND_MESSAGE, session.now()));
    }

    /** Octets of the message. */
    void data(ByteBuffer in) {
        var status = endOfData.scan(in);
        int passed = endOfData.passed();
        session.meter.received(passed, session.now());
        if (endOfData.releasesCr()) {
            unstuffing.read(ByteBuffer.wrap(MessageRelay.CR), this::keep);
        }
        unstuffing.read(in.duplicate().limit(in.position() + passed), this::keep);
        in.position(status == EndOfData.Status.MORE ? in.limit() : in.position() + passed);
        switch (status) {
            case MORE -> {
                if (refusal != null) {
                    refuse(refusal);
                } else if (lastAppend != null && !StoreWait.done(lastAppend)) {
                    store.await(lastAppend, ready -> { });
                }
            }
            case END -> {
                session.client.phase = ClientPhase.JUDGED;
                step = Step.SEALING;
                if (refusal != null) {
                    refuse(refusal);
                } else {
                    beginning = new ByteArrayOutputStream();
                    store.when(kept.seal(), sealed -> readHeader());
                }
            }
            case REFUSED -> {
                var bare = session.settings.bareLineEnds() == BareLineEnds.REFUSE;
                session.notice(Notice.Kind.SMUGGLING_REFUSED, bare ? "bare CR or LF" : "a dot between bare CR or LF");
                refuse(bare ? Answers.BARE_IN_MESSAGE : Answers.SMUGGLING);
            }
        }
    }

    private void keep(ByteBuffer piece) {
        size += piece.remaining();
        if (refusal != null) {
            return;
        }
        if (session.meter.exceeds(piece.remaining(), session.uses.limit())) {
            refusal = Answers.TOO_LARGE;
        } else if (!transaction.plan.read(piece)) {
            refusal = Answers.HANDLER_FAILED;
        } else {
            lastAppend = kept.append(piece);
        }
    }

    private void readHeader() {
        store.when(kept.read(beginning.size(), PIECE), this::header);
    }

    private void header(ByteBuffer piece) {
        var last = !piece.hasRemaining();
        var octets = new byte[piece.remaining()];
        piece.get(octets);
        beginning.writeBytes(octets);
        var bytes = beginning.toByteArray();
        var whole = last || Headers.whole(bytes);
        if (!whole && bytes.length < LONGEST_HEADER) {
            readHeader();
            return;
        }
        beginning = null;
        // Where the header is cut, its last field may go on.
        var headers = Headers.parse(whole ? bytes : Arrays.copyOf(bytes, Math.max(0, Headers.parse(bytes).length() - 1)));
        view = new HeldView(kept, headers, size);
        step = Step.JUDGING;
        transaction.plan.ask(view, this::decided);
    }

    private void decided(Decision<MessageChange> decision) {
        if (step != Step.JUDGING) {
            return;
        }
        if (decision instanceof Decision.Refuse<MessageChange> refused) {
            finish(refused.reply(), refused.endsSession());
        } else if (decision instanceof Decision.Pass<MessageChange> pass) {
            sending = new HeldSending(session, kept, view, pass.value(), transaction);
            send();
        }
    }

    private void send() {
        if (session.server.phase != ServerPhase.READY) {
            step = Step.REOPENING;
            envelope = null;
            session.server.replace();
            return;
        }
        step = Step.ASKING;
        asked = session.now();
        session.queue.add(Entry.own(DATA, asked));
        session.port.write(Leg.SERVER, DATA.bytes());
    }

    /** The server's answer to a command of this path's own; false if it is none. */
    boolean answered(Command own, Reply reply) {
        if (step == Step.REOPENING && envelope != null && envelope.awaits(own)) {
            envelopeAnswered(reply);
            return true;
        }
        if (step != Step.ASKING || own != DATA) {
            return false;
        }
        transaction.times().add(Stage.DATA, session.now() - asked);
        if (reply.isIntermediate()) {
            step = Step.SENDING;
            sending.begin();
        } else if (reply.code() == 421) {
            transaction.refused(reply);
            session.server.saidItself = true;
            forget();
        } else {
            finish(reply, false);
        }
        return true;
    }

    private void envelopeAnswered(Reply reply) {
        if (reply.code() == 421) {
            transaction.refused(reply); // the client is given it, and the session ends
            session.server.saidItself = true;
            forget();
        } else if (!envelope.answered(reply)) {
            finish(Answers.ENVELOPE_NOT_ACCEPTED_AGAIN, false);
        } else if (envelope.done()) {
            send();
        } else {
            envelope.go();
        }
    }

    /** Goes on, as far as store and server let it. */
    void resume() {
        if (step == Step.REOPENING && envelope == null && session.server.phase == ServerPhase.READY) {
            envelope = new EnvelopeAgain(session, transaction);
            envelope.go();
        }
        int budget = 2 * PIECE;
        while (step == Step.SENDING && !store.waiting() && !session.waits.isBlocked(Leg.SERVER)) {
            var next = sending.next(PIECE);
            // A piece that is there already is sent at once, but only some of them in one event: others have their turn, and a
            // server that takes no more is noticed between two events.
            if (budget > 0 && next instanceof CompletableFuture<ByteBuffer> future && StoreWait.done(future)) {
                var piece = future.join();
                budget -= piece.remaining();
                send(piece);
            } else {
                store.await(next, this::send);
            }
        }
    }

    private void send(ByteBuffer piece) {
        if (piece.hasRemaining()) {
            if (!sending.send(piece)) {
                failSmuggling();
            }
            return;
        }
        var end = sending.end();
        if (end == null) {
            failSmuggling();
            return;
        }
        transaction.messageBytes += end.remaining() - MARKER;
        forget();
        session.client.phase = ClientPhase.COMMAND;
        session.message.end(command, transaction, end);
    }

    private void failSmuggling() {
        session.notice(Notice.Kind.SMUGGLING_REFUSED, "in the body that a handler gave");
        fail(Answers.HANDLER_FAILED);
    }

    /** The leg goes without end-of-data: nothing partial is delivered. */
    private void fail(Reply reply) {
        session.server.drop(Closing.ABORT);
        finish(reply, false);
    }

    /** The server answered before the message had ended, or died in it; its leg is dropped. */
    void lost(Reply reply) {
        finish(reply, false);
    }

    /** The server closed, or said that it will, while the message was held. */
    void serverLost() {
        session.server.drop(Closing.ABORT);
        session.dropOwnEntries();
        var before = step.compareTo(Step.REOPENING) < 0;
        if (!before || !transaction.allListed() || session.server.irreplaceable()) {
            if (session.judge.waiting()) {
                session.judge.cancel();
            }
            refuse(Answers.DIED_WHILE_HELD);
        } // else a fresh leg is made when the message is to go on
    }

    /** No fresh leg can be had for it. */
    void leaseRefused(Reply reply) {
        finish(reply, false);
    }

    void storeSlow() {
        if (step == Step.SENDING) {
            session.server.drop(Closing.ABORT);
        }
        session.notice(Notice.Kind.MESSAGE_NOT_KEPT, "storage does not answer");
        store.excuseClient();
        refuse(Answers.STORAGE_SLOW);
    }

    private void storeFailed(Throwable failure) {
        var cause = failure.getCause() != null ? failure.getCause() : failure;
        session.notice(Notice.Kind.MESSAGE_NOT_KEPT, Answers.printable(String.valueOf(cause.getMessage())));
        if (step == Step.SENDING) {
            fail(Answers.CONTENT_LOST);
        } else {
            refuse(step == Step.JUDGING ? Answers.CONTENT_LOST : Answers.NOT_KEPT);
        }
    }

    /** One reply for the whole message: now, if it has ended, or where it does. */
    private void refuse(Reply reply) {
        if (step == Step.KEEPING) {
            var rest = endOfData.draining();
            forget();
            session.message.drainHeld(command, rest, reply);
        } else {
            finish(reply, false);
        }
    }

    private void finish(Reply reply, boolean endsSession) {
        forget();
        session.client.phase = ClientPhase.COMMAND;
        session.message.refuseHere(command, transaction, reply, endsSession);
    }

    /** Nothing is kept any more. */
    void forget() {
        step = Step.NONE;
        store.forget();
        lastAppend = null;
        beginning = null;
        view = null;
        if (sending != null) {
            sending.close();
            sending = null;
        }
        if (kept != null) {
            kept.discard();
            kept = null;
        }
    }
}
