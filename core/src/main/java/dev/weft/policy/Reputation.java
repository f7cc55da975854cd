package dev.weft.policy;

import dev.weft.relay.FailureMode;
import dev.weft.relay.Notice;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Path;
import dev.weft.smtp.Reply;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * A handler that watches what becomes of each tenant's and each sender's mail, for others to read when they choose a route:
 * counts of recipients that servers accepted, deferred or refused, and of messages that the host found to be spam. They decay,
 * so that what is long past weighs little.
 *
 * <p>Give it to the proxy as the last handler but other observers: then the refusals of handlers before it don't count. Counts
 * may be read and added to on any thread.
 */
public final class Reputation implements RelayHandler, StateFile.Part {

    private static final int ACCEPTED = 0;
    private static final int DEFERRED = 1;
    private static final int SPAM = 2;
    private static final int REFUSED = 3;
    private static final int COUNTS = REFUSED + Refusal.values().length;
    /** Less than this of one recipient is not worth a line in a file. */
    private static final double FORGOTTEN = 0.01;
    private static final double PRECISION = 10_000;

    private final BiFunction<RelaySession, Optional<Route>, String> tenant;
    private final Duration halfLife;
    private final InstantSource time;
    private final String name;
    private final Bounded<String, DecayingCounts> tenants;
    private final Bounded<String, DecayingCounts> senders;
    private final ServerReplies replies = new ServerReplies();

    Reputation(ReputationBuilder builder) {
        tenant = builder.tenant;
        halfLife = builder.halfLife;
        time = builder.time;
        name = builder.name;
        tenants = new Bounded<>(builder.most);
        senders = new Bounded<>(builder.most);
    }

    /**
     * Describes a reputation. Tenants are the routes', the half-life is 7 days, 100,000 tenants and as many senders are
     * remembered.
     *
     * @return a builder
     */
    public static ReputationBuilder builder() {
        return new ReputationBuilder();
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
        replies.toCommand(session, command, reply).filter(refusal -> !refusal.isPositive())
                .ifPresent(refusal -> count(session, Keys.route(session),
                        session.transaction().orElseThrow().sender(), refusal, 1));
    }

    @Override
    public void transactionEnded(RelaySession session, TransactionRecord transaction) {
        // Those beyond the bookkeeping limit are taken as accepted.
        var accepted = transaction.recipients().stream().filter(recipient -> recipient.accepted()).count()
                + transaction.recipientCount() - transaction.recipients().size();
        replies.last(session, transaction).ifPresent(reply ->
                count(session, Optional.of(transaction.route()), transaction.sender(), reply, Math.max(1, accepted)));
    }

    @Override
    public void notice(RelaySession session, Notice notice) {
        replies.ofLeg(session, notice); // so that what is said of it to recipients does not count against them
    }

    private void count(RelaySession session, Optional<Route> route, Path sender, Reply reply, long recipients) {
        int index = reply.isPositive() ? ACCEPTED : reply.isTransient() ? DEFERRED : REFUSED + Refusal.of(reply).ordinal();
        add(tenants, tenant.apply(session, route), index, recipients);
        if (!(sender instanceof Path.Null)) {
            add(senders, Keys.sender(sender), index, recipients);
        }
    }

    private void add(Bounded<String, DecayingCounts> map, String key, int index, double amount) {
        long now = time.millis();
        map.update(Keys.bounded(key), this::none, counts -> {
            counts.add(index, amount, now);
            return null;
        });
    }

    private DecayingCounts none() {
        return new DecayingCounts(COUNTS, halfLife);
    }

    /**
     * Counts a message as spam, by whatever the host judges it with; on any thread.
     *
     * @param tenantName the tenant
     * @param sender the message's reverse-path; nobody's if it is the null one
     */
    public void spam(String tenantName, Path sender) {
        add(tenants, tenantName, SPAM, 1);
        if (!(sender instanceof Path.Null)) {
            add(senders, Keys.sender(sender), SPAM, 1);
        }
    }

