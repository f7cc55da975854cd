package dev.weft.session;

import dev.weft.relay.Binding;
import dev.weft.relay.LegTls;
import dev.weft.relay.Notice;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.SessionRecord.End;
import dev.weft.relay.Stage;
import dev.weft.session.Judge.Decision;
import dev.weft.smtp.Reply;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One client connection's dialogue, without I/O. Inputs are the methods below; orders go out through the {@link SessionPort}.
 *
 * <p>Everything is called on one thread. A driver calls {@link #start} once, then tells what happens, and after each input may
 * ask {@link #ended()}; from then on every input is ignored.
 */
public final class SmtpSession {

    /** Octets of commands that are read at once. */
    private static final int COMMANDS_AT_ONCE = 16 * 1024;

    final SessionSettings settings;
    final SessionPort port;
    final Judge judge;
    final SessionView view = new SessionView(this);
    final ClientReader client;
    final ServerLink server;
    final CommandIntake intake;
    final CommandRelay commands;
    final ReplyRelay replies;
    final MessageRelay message;
    final Promise promise = new Promise(this);
    final ServerTls serverTls = new ServerTls(this);
    final MessageUses uses;
    final MessageMeter meter;
    final HeldDot heldDot;
    final HoldPath holding;
    final HelloExchange hello;
    final OnMail onMail;
    final Greeter greeter;
    final TransactionRoutes routes;
    final ClientTls clientTls;
    final BlindRelay blind = new BlindRelay(this);
    final ReplyQueue queue = new ReplyQueue();
    final StageTimes times = new StageTimes();
    final Waits waits;
    private final ReadingOrders reading = new ReadingOrders(this);
    final Arrival arrival;
    private final long started;

    Route route;
    String helloName;
    TransactionState transaction;
    boolean routed;
    private boolean stopAsked;
    private boolean ended;
    private long bytesFromClient;
    private long bytesFromServer;

    /**
     * Makes a session; nothing happens until {@link #start}.
     *
     * @param settings what is the same for all sessions
     * @param handlers asked in this order
     * @param port carries out the orders
     * @param arrival who came, and where to
     */
    public SmtpSession(SessionSettings settings, List<RelayHandler> handlers, SessionPort port, Arrival arrival) {
        this.settings = Objects.requireNonNull(settings, "settings");
        this.port = Objects.requireNonNull(port, "port");
        this.arrival = Objects.requireNonNull(arrival, "arrival");
        this.judge = new Judge(handlers, port, arrival.sessionId(), this::settle);
        this.route = arrival.proposed();
        this.started = port.now();
        this.client = new ClientReader(this);
        this.server = new ServerLink(this);
        this.intake = new CommandIntake(this);
        this.commands = new CommandRelay(this);
        this.replies = new ReplyRelay(this);
        this.message = new MessageRelay(this);
        this.uses = new MessageUses(this);
        this.meter = new MessageMeter(settings.messages());
        this.heldDot = new HeldDot(this);
        this.holding = new HoldPath(this);
        this.hello = new HelloExchange(this);
        this.onMail = new OnMail(this);
        this.greeter = new Greeter(this);
        this.routes = new TransactionRoutes(this);
        this.clientTls = new ClientTls(this, arrival);
        this.waits = new Waits(this);
    }

    /** The client is there: asks for a route and connects the server leg. */
    public void start() {
        judge.ask(
                route,
                (handler, proposed) -> handler.connect(view, proposed),
                rewritten -> rewritten,
                Answers.HANDLER_FAILED_AT_CONNECT,
                decision -> {
                    if (decision instanceof Decision.Pass<Route> pass) {
                        route = pass.value();
                        routed = true;
                        if (route.binding() == Binding.ON_MAIL) {
                            onMail.bind();
                        }
                        uses.ask();
                        if (onMail.bound()) {
                            greeter.greet();
                        } else {
                            server.connect(route);
                        }
                    } else if (decision instanceof Decision.Refuse<Route> refusal) {
                        end(End.REFUSED, refusal.reply().text(), refusal.reply());
                    }
                });
        settle();
    }

    /**
     * The client sent bytes.
     *
     * @param in read from position to limit, and consumed
     */
    public void fromClient(ByteBuffer in) {
        bytesFromClient += in.remaining();
        if (ended || client.phase == ClientPhase.ENDED) {
            in.position(in.limit());
            return;
        }
        waits.clientSpoke();
        client.bytes(in);
        settle();
    }

    /**
     * A server leg sent bytes.
     *
     * @param generation the leg's generation; bytes of a leg that was let go are ignored
     * @param in read from position to limit, and consumed
     */
    public void fromServer(int generation, ByteBuffer in) {
        bytesFromServer += in.remaining();
        if (!ended && server.current(generation)) {
            server.bytes(in);
            settle();
        }
        in.position(in.limit());
    }

    /**
     * A server leg begins to connect only now, since it had to wait for its turn: the limit for that begins.
     *
     * @param generation the leg's generation
     */
    public void serverConnecting(int generation) {
        if (!ended && server.current(generation) && server.phase == ServerPhase.CONNECTING) {
            server.since = now();
            settle();
        }
    }

    /**
     * A server leg is connected.
     *
     * @param generation the leg's generation
     * @param local the address that it left from
     */
    public void serverConnected(int generation, InetSocketAddress local) {
        if (!ended && server.current(generation)) {
            server.connected(local);
            settle();
        }
    }

    /**
     * A server leg could not be connected.
     *
     * @param generation the leg's generation
     * @param why for the client and the log
     */
    public void serverUnreachable(int generation, String why) {
        if (!ended && server.current(generation)) {
            server.unreachable(why);
            settle();
        }
    }

    /**
     * What a route's server offers, as {@link SessionPort#askOffer} asked.
     *
     * @param hello the server's last answer to EHLO; empty if it can't be known now: then 8BITMIME and SMTPUTF8 are offered,
     *        without which a client would return a message for good
     */
    public void offerKnown(Optional<Reply> hello) {
        if (!ended) {
            greeter.offerKnown(hello);
            settle();
        }
    }

    /**
     * A lease was granted.
     *
     * @param generation the leg's generation
     * @param leg the leg
     */
    public void leaseGranted(int generation, LegFacts leg) {
        if (!ended && server.current(generation) && server.phase == ServerPhase.LEASING) {
            onMail.granted(leg);
            settle();
        }
    }

    /**
     * A lease could not be had: no turn in time, or no leg could be made.
     *
     * @param generation the generation of the leg that was asked for
     * @param refusal why, and what the client is told, a 4xx other than 421
     */
    public void leaseRefused(int generation, LegRefusal refusal) {
        if (!ended && server.current(generation) && server.phase == ServerPhase.LEASING) {
            notice(Notice.Kind.LEASE_REFUSED, refusal.why(), refusal.said().orElse(null), refusal.step());
            onMail.refused(refusal.reply());
            settle();
        }
    }

    /**
     * A server leg was closed or reset by its peer.
     *
     * @param generation the leg's generation
     */
    public void serverClosed(int generation) {
        if (!ended && server.current(generation)) {
            new ServerLoss(this).closed();
            settle();
        }
    }

    /**
     * The handshake on the server leg is done.
     *
     * @param generation the leg's generation
     * @param tls what came of it
     */
    public void serverSecured(int generation, LegTls tls) {
        if (!ended && server.current(generation) && server.phase == ServerPhase.TLS) {
            hello.secured(tls);
            settle();
        }
    }

    /**
     * The handshake on the server leg failed, or could not be begun.
     *
     * @param generation the leg's generation
     * @param why for the client and the log
     */
    public void serverTlsFailed(int generation, String why) {
        if (!ended && server.current(generation) && server.phase == ServerPhase.TLS) {
            hello.handshakeFailed(why);
            settle();
        }
    }

    /**
     * The handshake on the client leg is done.
     *
     * @param tls what came of it
     */
    public void clientSecured(LegTls tls) {
        if (!ended && client.phase == ClientPhase.TLS) {
            clientTls.secured(tls);
            settle();
        }
    }

    /**
     * The handshake on the client leg failed: nothing can be said to the client any more.
     *
     * @param why for the log
     */
    public void clientTlsFailed(String why) {
        if (!ended) {
            clientGone("TLS handshake: " + why);
        }
    }

    /** The client shut down its output; it may still read. */
    public void clientHalfClosed() {
        if (ended || client.halfClosed || client.phase == ClientPhase.ENDED) {
            return;
        }
        client.halfClosed = true;
        if (client.phase == ClientPhase.BLIND) {
            port.endOutput();
            settle();
            return;
        }
        // While a verdict or a leg is outstanding nothing tells half-closed from vanished, unless the client has said all it
        // wanted to say.
        var waiting = judge.waiting() || commands.stalled() || client.phase == ClientPhase.WAITING
                || client.phase == ClientPhase.JUDGED;
        if (client.phase.midMessage()) {
            end(End.CLIENT_GONE, "in the middle of a message", null);
        } else if (waiting && !client.holdsQuit() && !queue.awaitsMessageReply()) {
            end(End.CLIENT_GONE, "while it was waited for", null);
        }
        settle();
    }

    /**
     * The client's connection is gone: nothing can be read from it or written to it.
     *
     * @param why for the log
     */
    public void clientGone(String why) {
        if (ended || client.gone) {
            return;
        }
        client.gone = true;
        waits.clientGone();
        if (queue.awaitsMessageReply() && !message.flowing()) {
            // The message is the server's now: its reply is still read and recorded. Nothing else that the client wanted is done.
            if (judge.waiting()) {
                judge.cancel();
            }
            commands.forgetStalled();
            client.end();
            port.close(Leg.CLIENT, Closing.ABORT);
            settle();
        } else {
            end(End.CLIENT_GONE, why, null);
        }
    }

    /**
     * A leg takes no more bytes for now.
     *
     * @param leg the leg
     */
    public void writeBlocked(Leg leg) {
        if (!ended) {
            waits.blocked(leg);
            settle();
        }
    }

    /**
     * All that was written to a leg has left.
     *
     * @param leg the leg
     */
    public void writeDrained(Leg leg) {
        if (!ended) {
            waits.drained(leg);
            settle();
        }
    }

    /** The deadline of the last {@link SessionPort#armTimer} has come. */
    public void timePassed() {
        if (!ended) {
            waits.timePassed();
            settle();
        }
    }

    /**
     * The proxy stops.
     *
     * @param now false lets a transaction that is under way finish first
     */
    public void stop(boolean now) {
        if (ended) {
            return;
        }
        stopAsked = true;
        if (now) {
            end(End.STOPPED, "", Answers.STOPPING);
        } else {
            settle();
        }
    }

    /**
     * The driver, or this session, failed: the client gets a 421.
     *
     * @param why for the log
     */
    public void failed(String why) {
        end(End.FAILED, why, Answers.FAILED);
    }

    /**
     * Whether the session is over.
     *
     * @return true once both legs were ordered to close
     */
    public boolean ended() {
        return ended;
    }

    /**
     * Whether an EHLO or HELO of the client's was answered: by then the server leg has what TLS it will have.
     *
     * @return true once it was
     */
    public boolean greeted() {
        return helloName != null;
    }

    /**
     * How much may be read from the client at once, so that what must be held stays small.
     *
     * @return octets; the caller's own limit holds where this is larger
     */
    public int clientRoom() {
        if (!gateOpen()) {
            return client.room();
        }
        // Each line of commands may cost a reply several times its size, and that is noticed only after the event.
        return client.phase.midMessage() ? Integer.MAX_VALUE : COMMANDS_AT_ONCE;
    }

    /** Whether the client's next bytes may be acted on. */
    boolean gateOpen() {
        return switch (client.phase) {
            case WAITING, TLS, JUDGED, ENDED -> false;
            case HOLD -> !holding.store.waiting();
            case BLIND, DATA, CHUNK, DRAIN_DATA, DRAIN_CHUNK -> true;
            case COMMAND, AUTH -> !judge.waiting()
                    && !commands.stalled()
                    && !commands.synchronising()
                    && queue.size() < ReplyQueue.LIMIT
                    && (queue.isEmpty() || promise.pipelines())
                    && !waits.isBlocked(Leg.CLIENT);
        };
    }

    /** Whether some of what was written to the server has not left yet. */
    boolean serverTakesNothing() {
        return waits.isBlocked(Leg.SERVER);
    }

    long now() {
        return port.now();
    }

    void touched() {
        waits.clientTouched();
    }

    /** The server leg goes to others, who expect it to be read. */
    void readServer() {
        reading.readServer();
    }

    void serverDropped() {
        waits.serverGone();
        reading.serverGone();
    }

    /** The server leg is gone, and with it the answers to the proxy's own commands. */
    void dropOwnEntries() {
        while (!queue.isEmpty() && queue.head().kind == Entry.Kind.OWN) {
            queue.removeHead();
        }
    }

    void notice(Notice.Kind kind, String detail) {
        notice(kind, detail, null, null);
    }

    /** A notice of what the server said. */
    void notice(Notice.Kind kind, Reply said) {
        notice(kind, said.text(), said, null);
    }

    /**
     * @param said the server's reply, or null
     * @param stage the step that failed, or null
     */
    private void notice(Notice.Kind kind, String detail, Reply said, Stage stage) {
        if (judge.none()) {
            return;
        }
        var text = Answers.printable(detail);
        var to = kind.ofServer() ? presentRoute() : Optional.<Route>empty();
        var notice = new Notice(kind, text, to.map(Route::server), to.flatMap(this::presentSource), Optional.ofNullable(said),
                Optional.ofNullable(stage));
        judge.tell(handler -> handler.notice(view, notice));
    }

    private Optional<Route> presentRoute() {
        return transaction != null ? transaction.route() : view.route();
    }

    /** What the server leg left from, or is to leave from. */
    private Optional<InetAddress> presentSource(Route to) {
        return switch (server.phase) {
            case ABSENT, LEASING, CONNECTING -> to.fromClientAddress() ? Optional.of(arrival.client().getAddress()) : to.source();
            default -> Optional.of(server.source.getAddress());
        };
    }

    void toClient(Reply reply) {
        if (!client.gone && !client.phase.opaque()) {
            port.write(Leg.CLIENT, reply.bytes());
        }
    }

    /** Enters an entry that holds its reply; the client gets it when all before it are answered. */
    void answer(Entry entry) {
        queue.add(entry);
        replies.emit();
    }

    void recordIfDone(TransactionState done) {
        if (done.finished() && done.entries == 0 && !done.recorded) {
            done.recorded = true;
            if (judge.none()) {
                return;
            }
            var record = done.record(route, server.source, server.carried);
            if (record.stages().containsKey(Stage.MAIL)) {
                server.carried++; // the server knew of it
            }
            judge.tell(handler -> handler.transactionEnded(view, record));
        }
    }

    /** Goes on as far as it goes now, after each input. */
    void settle() {
        while (!ended) {
            onMail.giveBack();
            commands.resume();
            heldDot.resume();
            holding.resume();
            if (!client.holds() || !gateOpen()) {
                break;
            }
            client.pump();
        }
        if (!ended && client.halfClosed && !client.gone && nothingOutstanding()) {
            end(End.CLIENT_GONE, "", null);
        }
        endIfNobodyWaits();
        if (!ended && stopAsked && betweenTransactions()) {
            end(End.STOPPED, "", Answers.STOPPING);
        }
        if (!ended) {
            hello.orderHandshake();
            clientTls.orderHandshake();
            reading.order();
            port.armTimer(waits.deadline());
        }
    }

    /** A client that is gone is waited for no longer than the reply to its message; also where more replies came in one piece. */
    void endIfNobodyWaits() {
        if (!ended && client.gone && !queue.awaitsMessageReply()) {
            end(End.CLIENT_GONE, "after its message", null);
        }
    }

    /** A half-closed client can't go on: everything it asked for is answered, or it would have to send more. */
    private boolean nothingOutstanding() {
        return client.phase != ClientPhase.BLIND && (client.phase.midMessage() || client.phase == ClientPhase.AUTH
                || commands.nothingOutstanding() && client.phase != ClientPhase.WAITING && client.phase != ClientPhase.JUDGED);
    }

    private boolean betweenTransactions() {
        return client.phase == ClientPhase.WAITING
                || transaction == null && commands.nothingOutstanding() && !client.phase.midMessage() && !client.phase.opaque();
    }

    /** Ends the session, once: last reply, both legs, records. */
    void end(End why, String detail, Reply last) {
        if (ended) {
            return;
        }
        ended = true;
        if (judge.waiting()) {
            judge.cancel();
        }
        if (last != null) {
            toClient(last);
        }
        if (!client.gone || client.phase != ClientPhase.ENDED) {
            port.close(Leg.CLIENT, client.gone ? Closing.ABORT : why == End.QUIT ? Closing.FAREWELL : Closing.LINGER);
        }
        var midMessage = message.flowing();
        if (client.phase == ClientPhase.AUTH) {
            server.noQuit(); // it would be taken for a line of the exchange
        }
        client.end();
        holding.forget();
        onMail.leave();
        server.leave(midMessage || queue.awaitsDataReply());
        recordOpenTransactions();
        judge.tell(handler -> handler.sessionClosed(view, record(why, detail)));
    }

    private void recordOpenTransactions() {
        while (!queue.isEmpty()) {
            recordOpen(queue.removeHead().transaction);
        }
        recordOpen(transaction);
    }

    private void recordOpen(TransactionState latest) {
        for (var open = latest; open != null; open = open.replaced) {
            open.abandon();
            open.entries = 0;
            recordIfDone(open);
        }
    }

    private SessionRecord record(End why, String detail) {
        return new SessionRecord(
                arrival.sessionId(), arrival.client(), arrival.originalDestination(), view.route(),
                Optional.ofNullable(server.source), intake.transactions(), bytesFromClient, bytesFromServer,
                clientTls.tls(), serverTls.tls(), serverTls.failure(), blind.begun(),
                Duration.ofNanos(now() - started), why, Answers.printable(detail), times.toMap());
    }
}
