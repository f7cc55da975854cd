package dev.weft.policy;

import dev.weft.relay.Attribute;
import dev.weft.relay.Binding;
import dev.weft.relay.Notice;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A handler that chooses the address that a server leg leaves from, and the EHLO name that fits it, from pools that the host
 * names by tenant, sender domain, destination or reputation.
 *
 * <ul>
 * <li>A tenant keeps its address at a destination; see {@link SourcePool}.
 * <li>An address in its {@link WarmUp} that has sent its share of the day is passed over for the next of the pool. Each MAIL that
 * passes here counts, whatever becomes of it.
 * <li>An address that a destination refuses by its reply, and by the table of {@link ThrottleSigns}, rests there for a while.
 * Another takes over only if the host allows it.
 * <li>Where no address is left the client gets {@code 451 4.7.1}, at connect {@code 421 4.7.1}, with the reason, and keeps the
 * mail.
 * <li>An address that can't be bound, since it is not this host's, is never replaced: such a session is refused, and the log says
 * why.
 * </ul>
 *
 * <p>Bound on connect it chooses once for a session, bound on mail for each transaction, when the sender is known. Give it to the
 * proxy last among those that change routes or refuse. All that is asked of a session must happen on its event loop; what is
 * remembered may be read, changed and saved on any thread.
 */
public final class SourceAddresses implements RelayHandler, StateFile.Part {

    /** What a host calls a destination may be long; with the codes it must fit into a line (RFC 5321 §4.5.3.1.5: 512 octets). */
    private static final int LONGEST_REFUSAL = 400;

    private final SourceAddressesBuilder settings;
    private final WarmUpLedger warmUps;
    private final RestLedger rests;
    private final ServerReplies replies = new ServerReplies();
    /** On a session: chosen at connect, so that each MAIL has to be counted. On a transaction: counted. */
    private final Attribute<SourceAddress> chosen = Attribute.named("source-address");
    /** On a transaction: the destination that its address was chosen for. */
    private final Attribute<String> chosenFor = Attribute.named("source-address-for");

    SourceAddresses(SourceAddressesBuilder settings) {
        this.settings = settings;
        warmUps = new WarmUpLedger(settings.time, settings.most);
        rests = new RestLedger(settings.time, settings.most);
    }

    /**
     * Chooses from pools.
     *
     * @param pools gives the pool for a request, empty to leave the route as it is; called on event loops, so it must not wait
     * @return a builder; all else has a default
     */
    public static SourceAddressesBuilder from(Function<SourceRequest, Optional<SourcePool>> pools) {
        return new SourceAddressesBuilder(pools);
    }

    /**
     * Chooses from one pool for all.
     *
     * @param pool the pool
     * @return a builder; all else has a default
     */
    public static SourceAddressesBuilder from(SourcePool pool) {
        var same = Optional.of(pool);
        return new SourceAddressesBuilder(request -> same);
    }

    /**
     * Chooses for the session, if it is bound on connect. Bound on mail, this is only the address that the destination is asked
     * from what it offers; each transaction is routed by itself.
     */
    @Override
    public Verdict<Route> connect(RelaySession session, Route proposed) {
        return route(request(session, Optional.empty(), proposed));
    }

