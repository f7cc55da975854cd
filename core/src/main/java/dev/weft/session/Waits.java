package dev.weft.session;

import dev.weft.relay.SessionRecord.End;
import dev.weft.smtp.Verb;
import java.time.Duration;

/** What the session waits for, since when, and what happens when it does not come. */
final class Waits {

    private static final long NEVER = Long.MAX_VALUE;
    private static final long NOT_BLOCKED = Long.MIN_VALUE;
    /** What a client that waits for each reply takes for a recipient, beyond the server's time: a long way there and back. */
    private static final long RECIPIENT_NANOS = Duration.ofMillis(500).toNanos();

    private final SmtpSession session;
    private final Timeouts limits;
    private long clientSpoke;
    private long clientTouched;
    /** How long the client has kept the present lease waiting between commands. */
    private long silentOnLease;
    private long clientBlocked = NOT_BLOCKED;
    private long serverBlocked = NOT_BLOCKED;

    Waits(SmtpSession session) {
        this.session = session;
        this.limits = session.settings.timeouts();
        this.clientSpoke = session.now();
        this.clientTouched = clientSpoke;
    }

    void clientSpoke() {
        clientSpoke = session.now();
    }

    /** A leg was leased for the client. */
    void leased() {
        silentOnLease = 0;
    }

    /**
     * The client said a command. While it holds a leg that others may wait for, its silences add up: a word now and then would keep
     * it for ever.
     */
    void commandSaid(Verb verb) {
        if (session.onMail.leased() && session.commands.nothingOutstanding()) {
            long silence = Math.max(0, session.now() - clientTouched);
            silentOnLease += verb == Verb.RCPT ? Math.max(0, silence - RECIPIENT_NANOS) : silence;
            clientTouched = session.now();
        }
    }

    /** The client was given something to act on. */
    void clientTouched() {
        clientTouched = session.now();
    }

    void blocked(Leg leg) {
        if (leg == Leg.CLIENT) {
            clientBlocked = session.now();
        } else {
            serverBlocked = session.now();
        }
    }

    void drained(Leg leg) {
        if (leg == Leg.CLIENT) {
            clientBlocked = NOT_BLOCKED;
            clientTouched = session.now();
        } else {
            if (isBlocked(Leg.SERVER)) {
                session.meter.excuse(session.now() - serverBlocked);
            }
            serverBlocked = NOT_BLOCKED;
            clientSpoke = session.now(); // it was not read meanwhile
        }
    }

    /** The client is gone: whether it takes bytes matters no more. */
    void clientGone() {
        clientBlocked = NOT_BLOCKED;
    }

    /** A server leg is gone, and what it did not take with it. */
    void serverGone() {
        serverBlocked = NOT_BLOCKED;
        clientSpoke = session.now();
    }

    boolean isBlocked(Leg leg) {
        return (leg == Leg.CLIENT ? clientBlocked : serverBlocked) != NOT_BLOCKED;
    }

    /** The next moment at which something is too late. */
    long deadline() {
        long deadline = Math.min(session.judge.deadline(), Math.min(clientBlock(), serverBlock()));
        deadline = Math.min(deadline, session.holding.store.deadline());
        return Math.min(deadline, Math.min(serverWait(), clientWait()));
    }

    void timePassed() {
        long now = session.now();
        if (now >= serverBlock()) {
            serverTakesNothing();
        } else if (now >= clientBlock()) {
            session.clientGone("took no bytes for " + limits.block().toSeconds() + " s");
        } else if (now >= session.judge.deadline()) {
            session.judge.expire();
        } else if (now >= session.holding.store.deadline()) {
            session.holding.storeSlow();
        } else if (now >= serverWait()) {
            serverIsSlow();
        } else if (now >= clientWait()) {
            clientIsSlow();
        }
    }

    private long clientBlock() {
        return clientBlocked == NOT_BLOCKED ? NEVER : after(clientBlocked, limits.block());
    }

    private long serverBlock() {
        return serverBlocked == NOT_BLOCKED ? NEVER : after(serverBlocked, limits.block());
    }

    private long serverWait() {
        var server = session.server;
        return switch (server.phase) {
            case ABSENT, LEASING, BLIND, BOTCHED -> NEVER;
            case CONNECTING -> Math.min(after(server.since, limits.connect()), server.budgetEnd);
            case GREETING -> Math.min(after(server.since, limits.greeting()), server.budgetEnd);
            case EHLO -> Math.min(
                    after(server.since, session.hello.handshaking() ? limits.handshake() : limits.command()), server.budgetEnd);
            case TLS -> Math.min(after(server.since, limits.handshake()), server.budgetEnd);
            case READY -> replyWait();
        };
    }

