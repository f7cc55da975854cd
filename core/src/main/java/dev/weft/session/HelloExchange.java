package dev.weft.session;

import dev.weft.relay.LegTls;
import dev.weft.relay.SessionRecord.End;
import dev.weft.relay.Stage;
import dev.weft.smtp.Capabilities;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Greets a server on a route that wants TLS: EHLO, STARTTLS, the handshake, EHLO again (RFC 3207 §4.2), all unseen by the client,
 * who is answered with what holds at the end. Where TLS fails, the route's policy decides: {@code may} goes on in clear, over a
 * new connection if the handshake had begun; stricter policies let no mail pass.
 */
final class HelloExchange {

    private static final byte[] STARTTLS = "STARTTLS\r\n".getBytes(StandardCharsets.US_ASCII);

    private enum Step { IDLE, CLEAR_HELLO, STARTTLS, HANDSHAKE, TLS_HELLO, HELO, RECONNECT }

    private final SmtpSession session;
    private final ServerTls tls;
    private Step step = Step.IDLE;
    private Command hello;
    private Command said;
    private Consumer<Reply> answer;
    private Reply inClear;
    private long since;
    /** TLS failed on this route before: it is not tried again in this session. */
    private boolean broken;
    private boolean handshakeDue;
    private boolean withoutName;
    /** The server does not know EHLO. */
    private boolean ehloRefused;
    private Reply greeting;

    HelloExchange(SmtpSession session) {
        this.session = session;
        this.tls = session.serverTls;
    }

    /** The server's greeting, whose name is a hint for the handshake and no more. */
    void announced(Reply greeted) {
        greeting = greeted;
    }

    boolean active() {
        return step != Step.IDLE;
    }

    /** A handshake is due or under way, so that its own limit holds. */
    boolean handshaking() {
        return step == Step.STARTTLS || step == Step.HANDSHAKE;
    }

    /**
     * TLS is established but proved nothing yet: a server that dislikes our side of it closes now (RFC 8446 §4.4.2.4 in TLS 1.3).
     */
    boolean unproven() {
        return step == Step.TLS_HELLO && inClear != null;
    }

    boolean reconnecting() {
        return step == Step.RECONNECT;
    }

    /**
     * Begins on a server leg that has greeted.
     *
     * @param command EHLO or HELO, as it would go to the server
     * @param answered gets the reply that holds at the end
     */
    void begin(Command command, Consumer<Reply> answered) {
        hello = command;
        answer = answered;
        tls.tryAgain();
        inClear = null;
        if (!tls.secure() && !broken && session.port.tlsBroken(session.route) && !tls.demanded()) {
            broken = true;
            tls.goesOnInClear("TLS failed on this server a short while ago");
        }
        hello();
    }

    /** A new leg has greeted, after TLS failed on the one before. */
    void resume() {
        hello();
    }

    private void hello() {
        if (ehloRefused && hello.verb() == Verb.HELO && (tls.secure() || !tls.demanded())) {
            say(Step.HELO, hello);
        } else {
            say(tls.secure() ? Step.TLS_HELLO : Step.CLEAR_HELLO, ehlo());
        }
    }

    private Command ehlo() {
        return hello.verb() == Verb.EHLO ? hello : Command.of("EHLO " + hello.argument());
    }

    private void say(Step next, Command command) {
        step = next;
        since = session.now();
        said = command;
        session.server.phase = ServerPhase.EHLO;
        session.server.since = since;
        session.queue.add(Entry.own(command, since));
        session.port.write(Leg.SERVER, command.bytes());
    }

    /** The server's answer to a command of this exchange; false if the command is none of it. */
    boolean answered(Command own, Reply reply) {
        if (!active() || own != said) {
            return false;
        }
        if (reply.code() == 421) {
            step = Step.IDLE; // the client is given it, and the session ends
            return true;
        }
        switch (step) {
            case CLEAR_HELLO -> clearHello(reply);
            case STARTTLS -> startTls(reply);
            case TLS_HELLO -> {
                session.times.add(Stage.EHLO2, session.now() - since);
                if (reply.isPositive()) {
                    done(reply);
                } else {
                    ehloRefused(reply);
                }
            }
            case HELO -> done(reply);
            case IDLE, HANDSHAKE, RECONNECT -> throw new IllegalStateException("nothing was said in " + step);
        }
        return true;
    }

