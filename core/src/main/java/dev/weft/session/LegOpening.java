package dev.weft.session;

import dev.weft.relay.LegTls;
import dev.weft.relay.Route;
import dev.weft.smtp.Capabilities;
import dev.weft.smtp.Reply;
import dev.weft.smtp.ReplyReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Opens a server leg that is to be leased, without a client and without I/O: connect, greeting, EHLO, and where the route wants
 * TLS also STARTTLS, the handshake and EHLO again (RFC 3207 §4.2). It ends once, in a leg that is between transactions or in a
 * refusal. Inputs are the methods; after the end they are ignored. Everything is called on one thread.
 *
 * <pre>
 * CONNECT   -> GREETING | refused
 * GREETING  -> EHLO | refused. Nothing is sent before the complete greeting (RFC 5321 §4.3.1)
 * EHLO      -> STARTTLS | opened | HELO (the server does not know EHLO) | refused
 * STARTTLS  -> HANDSHAKE | opened in clear | refused
 * HANDSHAKE -> EHLO_TLS | CONNECT (without a name; in clear) | refused
 * EHLO_TLS  -> opened | HELO | CONNECT (the server dislikes our side of TLS: in clear) | refused
 * HELO      -> opened | refused
 * </pre>
 */
public final class LegOpening {

    private static final byte[] STARTTLS = "STARTTLS\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] QUIT = "QUIT\r\n".getBytes(StandardCharsets.US_ASCII);

    private enum Step { CONNECT, GREETING, EHLO, STARTTLS, HANDSHAKE, EHLO_TLS, HELO, OVER }

    private final Route route;
    private final String helloName;
    private final Timeouts limits;
    private final long budgetEnd;
    private final OpeningPort port;
    private final ReplyReader replies;

    private Step step = Step.CONNECT;
    private long deadline;
    private InetSocketAddress source;
    private Reply greeting;
    private Reply inClear;
    private LegTls tls;
    private String tlsFailure;
    /** TLS is not tried, or not again. */
    private boolean broken;
    private boolean withoutName;

    /**
     * Makes an opening; nothing happens until {@link #start}.
     *
     * @param settings the limits of time and of replies
     * @param route the server, its TLS policy, and the EHLO name if it has one
     * @param helloName the EHLO name where the route has none
     * @param budgetEnd when the leg must be open, in the port's time
     * @param port carries out the orders
     */
    public LegOpening(SessionSettings settings, Route route, String helloName, long budgetEnd, OpeningPort port) {
        this.route = Objects.requireNonNull(route, "route");
        this.helloName = route.ehloName().orElse(helloName);
        this.limits = settings.timeouts();
        this.budgetEnd = budgetEnd;
        this.port = Objects.requireNonNull(port, "port");
        this.replies = new ReplyReader(settings.replyLineLimit(), settings.replyLimit());
    }

    /** Connects. */
    public void start() {
        if (route.tls().wanted() && !demanded() && port.tlsBroken()) {
            broken = true;
            tlsFailure = "TLS failed on this server a short while ago";
        }
        connect();
    }

    private boolean demanded() {
        return route.tls().required();
    }

    private void connect() {
        replies.reset();
        tls = null;
        enter(Step.CONNECT, limits.connect());
        port.connect();
    }

    private void enter(Step next, Duration limit) {
        step = next;
        deadline = Math.min(port.now() + limit.toNanos(), budgetEnd);
        port.armTimer(deadline);
    }

    /**
     * The connection is there.
     *
     * @param local the address that it left from
     */
    public void connected(InetSocketAddress local) {
        if (step == Step.CONNECT) {
            source = local;
            enter(Step.GREETING, limits.greeting());
        }
    }

    /**
     * There is no connection to be had.
     *
     * @param why for the client and the log
     */
    public void unreachable(String why) {
        if (step == Step.CONNECT) {
            refuse(LegRefusal.unreachable(why), null);
        }
    }

    /**
     * The server sent bytes; inside TLS, once that is established.
     *
     * @param in read from position to limit, and consumed
     */
    public void bytes(ByteBuffer in) {
        while (in.hasRemaining() && step != Step.OVER) {
            if (step == Step.HANDSHAKE) {
                injected();
                break;
            }
            switch (replies.read(in)) {
                case MORE -> { }
                case REPLY -> reply(replies.reply(), in.hasRemaining());
                case MALFORMED -> outOfStep("sent what is no SMTP reply");
                case TOO_LONG -> outOfStep("sent a reply that is too long");
            }
        }
        in.position(in.limit());
    }