    @Override
    public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
        var request = request(transaction.session(), Optional.of(transaction), proposed);
        transaction.attributes().put(chosenFor, request.destination());
        return route(request);
    }

    /** Chooses again where another handler sends this recipient to another destination than the one before. */
    @Override
    public Verdict<Route> recipientRoute(Transaction transaction, Command command, Route proposed) {
        var same = transaction.attributes().get(chosenFor).filter(settings.destination.apply(proposed)::equals).isPresent();
        return same ? Verdict.proceed() : mailRoute(transaction, proposed);
    }

    private SourceRequest request(RelaySession session, Optional<Transaction> transaction, Route proposed) {
        return new SourceRequest(session, transaction, proposed, settings.tenant.apply(session, Optional.of(proposed)),
                settings.destination.apply(proposed));
    }

    /**
     * Chooses for a request that the host made up.
     *
     * @param request who needs an address
     * @return the route from the address, or a refusal; proceed if the host gives no pool
     */
    public Verdict<Route> route(SourceRequest request) {
        return settings.pools.apply(request).map(pool -> route(request, pool)).orElseGet(Verdict::proceed);
    }

    private Verdict<Route> route(SourceRequest request, SourcePool pool) {
        var proposed = request.proposed();
        var four = proposed.server().getAddress() instanceof Inet4Address;
        var sources = pool.inOrder(four ? Inet4Address.class : Inet6Address.class, request.tenant(), request.destination());
        if (sources.isEmpty()) {
            return refusal(request, "No source address for " + (four ? "IPv4" : "IPv6") + " in pool " + pool.name());
        }
        if (proposed.binding() == Binding.ON_MAIL && request.transaction().isEmpty()) {
            // Without its EHLO name, which an address that is chosen later might not replace.
            return Verdict.rewrite(proposed.withSource(sources.get(0).address()));
        }
        var rested = Optional.<String>empty();
        for (var source : sources) {
            var resting = resting(request, source);
            if (resting.isPresent()) {
                rested = rested.or(() -> resting);
                if (!settings.takeOver.test(request)) {
                    break;
                }
            } else if (counts(request, source)) {
                return Verdict.rewrite(source.on(proposed));
            }
        }
        return refusal(request, rested.orElse("All source addresses of pool " + pool.name()
                + " have sent what they may on this day of their warm-up"));
    }

    /** Why an address is not to be used now. */
    private Optional<String> resting(SourceRequest request, SourceAddress source) {
        var address = source.address().getHostAddress();
        var until = rests.until(source.address(), request.destination());
        if (until.isPresent()) {
            return Optional.of("Source address " + address + " is refused by " + request.destination() + " and rests until "
                    + until.get().plusMillis(999).truncatedTo(ChronoUnit.SECONDS));
        }
        return Optional.ofNullable(settings.monitor)
                .map(monitor -> monitor.level(monitor.key(request.session(), source.on(request.proposed()))))
                .filter(level -> level.compareTo(settings.avoided) >= 0)
                .map(level -> "Source address " + address + " finds " + request.destination() + " " + level);
    }

    private boolean counts(SourceRequest request, SourceAddress source) {
        var transaction = request.transaction();
        var attributes = transaction.map(Transaction::attributes).orElse(request.session().attributes());
        boolean counted = transaction.isPresent() && attributes.get(chosen).filter(source::equals).isPresent();
        if (!counted && !warmUps.allows(source, transaction.isPresent())) {
            return false;
        }
        attributes.put(chosen, source);
        return true;
    }

    private static Verdict<Route> refusal(SourceRequest request, String reason) {
        var text = Keys.shortened(reason.replaceAll("\\p{Cntrl}", "?"), LONGEST_REFUSAL);
        return Verdict.reject(request.transaction().isPresent() ? Reply.of(451, "4.7.1", text) : Reply.of(421, "4.7.1", text));
    }

    @Override
    public Verdict<Command> command(RelaySession session, Command command) {
        if (command.verb() == Verb.EHLO || command.verb() == Verb.HELO) {
            replies.passed(session, command);
        }
        return Verdict.proceed();
    }

    /** Counts a transaction of a session whose address was chosen at connect. */
    @Override
    public Verdict<Command> mail(Transaction transaction, Command command) {
        var source = transaction.session().attributes().get(chosen);
        if (source.isPresent() && transaction.attributes().get(chosen).isEmpty()) {
            if (!warmUps.allows(source.get(), true)) {
                return Verdict.reject(Reply.of(451, "4.7.1", "Source address " + source.get().address().getHostAddress()
                        + " has sent what it may on this day of its warm-up"));
            }
            transaction.attributes().put(chosen, source.get());
        }
        replies.passed(transaction.session(), command);
        return Verdict.proceed();
    }

    @Override
    public Verdict<Command> rcpt(Transaction transaction, Command command) {
        replies.passed(transaction.session(), command);
        return Verdict.proceed();
    }

    @Override
    public void greeting(RelaySession session, Reply greeting) {
        session.route().ifPresent(route -> said(route, greeting));
    }

    @Override
    public void reply(RelaySession session, Command command, Reply reply) {
        replies.toCommand(session, command, reply)
                .ifPresent(refusal -> Keys.route(session).ifPresent(route -> said(route, refusal)));
    }

    @Override
    public void notice(RelaySession session, Notice notice) {
        replies.ofLeg(session, notice)
                .ifPresent(refusal -> Keys.route(session).ifPresent(route -> said(route, refusal)));
    }

    @Override
    public void transactionEnded(RelaySession session, TransactionRecord transaction) {
        replies.last(session, transaction).ifPresent(reply -> said(transaction.route(), reply));
    }

    private void said(Route route, Reply reply) {
        if (route.source().isPresent() && settings.signs.read(reply) == ThrottleSign.SOURCE_BLOCKED) {
            rests.refused(route.source().get(), settings.destination.apply(route), settings.rest,
                    reply.code() + " " + reply.text());
        }
    }

    /**
     * Lets an address rest at a destination, or changes its rest.
     *
     * @param address the address
     * @param destination the destination, as the builder's function names it
     * @param length how long from now, 1 s to 365 days; {@link #wake} ends it earlier
     * @param reason for {@link #resting}; of a long one the beginning is kept
     * @throws IllegalArgumentException if the length is out of its range
     */
    public void rest(InetAddress address, String destination, Duration length, String reason) {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(reason, "reason");
        rests.rest(address, destination, Keys.between("rest of", length, Duration.ofSeconds(1), RestLedger.LONGEST), reason);
    }

    /**
     * Ends an address' rest at a destination.
     *
     * @param address the address
     * @param destination the destination, as the builder's function names it
     */
    public void wake(InetAddress address, String destination) {
        rests.wake(address, destination);
    }

    /**
     * The addresses that rest at this moment.
     *
     * @return an immutable copy
     */
    public List<RestingSource> resting() {
        return rests.all();
    }

    /**
     * How far the addresses have come in their warm-up, those that were ever asked about.
     *
     * @return an immutable copy
     */
    public List<WarmingSource> warming() {
        return warmUps.all();
    }

    @Override
    public String stateName() {
        return settings.name;
    }

    @Override
    public void save(Consumer<List<String>> out) {
        warmUps.save(out);
        rests.save(out);
    }

    @Override
    public void load(List<String> fields) {
        switch (fields.get(0)) {
            case WarmUpLedger.RECORD -> warmUps.load(fields);
            case RestLedger.RECORD -> rests.load(fields);
            default -> throw new IllegalArgumentException("neither " + WarmUpLedger.RECORD + " nor " + RestLedger.RECORD);
        }
    }
}
