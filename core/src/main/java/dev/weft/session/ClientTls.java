package dev.weft.session;

import dev.weft.relay.LegTls;
import dev.weft.relay.SessionRecord.End;
import dev.weft.session.Arrival.TlsOffer;
import dev.weft.smtp.Capabilities;
import dev.weft.smtp.Command;
import dev.weft.smtp.Path;
import dev.weft.smtp.Reply;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** TLS on the client leg: offered, demanded, begun by STARTTLS, and all forgotten that was said before it (RFC 3207 §4.2). */
final class ClientTls {

    private final SmtpSession session;
    private final TlsOffer offer;
    private LegTls tls;
    private boolean handshakeDue;
    private boolean awaitsHello;

    ClientTls(SmtpSession session, Arrival arrival) {
        this.session = session;
        this.offer = arrival.tlsOffer();
        this.tls = arrival.clientTls().orElse(null);
    }

    Optional<LegTls> tls() {
        return Optional.ofNullable(tls);
    }

    boolean secure() {
        return tls != null;
    }

    /** What the client sees of the capabilities. */
    Capabilities offered(Capabilities passed) {
        return (offer == TlsOffer.OFFERED || offer == TlsOffer.REQUIRED) && tls == null ? passed.with("STARTTLS") : passed;
    }

    /** Whether TLS is left to client and server, as far as the server offers it. */
    boolean passesThrough() {
        return offer == TlsOffer.PASS_THROUGH && tls == null && !session.route.tls().required() && !session.onMail.bound();
    }

    /** Credentials are not asked for in clear that go on in TLS, or that would be refused. */
    boolean withholdsAuth() {
        return tls == null && (offer == TlsOffer.REQUIRED || session.serverTls.secure() && !session.settings.authInClear());
    }

    /** Whether a command may pass on this leg as it is. */
    boolean permits(Command command) {
        return offer != TlsOffer.REQUIRED || tls != null || CommandIntake.harmless(command);
    }

    /** Whether a MAIL demands TLS all the way. What can't be parsed here may be understood by the server. */
    static boolean demandedOnwards(Command mail) {
        return mail.path() instanceof Path.Unparsed
                ? List.of(mail.argument().toUpperCase(Locale.ROOT).split("[ \t]+")).contains("REQUIRETLS")
                : mail.parameter("REQUIRETLS").isPresent();
    }

    /** Why STARTTLS is not begun; empty if it is to be. */
    Optional<Reply> refusal(Command command) {
        if (tls != null) {
            return Optional.of(offer == TlsOffer.NONE ? Answers.NOT_OFFERED : Answers.TLS_ALREADY);
        }
        if (passesThrough() ? !session.promise.offers("STARTTLS") : offer != TlsOffer.OFFERED && offer != TlsOffer.REQUIRED) {
            return Optional.of(Answers.NOT_OFFERED);
        }
        if (!passesThrough() && session.server.isAuthenticated()) {
            return Optional.of(Answers.STARTTLS_AFTER_AUTH); // the server would not forget who it was told in clear
        }
        return command.argument().isEmpty() ? Optional.empty() : Optional.of(Answers.STARTTLS_ARGUMENT);
    }

    /** All before it is answered: says 220, and begins. */
    void start(Command command) {
        session.answer(Entry.local(command, null, Answers.READY_FOR_TLS, session.now()));
        session.client.phase = ClientPhase.TLS;
        handshakeDue = true;
        if (session.client.holds() || session.client.holdsPartialLine()) {
            injected();
        }
    }

    /** Orders the handshake, once the input that brought STARTTLS is read to its end and held nothing behind it. */
    void orderHandshake() {
        if (handshakeDue) {
            handshakeDue = false;
            session.port.startTls(Leg.CLIENT, session.route, Optional.empty());
        }
    }

    /** What the client sent behind STARTTLS, in clear, is never acted on, and no handshake is begun on top of it. */
    void injected() {
        session.end(End.OUT_OF_STEP, "text behind STARTTLS", null);
    }

    void secured(LegTls established) {
        tls = established;
        awaitsHello = true;
        session.helloName = null;
        session.client.startAnew();
        session.commands.forgetTransaction();
        session.touched();
    }

    boolean awaitsHello() {
        return awaitsHello;
    }

    void greeted() {
        awaitsHello = false;
    }
}