    private void clearHello(Reply reply) {
        session.times.add(Stage.EHLO, session.now() - since);
        if (!reply.isPositive()) {
            ehloRefused(reply);
        } else if (broken) {
            done(reply);
        } else if (!Capabilities.parse(reply).offers("STARTTLS")) {
            inClear = reply;
            refused("the server does not offer STARTTLS");
        } else {
            inClear = reply;
            step = Step.STARTTLS;
            since = session.now();
            said = Command.parse(STARTTLS);
            session.server.since = since;
            session.queue.add(Entry.own(said, since));
            session.port.write(Leg.SERVER, STARTTLS);
        }
    }

    /** A server that does not know EHLO has no TLS; one that refuses this client says so in its own words. */
    private void ehloRefused(Reply reply) {
        var unknown = TlsJudgement.unknown(reply);
        ehloRefused |= unknown;
        if (!tls.secure() && tls.demanded()) {
            tls.unmet("the server refuses EHLO: " + reply.text());
            done(unknown ? tls.unmetReply() : reply);
            return;
        }
        if (!tls.secure() && unknown && !broken) {
            tls.goesOnInClear("the server refuses EHLO: " + reply.text());
        }
        if (unknown && hello.verb() == Verb.HELO) {
            say(Step.HELO, hello);
        } else {
            done(reply);
        }
    }

    private void startTls(Reply reply) {
        if (reply.code() != 220) {
            refused("the server refuses STARTTLS: " + reply.text());
            return;
        }
        if (session.server.holdsPartialReply()) {
            injected();
            return;
        }
        step = Step.HANDSHAKE;
        handshakeDue = true;
        session.server.phase = ServerPhase.TLS;
        session.server.since = session.now();
    }

    /** Orders the handshake, once the input that brought the 220 is read to its end and held nothing behind it. */
    void orderHandshake() {
        if (handshakeDue) {
            handshakeDue = false;
            session.port.startTls(Leg.SERVER, session.route, withoutName ? Optional.empty() : name());
        }
    }

    private Optional<String> name() {
        return TlsJudgement.serverName(session.route, greeting);
    }

    /** Text behind the 220 was in clear, and would be taken for the server's word inside TLS (RFC 3207 §6). */
    void injected() {
        tls.failed("text behind the reply to STARTTLS");
        session.end(End.OUT_OF_STEP, "text behind the reply to STARTTLS", Answers.INJECTED);
    }

    void secured(LegTls established) {
        session.times.add(Stage.STARTTLS, session.now() - since);
        tls.established(established);
        say(Step.TLS_HELLO, ehlo());
    }

    /** The handshake failed or was cut. Some servers refuse a name that they don't know (RFC 6066 §3). */
    void handshakeFailed(String why) {
        failed(why, !withoutName && name().isPresent());
    }

    /** TLS was cut or stalled, or never answered: another name would not help. */
    void failed(String why) {
        failed(why, false);
    }

    /** The connection is dead, and what was learnt on it in clear is not to be relied on. */
    private void failed(String why, boolean nameMayBeWhy) {
        session.server.drop(Closing.ABORT);
        session.dropOwnEntries();
        tls.broke();
        if (tls.demanded()) {
            tls.unmet("TLS failed: " + why);
            done(Capabilities.parse(inClear).without("STARTTLS").toReply());
            return;
        }
        if (session.now() >= session.server.budgetEnd) {
            tls.failed(why);
            session.port.tlsBroke(session.route);
            step = Step.IDLE;
            session.end(End.TIMEOUT, "TLS: " + why, Answers.SERVER_SLOW);
            return;
        }
        if (nameMayBeWhy) {
            withoutName = true;
        } else {
            broken = true;
            session.port.tlsBroke(session.route);
            tls.goesOnInClear(why);
        }
        step = Step.RECONNECT;
        session.server.reconnect();
    }

    /** The server won't do TLS, but is there: in clear, if the policy allows. */
    private void refused(String why) {
        if (tls.demanded()) {
            tls.unmet(why);
        } else {
            tls.goesOnInClear(why);
        }
        done(inClear);
    }

    private void done(Reply reply) {
        step = Step.IDLE;
        tls.settled();
        if (session.server.phase == ServerPhase.EHLO) {
            session.server.phase = ServerPhase.READY;
        }
        answer.accept(reply);
    }

    /** The handshake is of no use any more; what TLS the leg had is still told in the record. */
    void legGone() {
        handshakeDue = false;
    }
}