    private void reply(Reply reply, boolean moreBehind) {
        if (reply.code() < 200 || reply.isIntermediate()) {
            outOfStep("answered " + reply.code() + " where that means nothing");
            return;
        }
        if (reply.code() == 421) {
            refuse(LegRefusal.said(reply, step == Step.GREETING ? LegRefusal.Stage.GREETING : LegRefusal.Stage.HELLO), Closing.AWAIT_PEER);
            return;
        }
        switch (step) {
            case GREETING -> greeted(reply);
            case EHLO -> clearHello(reply, moreBehind);
            case STARTTLS -> startTls(reply, moreBehind);
            case EHLO_TLS -> {
                if (reply.isPositive()) {
                    done(reply, moreBehind);
                } else {
                    helloRefused(reply);
                }
            }
            case HELO -> helo(reply, moreBehind);
            case CONNECT, HANDSHAKE, OVER -> throw new IllegalStateException("a reply was read in " + step);
        }
    }

    private void greeted(Reply reply) {
        if (!reply.isPositive()) {
            quit(LegRefusal.said(reply, LegRefusal.Stage.GREETING));
            return;
        }
        greeting = reply;
        say(Step.EHLO, "EHLO ");
    }

    private void say(Step next, String verb) {
        port.write((verb + helloName + "\r\n").getBytes(StandardCharsets.US_ASCII));
        enter(next, limits.command());
    }

    private void clearHello(Reply reply, boolean moreBehind) {
        if (!reply.isPositive()) {
            helloRefused(reply);
        } else if (!route.tls().wanted() || broken) {
            done(reply, moreBehind);
        } else if (!Capabilities.parse(reply).offers("STARTTLS")) {
            noTls("the server does not offer STARTTLS", reply, moreBehind);
        } else {
            inClear = reply;
            port.write(STARTTLS);
            enter(Step.STARTTLS, limits.handshake());
        }
    }

    /** A server that does not know EHLO has no TLS, but may know HELO; one that refuses us says so in its own words. */
    private void helloRefused(Reply reply) {
        if (!TlsJudgement.unknown(reply)) {
            quit(LegRefusal.said(reply, LegRefusal.Stage.HELLO));
        } else if (tls == null && demanded()) {
            quit(LegRefusal.tls("the server refuses EHLO: " + reply.text()));
        } else {
            if (tls == null && route.tls().wanted() && tlsFailure == null) {
                tlsFailure = "the server refuses EHLO: " + reply.text();
            }
            say(Step.HELO, "HELO ");
        }
    }

    /** What it says behind its name, in however many lines, offers nothing. */
    private void helo(Reply reply, boolean moreBehind) {
        if (reply.isPositive()) {
            done(reply.lines().size() == 1 ? reply : Reply.plain(reply.code(), Answers.printable(reply.lines().get(0))), moreBehind);
        } else {
            quit(LegRefusal.said(reply, LegRefusal.Stage.HELLO));
        }
    }

    private void startTls(Reply reply, boolean moreBehind) {
        if (reply.code() != 220) {
            noTls("the server refuses STARTTLS: " + reply.text(), inClear, moreBehind);
        } else if (moreBehind) {
            injected();
        } else {
            enter(Step.HANDSHAKE, limits.handshake());
            port.startTls(withoutName ? Optional.empty() : TlsJudgement.serverName(route, greeting));
        }
    }

    /** The server won't do TLS, but is there: in clear, over the same connection, if the policy allows. */
    private void noTls(String why, Reply hello, boolean moreBehind) {
        if (demanded()) {
            quit(LegRefusal.tls(why));
        } else {
            tlsFailure = why;
            done(hello, moreBehind);
        }
    }

    /** Text behind the 220 was in clear, and would be taken for the server's word inside TLS (RFC 3207 §6). */
    private void injected() {
        refuse(LegRefusal.of("4.7.0", "Server sent text behind its reply to STARTTLS", LegRefusal.Stage.TLS), Closing.ABORT);
    }

