package dev.weft.session;

import dev.weft.relay.Notice;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord.End;
import dev.weft.relay.Stage;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.ReplyReader;
import dev.weft.smtp.Verb;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The server leg as the session sees it: its phase and generation, and its replacement by a fresh one. */
final class ServerLink {

    private static final byte[] QUIT = "QUIT\r\n".getBytes(StandardCharsets.US_ASCII);

    private final SmtpSession session;
    private final ReplyReader replies;

    ServerPhase phase = ServerPhase.ABSENT;
    /** The address that the leg left from. */
    InetSocketAddress source;
    /** How many transactions the leg has carried, where it is the session's own. */
    int carried;
    /** Nothing is to be added to what the server said: it refused in its greeting, or said 421. */
    boolean saidItself;
    /** Since when the phase lasts, in the port's time. */
    long since;
    /** When what the client waits for must have come. */
    long budgetEnd;

    /** What the leg said, while it is gone through; null otherwise. */
    private ByteBuffer unread;
    private int generation;
    private boolean fresh;
    /** The budget was begun for the command that is sent next. */
    private boolean budgetRuns;
    private boolean irreplaceable;
    private boolean noQuit;

    ServerLink(SmtpSession session) {
        this.session = session;
        this.replies = new ReplyReader(session.settings.replyLineLimit(), session.settings.replyLimit());
    }

    void connect(Route route) {
        session.serverTls.newLeg();
        phase = ServerPhase.CONNECTING;
        carried = 0;
        noQuit = false;
        since = session.now();
        if (!session.hello.active()) {
            newBudget();
        }
        session.port.connect(++generation, route);
    }

    /** Asks for a leg that is ready for MAIL. */
    void lease(Route route, boolean onlyNew) {
        session.serverTls.newLeg();
        phase = ServerPhase.LEASING;
        since = session.now();
        session.port.lease(++generation, route, onlyNew);
    }

    void leased(InetSocketAddress local) {
        source = local;
        phase = ServerPhase.READY;
        since = session.now();
        noQuit = false;
        saidItself = false;
        session.replies.last = since;
    }

    void leaseRefused() {
        phase = ServerPhase.ABSENT;
    }

    /** The leg is given back in good order. */
    void released() {
        session.readServer();
        phase = ServerPhase.ABSENT;
        replies.reset();
        session.onMail.legGone();
        session.serverDropped();
    }

    /** Lets a leg go that owes nothing, but is not between transactions. */
    void dismiss() {
        session.port.write(Leg.SERVER, QUIT);
        drop(Closing.AWAIT_PEER);
    }

    /** The client waits for its EHLO; where a fresh leg was made for that, since before. */
    void budgetForHello() {
        if (!budgetRuns) {
            newBudget();
        }
        budgetRuns = false;
    }

    /** The client begins to wait for something that may take several steps. */
    private void newBudget() {
        budgetEnd = session.now() + session.settings.timeouts().budget().toNanos();
    }

    boolean current(int legGeneration) {
        return legGeneration == generation && phase != ServerPhase.ABSENT && phase != ServerPhase.BOTCHED;
    }

    void connected(InetSocketAddress local) {
        source = local;
        session.times.add(Stage.CONNECT, session.now() - since);
        phase = ServerPhase.GREETING;
        since = session.now();
    }

    void unreachable(String why) {
        phase = ServerPhase.ABSENT;
        session.end(End.UNREACHABLE, why, Answers.unreachable(why));
    }

    /** The bytes of the present leg, reply by reply. */
    void bytes(ByteBuffer in) {
        if (phase == ServerPhase.TLS) {
            session.hello.injected(); // what a handshake brings is never given to a session
            return;
        }
        if (phase == ServerPhase.BLIND) {
            session.blind.fromServer(in);
            return;
        }
        unread = in;
        int read = generation;
        while (in.hasRemaining() && current(read) && !session.ended()) {
            switch (replies.read(in)) {
                case MORE -> { }
                case REPLY -> {
                    reply(replies.reply());
                    session.endIfNobodyWaits();
                }
                case MALFORMED -> {
                    session.notice(Notice.Kind.MALFORMED_REPLY, printable(replies.offending()));
                    outOfStep("malformed reply", Answers.MALFORMED);
                }
                case TOO_LONG -> {
                    session.notice(Notice.Kind.MALFORMED_REPLY, "too long: " + printable(replies.offending()));
                    outOfStep("reply too long", Answers.REPLY_TOO_LONG);
                }
            }
            if (phase == ServerPhase.TLS && in.hasRemaining() && !session.ended()) {
                session.hello.injected();
            } else if (phase == ServerPhase.BLIND && in.hasRemaining() && !session.ended()) {
                session.blind.injected();
                break;
            }
        }
        unread = null;
    }

    private void reply(Reply reply) {
        if (reply.bareLineFeeds()) {
            session.notice(Notice.Kind.BARE_LF_REPLY, reply);
        }
        if (!reply.codesAgree()) {
            session.notice(Notice.Kind.MIXED_CODES, reply);
        }
        if (phase == ServerPhase.GREETING) {
            greeting(reply);
        } else {
            session.replies.reply(reply);
        }
    }