    private long replyWait() {
        var head = session.queue.head();
        if (head == null || session.message.unfinished(head)) {
            return NEVER;
        }
        var limit = switch (head.kind) {
            case MESSAGE -> limits.endOfData();
            case OWN, LOCAL -> limits.command();
            case COMMAND -> switch (head.command.verb()) {
                case DATA -> limits.data();
                case QUIT -> limits.quit();
                default -> limits.command();
            };
        };
        // A reply's time starts when the one before it came (RFC 5321 §4.5.3.2 counts each alone), and a message's when its last
        // byte went.
        return after(Math.max(Math.max(head.since, session.replies.last), session.message.lastByte(head)), limit);
    }

    private long clientWait() {
        if (serverBlocked != NOT_BLOCKED || session.holding.store.waiting()) {
            return NEVER; // it is not read: another is the slow one
        }
        return switch (session.client.phase) {
            case WAITING, JUDGED, ENDED -> NEVER;
            case TLS -> after(clientTouched, limits.handshake());
            case BLIND -> after(Math.max(clientSpoke, clientTouched), session.blind.silence());
            case COMMAND, AUTH -> session.commands.nothingOutstanding()
                    ? after(clientTouched, session.onMail.leased() ? session.settings.onMail().idle().minusNanos(silentOnLease) : limits.idle())
                    : NEVER; // a line that never ends is no command
            case DATA, CHUNK, HOLD, DRAIN_DATA, DRAIN_CHUNK ->
                    Math.min(after(Math.max(clientSpoke, clientTouched), limits.block()), rate());
        };
    }

    /** When the client will have been too slow in its message: sooner where it sits on a leg that others may wait for. */
    private long rate() {
        var leased = session.settings.onMail();
        return session.onMail.leased()
                ? Math.min(session.meter.deadline(), session.meter.wholeDeadline(leased.leastRate(), leased.rateGrace()))
                : session.meter.deadline();
    }

    private void serverTakesNothing() {
        serverBlocked = NOT_BLOCKED;
        new ServerLoss(session).closed();
    }

    private void serverIsSlow() {
        switch (session.server.phase) {
            case CONNECTING -> session.end(End.UNREACHABLE, "connect timed out", Answers.unreachable("connect timed out"));
            case GREETING -> session.end(End.UNREACHABLE, "no greeting in time", Answers.GREETING_SLOW);
            case TLS -> session.hello.failed("the handshake did not finish in time");
            case EHLO -> {
                if (session.hello.handshaking()) {
                    session.hello.failed("no reply to STARTTLS in time");
                } else {
                    replyIsSlow();
                }
            }
            default -> replyIsSlow();
        }
    }

    private void replyIsSlow() {
        var head = session.queue.head();
        if (session.onMail.bound() && head.kind != Entry.Kind.MESSAGE) {
            session.onMail.lost(Answers.LEG_SLOW);
            return;
        }
        switch (head.kind) {
            case MESSAGE -> new ServerLoss(session).silentAfterTheMessage();
            case COMMAND -> {
                if (head.command.verb() == Verb.QUIT) {
                    session.end(End.QUIT, "no reply to QUIT in time", Answers.BYE);
                } else {
                    session.end(End.TIMEOUT, "no reply to " + head.command.verb() + " in time", Answers.SERVER_SLOW);
                }
            }
            case OWN, LOCAL -> session.end(End.TIMEOUT, "no reply in time", Answers.SERVER_SLOW);
        }
    }

    private void clientIsSlow() {
        if (session.client.phase == ClientPhase.TLS) {
            session.end(End.TIMEOUT, "TLS handshake of the client", null);
        } else if (session.client.phase == ClientPhase.BLIND) {
            session.end(End.TIMEOUT, "idle", null);
        } else if (session.client.phase.midMessage()) {
            session.end(End.TIMEOUT, "no progress in the message", Answers.CLIENT_SLOW);
        } else if (session.onMail.leased()) {
            session.onMail.clientIsSlow();
        } else {
            var lfOnly = session.client.sawBareLineFeed();
            session.end(End.TIMEOUT, lfOnly ? "idle; lines ended in LF alone" : "idle", lfOnly ? Answers.IDLE_BARE_LF : Answers.IDLE);
        }
    }

    private static long after(long since, Duration limit) {
        return since + limit.toNanos();
    }
}
