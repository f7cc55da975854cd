package dev.weft.policy;

import dev.weft.policy.ThrottleFigures.Step;
import dev.weft.relay.Attribute;
import dev.weft.relay.FailureMode;
import dev.weft.relay.Notice;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Stage;
import dev.weft.relay.Transaction;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A handler that watches how each destination treats each address that server legs leave from: how long it takes to greet, to
 * take an envelope and to answer a message, and what its refusals say. Of this it makes a verdict with the evidence, for a
 * panel, for a listener and for {@link SourceAddresses}. Bound on mail, a server that refuses a connection for their number is
 * heard of here only if the transaction gets no other turn in time: until then the limit in {@link DestinationSnapshot} shows it.
 *
 * <p>Give it to the proxy as the last handler but other observers: then the refusals of handlers before it don't count. Figures
 * may be read on any thread. They are kept in memory only: after a restart all is clear until a destination says otherwise.
 */
public final class ThrottleMonitor implements RelayHandler {

    /** Hears of verdicts that change. */
    public interface Listener {

        /**
         * A verdict changed. It is looked at whenever something is observed, so that one that fades by itself is told when the
         * destination is next heard of. Changes of one pair that two loops see at once may come in either order.
         *
         * @param before the former level
         * @param now the figures, with the new level and the evidence
         */
        void changed(ThrottleLevel before, ThrottleFigures now);
    }

    /** So that a code before it still leaves a line of SMTP (RFC 5321 §4.5.3.1.5: 512 octets). */
    private static final int LONGEST_DETAIL = 400;

    private final ThrottleMonitorBuilder settings;
    private final Bounded<ThrottleKey, ThrottleState> states;
    private final ServerReplies replies = new ServerReplies();
    /** The last 421 of a session that was counted. */
    private final Attribute<Reply> counted = Attribute.named("counted-closing");

    ThrottleMonitor(ThrottleMonitorBuilder settings) {
        this.settings = settings;
        states = new Bounded<>(settings.most);
    }

    /**
     * Describes a monitor.
     *
     * @return a builder; all has a default
     */
    public static ThrottleMonitorBuilder builder() {
        return new ThrottleMonitorBuilder();
    }

    @Override
    public void greeting(RelaySession session, Reply greeting) {
        session.route().ifPresent(route -> said(session, route, greeting));
    }

    @Override
    public Verdict<Command> command(RelaySession session, Command command) {
        if (command.verb() == Verb.EHLO || command.verb() == Verb.HELO) {
            replies.passed(session, command);
        }
        return Verdict.proceed();
    }

    @Override
    public Verdict<Command> mail(Transaction transaction, Command command) {
        replies.passed(transaction.session(), command);
        return Verdict.proceed();
    }

    @Override
    public Verdict<Command> rcpt(Transaction transaction, Command command) {
        replies.passed(transaction.session(), command);
        return Verdict.proceed();
    }

    @Override
    public void reply(RelaySession session, Command command, Reply reply) {
        replies.toCommand(session, command, reply)
                // A server without EHLO refuses it, and means nothing by that.
                .filter(refusal -> command.verb() == Verb.RCPT || settings.signs.read(refusal) != ThrottleSign.NONE)
                .ifPresent(refusal -> Keys.route(session).ifPresent(route -> said(session, route, refusal)));
    }

    @Override
    public void notice(RelaySession session, Notice notice) {
        if (ServerReplies.tellsUnreachable(notice)) {
            Keys.route(session).ifPresent(route -> observe(session, route, ThrottleState::unreachable));
        }
        replies.ofLeg(session, notice)
                .ifPresent(refusal -> Keys.route(session).ifPresent(route -> said(session, route, refusal)));
    }

    @Override
    public void transactionEnded(RelaySession session, TransactionRecord transaction) {
        var route = transaction.route();
        observe(session, route, (state, now) -> times(state, transaction, now));
        replies.last(session, transaction).ifPresent(reply -> {
            if (transaction.outcome() == TransactionRecord.Outcome.ACCEPTED) {
                observe(session, route, ThrottleState::accepted);
            } else {
                said(session, route, reply);
            }
        });
    }

