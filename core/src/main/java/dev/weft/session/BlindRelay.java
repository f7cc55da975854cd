package dev.weft.session;

import dev.weft.relay.Notice;
import dev.weft.relay.SessionRecord.End;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * TLS between client and server, end to end: the server answered the client's STARTTLS with 220, and nothing is read here any
 * more.
 */
final class BlindRelay {

    private final SmtpSession session;
    private boolean begun;

    BlindRelay(SmtpSession session) {
        this.session = session;
    }

    boolean begun() {
        return begun;
    }

    void begin() {
        begun = true;
        session.replies.abandon(session.transaction);
        session.client.phase = ClientPhase.BLIND;
        session.server.phase = ServerPhase.BLIND;
        session.notice(Notice.Kind.TLS_PASSED_THROUGH, "");
        if (session.client.holds() || session.client.holdsPartialLine()) {
            injected();
        }
    }

    /** Text in clear behind STARTTLS, or behind its 220, was not meant for the other side's TLS (RFC 3207 §6). */
    void injected() {
        session.end(End.OUT_OF_STEP, "text behind STARTTLS", null);
    }

    void fromClient(ByteBuffer in) {
        session.port.write(Leg.SERVER, in);
    }

    void fromServer(ByteBuffer in) {
        session.touched();
        session.port.write(Leg.CLIENT, in);
    }

    /** How long both may be silent: it can't be known whose turn it is, so it is the longest wait of all. */
    Duration silence() {
        var limits = session.settings.timeouts();
        return session.client.halfClosed ? limits.block() : limits.endOfData();
    }
}
