package dev.weft.session;

import dev.weft.relay.Notice;
import dev.weft.smtp.LineReader;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** What comes from the client: split into lines or message bytes as the phase says, and held while the command gate is closed. */
final class ClientReader {

    /** Held bytes beyond this stop the reading. */
    private static final int HELD_LIMIT = 16 * 1024;

    private final SmtpSession session;
    private final LineReader lines;

    ClientPhase phase = ClientPhase.WAITING;
    /** The client has shut down its output; it may still read. */
    boolean halfClosed;
    /** The client can't be written to any more. */
    boolean gone;

    private byte[] held;
    private int heldFrom;
    private int heldTo;
    /** The held bytes while they are gone through; null otherwise. */
    private ByteBuffer pumping;
    private boolean pipeliningNoticed;

    ClientReader(SmtpSession session) {
        this.session = session;
        this.lines = new LineReader(Math.max(session.settings.commandLineLimit(), SessionSettings.AUTH_LINE_LIMIT));
    }

    void bytes(ByteBuffer in) {
        if (!holds()) {
            consume(in);
        }
        if (in.hasRemaining()) {
            hold(in);
        }
    }

    /** Goes on with what was held, as far as the gate is open. */
    void pump() {
        while (holds() && session.gateOpen()) {
            pumping = ByteBuffer.wrap(held, heldFrom, heldTo - heldFrom);
            consume(pumping);
            if (phase == ClientPhase.ENDED) {
                pumping = null;
                return;
            }
            heldFrom = pumping.position();
            pumping = null;
        }
        if (!holds()) {
            held = null; // an idle session keeps no buffer
            heldFrom = heldTo = 0;
        }
    }

    boolean holds() {
        return pumping != null ? pumping.hasRemaining() : heldTo > heldFrom;
    }

    boolean holdsPartialLine() {
        return !lines.idle();
    }

    boolean sawBareLineFeed() {
        return lines.sawBareLineFeed();
    }

    /** How many more bytes are welcome. */
    int room() {
        return Math.max(0, HELD_LIMIT - (heldTo - heldFrom));
    }

    /** Whether a client that shut down its output still waits for the end of its dialogue: a QUIT is among the held bytes. */
    boolean holdsQuit() {
        for (int i = heldFrom; i + 4 <= heldTo; i++) {
            if ((i == heldFrom || held[i - 1] == '\n')
                    && (held[i] | 0x20) == 'q' && (held[i + 1] | 0x20) == 'u'
                    && (held[i + 2] | 0x20) == 'i' && (held[i + 3] | 0x20) == 't') {
                return true;
            }
        }
        return false;
    }

    private void consume(ByteBuffer in) {
        while (in.hasRemaining() && session.gateOpen()) {
            switch (phase) {
                case COMMAND, AUTH -> line(in);
                case DATA, DRAIN_DATA -> session.message.data(in);
                case CHUNK, DRAIN_CHUNK -> session.message.chunk(in);
                case HOLD -> session.holding.data(in);
                case BLIND -> session.blind.fromClient(in);
                case WAITING, TLS, JUDGED, ENDED -> throw new IllegalStateException("the gate is closed in " + phase);
            }
        }
        if (phase == ClientPhase.ENDED) {
            in.position(in.limit());
        }
    }

    private void line(ByteBuffer in) {
        var status = lines.read(in);
        switch (status) {
            case MORE -> { }
            case LINE -> {
                if (phase == ClientPhase.AUTH) {
                    session.commands.authLine(lines.line());
                } else {
                    session.intake.line(lines.line());
                }
            }
            case TOO_LONG, BARE_LINE_END -> {
                var tooLong = status == LineReader.Status.TOO_LONG;
                session.notice(Notice.Kind.BAD_LINE, tooLong ? "too long" : "bare CR or LF");
                if (phase == ClientPhase.AUTH) {
                    session.commands.cancelAuth();
                } else {
                    session.intake.refuseLine(tooLong ? Answers.LINE_TOO_LONG : Answers.BARE_LINE_END);
                }
            }
        }
    }

    /** Forgets what was read in clear: after the handshake nothing of it holds (RFC 3207 §4.2). */
    void startAnew() {
        lines.reset();
        phase = ClientPhase.COMMAND;
    }

    private void hold(ByteBuffer in) {
        if (phase == ClientPhase.TLS) {
            in.position(in.limit());
            session.clientTls.injected();
            return;
        }
        if (!pipeliningNoticed
                && (phase == ClientPhase.WAITING || session.commands.synchronising() || !session.promise.mayPipeline())) {
            pipeliningNoticed = true;
            session.notice(phase == ClientPhase.WAITING ? Notice.Kind.EARLY_TALKER : Notice.Kind.UNASKED_PIPELINING, "");
        }
        int more = in.remaining();
        if (held == null) {
            held = new byte[Math.max(256, more)];
        } else if (held.length - heldTo < more) {
            int holding = heldTo - heldFrom;
            var larger = held.length - holding >= more ? held : new byte[Math.max(2 * held.length, holding + more)];
            System.arraycopy(held, heldFrom, larger, 0, holding);
            held = larger;
            heldFrom = 0;
            heldTo = holding;
        }
        in.get(held, heldTo, more);
        heldTo += more;
    }

    /** Nothing is read any more. */
    void end() {
        phase = ClientPhase.ENDED;
        if (held != null) {
            Arrays.fill(held, (byte) 0);
            held = null;
        }
        heldFrom = heldTo = 0;
    }
}