    private static void times(ThrottleState state, TransactionRecord transaction, long now) {
        var stages = transaction.stages();
        greeted(state, stages, now);
        if (stages.containsKey(Stage.DATA) && stages.containsKey(Stage.MAIL)) {
            var rcpt = stages.getOrDefault(Stage.RCPT, Duration.ZERO).dividedBy(Math.max(1, transaction.recipientCount()));
            state.took(Step.ENVELOPE, stages.get(Stage.MAIL).plus(rcpt).plus(stages.get(Stage.DATA)), now);
        }
        if (stages.containsKey(Stage.END_OF_DATA)) {
            state.took(Step.END_OF_DATA, stages.get(Stage.END_OF_DATA), now);
        }
    }

    private static void greeted(ThrottleState state, Map<Stage, Duration> stages, long now) {
        if (stages.containsKey(Stage.GREETING)) {
            state.took(Step.GREETING, stages.get(Stage.GREETING), now);
        }
    }

    @Override
    public void sessionClosed(RelaySession session, SessionRecord record) {
        var route = record.route();
        if (route.isEmpty()) {
            return;
        }
        observe(session, route.get(), (state, now) -> {
            greeted(state, record.stages(), now);
            if (record.end() == SessionRecord.End.UNREACHABLE) {
                state.unreachable(now);
            }
        });
        // A 421 to any other command, such as EHLO, is only here, where the record's detail is its text.
        if (record.end() == SessionRecord.End.SERVER_GONE
                && session.attributes().get(counted).filter(reply -> record.detail().endsWith(reply.text())).isEmpty()) {
            var reply = Reply.plain(421, shortened(record.detail()));
            if (settings.signs.read(reply) != ThrottleSign.NONE) {
                said(session, route.get(), reply);
            }
        }
    }

    private static String shortened(String detail) {
        return Keys.shortened(detail.replaceAll("[^\\x20-\\x7e]", "?"), LONGEST_DETAIL);
    }

    private void said(RelaySession session, Route route, Reply reply) {
        if (reply.isTransient() || reply.isPermanent()) {
            if (reply.code() == 421) {
                session.attributes().put(counted, reply);
            }
            var sign = settings.signs.read(reply);
            observe(session, route, (state, now) -> state.refused(reply, sign, now));
        }
    }

    private void observe(RelaySession session, Route route, BiConsumer<ThrottleState, Long> event) {
        var key = key(session, route);
        long now = settings.time.millis();
        record Change(ThrottleLevel before, ThrottleState now) {}
        var change = states.update(key, () -> new ThrottleState(settings), state -> {
            event.accept(state, now);
            var before = state.told;
            state.told = state.level(now);
            return state.told == before ? null : new Change(before, new ThrottleState(state));
        });
        if (change != null) {
            settings.listener.changed(change.before, change.now.figures(key, now));
        }
    }

    /**
     * What a session is counted by on a route.
     *
     * @param session the session
     * @param route the route
     * @return the address and the destination
     */
    public ThrottleKey key(RelaySession session, Route route) {
        return ThrottleKey.of(session, route, settings.destination.apply(route));
    }

    /**
     * How a destination treats an address at this moment.
     *
     * @param key the address and the destination
     * @return the figures, empty if nothing is known
     */
    public Optional<ThrottleFigures> figures(ThrottleKey key) {
        long now = settings.time.millis();
        return states.read(key, ThrottleState::new).map(state -> state.figures(key, now));
    }

    /**
     * The verdict at this moment.
     *
     * @param key the address and the destination
     * @return {@link ThrottleLevel#CLEAR} if nothing is known
     */
    public ThrottleLevel level(ThrottleKey key) {
        long now = settings.time.millis();
        return states.read(key, state -> state.level(now)).orElse(ThrottleLevel.CLEAR);
    }

    /**
     * All pairs that are remembered, at this moment.
     *
     * @return an immutable copy
     */
    public List<ThrottleFigures> all() {
        long now = settings.time.millis();
        var copies = new LinkedHashMap<ThrottleKey, ThrottleState>();
        states.forEach((key, state) -> copies.put(key, new ThrottleState(state)));
        return copies.entrySet().stream().map(entry -> entry.getValue().figures(entry.getKey(), now)).toList();
    }

    /** It only watches. */
    @Override
    public FailureMode failureMode() {
        return FailureMode.OPEN;
    }
}