    /**
     * The handshake is done.
     *
     * @param established what came of it
     */
    public void secured(LegTls established) {
        if (step != Step.HANDSHAKE) {
            return;
        }
        tls = established;
        tlsFailure = null;
        var unverified = TlsJudgement.unverified(route.tls(), established);
        if (unverified != null) {
            quit(LegRefusal.tls(unverified));
        } else {
            say(Step.EHLO_TLS, "EHLO ");
        }
    }

    /**
     * The handshake failed or could not be begun. Some servers refuse a name that they don't know (RFC 6066 §3).
     *
     * @param why for the client and the log
     */
    public void tlsFailed(String why) {
        if (step == Step.HANDSHAKE) {
            tlsFailed(why, !withoutName && TlsJudgement.serverName(route, greeting).isPresent());
        }
    }

    /** The connection is dead, and what was learnt on it in clear is not to be relied on. */
    private void tlsFailed(String why, boolean nameMayBeWhy) {
        if (demanded()) {
            refuse(LegRefusal.tls("TLS failed: " + why), Closing.ABORT);
            return;
        }
        if (!nameMayBeWhy || port.now() >= budgetEnd) {
            port.tlsBroke();
        }
        if (port.now() >= budgetEnd) {
            refuse(LegRefusal.of("4.4.2", "Server did not answer in time: TLS: " + why, LegRefusal.Stage.TLS), Closing.ABORT);
            return;
        }
        if (nameMayBeWhy) {
            withoutName = true;
        } else {
            broken = true;
            tlsFailure = why;
        }
        port.close(Closing.ABORT);
        connect();
    }

    /** The server closed or reset the connection. */
    public void closed() {
        switch (step) {
            case CONNECT, OVER -> { }
            case GREETING -> refuse(LegRefusal.of(
                    "4.4.1", "Server closed the connection before its greeting", LegRefusal.Stage.GREETING), Closing.ABORT);
            case EHLO, HELO -> refuse(LegRefusal.of(
                    "4.4.2", "Server closed the connection at EHLO", LegRefusal.Stage.HELLO), Closing.ABORT);
            case STARTTLS -> tlsFailed("the server closed the connection at STARTTLS", false);
            case HANDSHAKE -> tlsFailed("the server closed the connection");
            // One that dislikes our side of it closes now (RFC 8446 §4.4.2.4).
            case EHLO_TLS -> tlsFailed("the server closed the connection after the TLS handshake", false);
        }
    }

    /** The deadline of the last {@link OpeningPort#armTimer} has come. */
    public void timePassed() {
        if (step == Step.OVER || port.now() < deadline) {
            return;
        }
        switch (step) {
            case CONNECT -> refuse(LegRefusal.unreachable("connect timed out"), Closing.ABORT);
            case GREETING -> refuse(LegRefusal.of(
                    "4.4.1", "Server did not greet in time", LegRefusal.Stage.GREETING), Closing.ABORT);
            case STARTTLS -> tlsFailed("no reply to STARTTLS in time", false);
            case HANDSHAKE -> tlsFailed("the handshake did not finish in time", false);
            case EHLO, EHLO_TLS, HELO -> refuse(LegRefusal.of(
                    "4.4.2", "Server did not answer in time", LegRefusal.Stage.HELLO), Closing.ABORT);
            case OVER -> { }
        }
    }

    private void done(Reply hello, boolean moreBehind) {
        if (moreBehind) {
            outOfStep("sent a reply that answers no command");
            return;
        }
        step = Step.OVER;
        port.opened(new LegFacts(source, hello, Optional.ofNullable(tls), Optional.ofNullable(tlsFailure), 0));
    }

    private void outOfStep(String what) {
        refuse(LegRefusal.of("4.5.0", "Server " + what, LegRefusal.Stage.HELLO), Closing.ABORT);
    }

    private void quit(LegRefusal refusal) {
        port.write(QUIT);
        refuse(refusal, Closing.AWAIT_PEER);
    }

    /** @param how null where there is no connection */
    private void refuse(LegRefusal refusal, Closing how) {
        step = Step.OVER;
        if (how != null) {
            port.close(how);
        }
        port.refused(refusal);
    }
}