    /**
     * The tenant that a session's mail is counted by. While handlers are asked for a route, one that these set is not known here
     * yet: there {@link SourceRequest#tenant} tells.
     *
     * @param session the session, on its event loop
     * @return the name, for {@link #tenant} and {@link #spam}
     */
    public String tenantOf(RelaySession session) {
        return tenant.apply(session, Keys.route(session));
    }

    /**
     * How a tenant's mail fared.
     *
     * @param tenantName the tenant
     * @return zeroes for one that is not known
     */
    public ReputationFigures tenant(String tenantName) {
        return figures(tenants, tenantName);
    }

    /**
     * How a sender's mail fared.
     *
     * @param sender the address, in any case
     * @return zeroes for one that is not known, and for the null reverse-path
     */
    public ReputationFigures sender(Path sender) {
        return figures(senders, Keys.sender(sender));
    }

    private ReputationFigures figures(Bounded<String, DecayingCounts> map, String key) {
        long now = time.millis();
        return figures(map.read(Keys.bounded(key), counts -> counts.all(now)).orElseGet(() -> new double[COUNTS]));
    }

    private static ReputationFigures figures(double[] counts) {
        var refused = new EnumMap<Refusal, Double>(Refusal.class);
        for (var reason : Refusal.values()) {
            double count = counts[REFUSED + reason.ordinal()];
            if (count > 0) {
                refused.put(reason, count);
            }
        }
        return new ReputationFigures(counts[ACCEPTED], counts[DEFERRED], refused, counts[SPAM]);
    }

    /**
     * All tenants that are remembered.
     *
     * @return an immutable copy, by name
     */
    public Map<String, ReputationFigures> tenants() {
        return all(tenants);
    }

    /**
     * All senders that are remembered.
     *
     * @return an immutable copy, by address in lower case
     */
    public Map<String, ReputationFigures> senders() {
        return all(senders);
    }

    private Map<String, ReputationFigures> all(Bounded<String, DecayingCounts> map) {
        long now = time.millis();
        var copies = new TreeMap<String, double[]>();
        map.forEach((key, counts) -> copies.put(key, counts.all(now)));
        var all = new TreeMap<String, ReputationFigures>();
        copies.forEach((key, counts) -> all.put(key, figures(counts)));
        return Collections.unmodifiableMap(all);
    }

    /** It only watches. */
    @Override
    public FailureMode failureMode() {
        return FailureMode.OPEN;
    }

    @Override
    public String stateName() {
        return name;
    }

    @Override
    public void save(Consumer<List<String>> out) {
        save("tenant", tenants, out);
        save("sender", senders, out);
    }

    private void save(String kind, Bounded<String, DecayingCounts> map, Consumer<List<String>> out) {
        long now = time.millis();
        var copies = new LinkedHashMap<String, double[]>();
        map.forEach((key, counts) -> copies.put(key, counts.all(now)));
        copies.forEach((key, counts) -> {
            if (Arrays.stream(counts).sum() >= FORGOTTEN) {
                out.accept(record(kind, key, now, counts));
            }
        });
    }

    private static List<String> record(String kind, String key, long now, double[] counts) {
        var fields = new ArrayList<>(List.of(kind, key, Long.toString(now)));
        for (double count : counts) {
            fields.add(count == 0 ? "0" : Double.toString(Math.rint(count * PRECISION) / PRECISION));
        }
        return fields;
    }

    @Override
    public void load(List<String> fields) {
        var map = switch (fields.get(0)) {
            case "tenant" -> tenants;
            case "sender" -> senders;
            default -> throw new IllegalArgumentException("neither tenant nor sender");
        };
        long then = Long.parseLong(fields.get(2));
        var counts = fields.subList(3, 3 + COUNTS).stream().mapToDouble(Double::parseDouble).toArray();
        if (then < 0 || !Arrays.stream(counts).allMatch(count -> count >= 0 && count < 1e15)) {
            throw new IllegalArgumentException("a count or a time is out of its range");
        }
        long now = time.millis();
        map.update(Keys.bounded(fields.get(1)), this::none, known -> {
            known.set(counts, then, now);
            return null;
        });
    }
}