    private void greeting(Reply reply) {
        session.times.add(Stage.GREETING, session.now() - since);
        if (reply.code() < 200 || reply.isIntermediate()) {
            outOfStep("greeting " + reply.code(), Answers.OUT_OF_STEP);
            return;
        }
        if (fresh) {
            freshGreeting(reply);
            return;
        }
        session.hello.announced(reply);
        session.judge.tell(handler -> handler.greeting(session.view, reply));
        session.toClient(reply);
        saidItself = !reply.isPositive();
        if (reply.code() == 421) {
            session.end(End.SERVER_GONE, "greeting: " + reply.text(), null);
            return;
        }
        phase = ServerPhase.READY;
        session.client.phase = ClientPhase.COMMAND;
        session.touched();
    }

    private void freshGreeting(Reply reply) {
        var stalled = session.commands.stalledCommand();
        var saysHello = stalled != null && (stalled.verb() == Verb.EHLO || stalled.verb() == Verb.HELO);
        if (session.hello.reconnecting()) {
            if (reply.code() == 220) {
                session.hello.resume();
            } else {
                session.end(End.SERVER_GONE, "after TLS failed: " + reply.text(), Answers.FALLBACK_REFUSED);
            }
        } else if (reply.code() != 220) {
            notReplaceable("fresh server leg greeted with " + reply.text());
        } else if (saysHello || session.promise.hello() == null && !session.serverTls.demanded()) {
            budgetRuns = saysHello;
            ready();
        } else if (session.promise.hello() == null) {
            notReplaceable("no EHLO was accepted that TLS could be begun with");
        } else if (session.serverTls.wanted()) {
            session.hello.begin(session.promise.hello(), this::freshHello);
        } else {
            phase = ServerPhase.EHLO;
            since = session.now();
            session.queue.add(Entry.own(session.promise.hello(), since));
            session.port.write(Leg.SERVER, session.promise.hello().bytes());
        }
    }

    /** The server's answer to a command of the proxy's own. */
    void ownReply(Command own, Reply reply) {
        if (session.hello.answered(own, reply) || own != session.promise.hello() || phase != ServerPhase.EHLO) {
            return; // RSET, or what the exchange took
        }
        freshHello(reply);
    }

    private void freshHello(Reply reply) {
        if (session.serverTls.unmet() != null) {
            notReplaceable(session.serverTls.unmet());
        } else if (!reply.isPositive()) {
            notReplaceable("fresh server leg answered " + session.promise.hello().verb() + " with " + reply.text());
        } else if (!session.promise.keptBy(reply)) {
            notReplaceable("fresh server leg offers less than was promised");
        } else {
            ready();
        }
    }

    private void ready() {
        phase = ServerPhase.READY;
        session.notice(Notice.Kind.FRESH_SERVER_LEG, "");
    }

    private void notReplaceable(String why) {
        session.end(End.SERVER_GONE, why, Answers.LEG_NOT_REPLACEABLE);
    }

    /** Whether a part of a reply has come that is not complete. */
    boolean holdsPartialReply() {
        return !replies.idle();
    }

    /** Whether the leg said, or began to say, more than was asked of it. */
    boolean saysMore() {
        return holdsPartialReply() || unread != null && unread.hasRemaining();
    }

    /** Connects anew after TLS failed, unseen by the client. */
    void reconnect() {
        fresh = true;
        connect(session.route);
    }

    /** No QUIT of ours is sent on this leg: the client's went on, or nobody would take ours for a command. */
    void noQuit() {
        noQuit = true;
    }

    boolean isAuthenticated() {
        return irreplaceable;
    }

    /** This leg carries what can't be repeated unseen: an authentication. */
    void authenticated() {
        irreplaceable = true;
    }

    boolean irreplaceable() {
        return irreplaceable;
    }

    /** The next command needs a server leg, and there is none. */
    void replace() {
        if (irreplaceable) {
            session.end(End.SERVER_GONE, "an authenticated server leg can't be replaced", Answers.LEG_NOT_REPLACEABLE);
            return;
        }
        if (session.onMail.bound()) {
            session.onMail.lease();
            return;
        }
        fresh = true;
        saidItself = false;
        connect(session.route);
    }

    /** Lets the leg go; bytes of it that still come are of a past generation. */
    void drop(Closing closing) {
        if (phase != ServerPhase.ABSENT) {
            phase = ServerPhase.ABSENT;
            replies.reset();
            session.hello.legGone();
            session.onMail.legGone();
            session.port.close(Leg.SERVER, closing);
            session.serverDropped();
        }
    }

    /** The session is over: a leg in good order gets a QUIT, one in the middle of a message a reset. */
    void leave(boolean midMessage) {
        var closing = switch (phase) {
            case ABSENT -> null;
            case LEASING, CONNECTING -> Closing.ABORT;
            case TLS, BLIND -> Closing.ABORT;
            case GREETING, EHLO -> Closing.AWAIT_PEER;
            case READY, BOTCHED -> midMessage ? Closing.ABORT : Closing.AWAIT_PEER;
        };
        if (phase == ServerPhase.READY && !midMessage && !saidItself && session.queue.isEmpty() && !noQuit) {
            session.port.write(Leg.SERVER, QUIT);
        }
        if (closing != null) {
            phase = ServerPhase.ABSENT;
            session.port.close(Leg.SERVER, closing);
        }
    }

    /** No command is ever written to this leg again. */
    void outOfStep(String why, Reply told) {
        if (session.onMail.leased()) {
            session.notice(Notice.Kind.OUT_OF_STEP, why);
            session.onMail.lost(Answers.aboutLeg(told));
            return;
        }
        phase = ServerPhase.BOTCHED;
        session.end(End.OUT_OF_STEP, why, told);
    }

    private static String printable(byte[] bytes) {
        return Answers.printable(new String(bytes, StandardCharsets.ISO_8859_1));
    }
}
