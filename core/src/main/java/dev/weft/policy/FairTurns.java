package dev.weft.policy;

import dev.weft.relay.Tenant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Who may use one of a destination's server legs next. One object per destination.
 *
 * <h2>The measure</h2>
 * Fairness is counted in <b>leg-time</b>: a leg that is out for two seconds costs as much as two legs for one. That is what is
 * scarce, and the only measure by which a tenant with slow messages can't slow others down: counted in messages, a tenant whose
 * messages take ten seconds would get ten times the legs of one whose messages take one.
 *
 * <h2>The rule</h2>
 * Each tenant stands at a point on a scale, the leg-time it had divided by its weight. A leg's time is counted while it passes,
 * so nothing must be guessed and nobody sits on a leg for free. The next turn is for the waiting tenant that is furthest
 * behind; legs that are out count in advance with the destination's mean time, so that turns given at one moment are spread as
 * well. This is fair queueing by virtual time; a deficit round robin would give a tenant of weight 10 ten turns in a row, and
 * must know what a turn costs before it gives it. The rest follows:
 * <ul>
 * <li>Only time while somebody waits is counted, and when nobody does all accounts are settled: what was used while there was
 * enough for all is nobody's debt.
 * <li>Who comes, or comes back, stands where the fair share of a tenant that was there all along would be (<i>the mark</i>), or
 * further on if it had more before it left: neither staying away nor leaving earns anything. Where tenants that keep their
 * legs for long leave less than that to the others, it stands at most two mean leases beyond the furthest behind who waits. A
 * tenant that has left is forgotten when the mark has passed it.
 * <li>While fewer turns are out than the limit and somebody waits, {@link #next} grants one. Within a tenant, first come is
 * first served.
 * <li>Between two tenants that both wait all the time, what they had per weight differs in any stretch of time by at most one
 * lease of each if there is one leg, and by a few if there are more: a leg that is out is never taken away.
 * </ul>
 *
 * <p>Times are nanoseconds of one clock, such as {@link System#nanoTime()}; a time before the latest one counts as that. Each
 * call costs the logarithm of the number of waiting tenants, {@link #next} sometimes a step more per tenant that both waits and
 * has turns out, {@link #release} one per waiting tenant when the mean time has moved, not more than one a release on average.
 * Not thread-safe: the caller guards it. State is bounded by the turns that are out or wait and by the tenants whose debt lasts.
 *
 * @param <W> what the caller keeps with a turn, such as the session that waits
 */
public final class FairTurns<W> {

    /** How many waiters a tenant may have at a destination, unless said otherwise: {@value}. */
    public static final int DEFAULT_WAITERS = 100;

    /** How long a waiter waits, unless said otherwise: 30 s, so that a client that waits for the answer to MAIL stays patient. */
    public static final Duration DEFAULT_WAIT = Duration.ofSeconds(30);

    private final int waitersPerTenant;
    private final long longestWait;
    private final TurnLedger<W> ledger = new TurnLedger<>();
    /** All waiters, oldest first. */
    private final LinkedHashSet<Turn<W>> waiting = new LinkedHashSet<>();

    private int limit;
    private int out;
    private boolean started;
    private long latest;

    /**
     * With the default bounds.
     *
     * @param limit the server legs allowed, at least 1; {@link Integer#MAX_VALUE} for no limit
     * @throws IllegalArgumentException if the limit is less than 1
     */
    public FairTurns(int limit) {
        this(limit, DEFAULT_WAITERS, DEFAULT_WAIT);
    }

    /**
     * With bounds of one's own.
     *
     * @param limit the server legs allowed, at least 1; {@link Integer#MAX_VALUE} for no limit
     * @param waitersPerTenant how many waiters a tenant may have here, at least 1
     * @param longestWait how long a waiter waits, more than nothing, at most a day
     * @throws IllegalArgumentException if a value is out of its range
     */
    public FairTurns(int limit, int waitersPerTenant, Duration longestWait) {
        if (waitersPerTenant < 1) {
            throw new IllegalArgumentException("waiters per tenant: " + waitersPerTenant + "; give at least 1");
        }
        if (longestWait.isNegative() || longestWait.isZero() || longestWait.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("longest wait " + longestWait + ": give a time of at most a day, such as PT30S");
        }
        this.limit = checkLimit(limit);
        this.waitersPerTenant = waitersPerTenant;
        this.longestWait = longestWait.toNanos();
    }

    /**
     * Asks for a turn. It is granted at once if a leg is free and nobody waits; else it waits, unless the tenant has as many
     * waiters as it may.
     *
     * @param tenant who asks; its weight counts from now on
     * @param waiter what comes back with the turn
     * @param now the time
     * @return granted, waiting or refused
     */
    public Turn<W> ask(Tenant tenant, W waiter, long now) {
        Objects.requireNonNull(waiter, "waiter");
        passTo(now);
        if (ledger.waiters(tenant) >= waitersPerTenant) {
            var refused = new Turn<>(this, null, tenant, waiter, latest);
            refused.state = Turn.State.REFUSED;
            return refused;
        }
        var turn = new Turn<>(this, ledger.enter(tenant), tenant, waiter, latest);
        if (waiting.isEmpty() && out < limit) {
            ledger.take(turn);
            grant(turn);
        } else {
            ledger.addWaiter(turn);
            waiting.add(turn);
        }
        return turn;
    }

    /**
     * Gives up a turn that waits.
     *
     * @param turn one of this object's
     * @param now the time
     * @return false if it does not wait (any more): if it is granted it must be released
     */
    public boolean withdraw(Turn<W> turn, long now) {
        requireOwn(turn);
        passTo(now);
        return leaveQueue(turn, Turn.State.WITHDRAWN);
    }

    /**
     * Gives a turn back. Call {@link #next} afterwards.
     *
     * @param turn one that is granted
     * @param now the time
     * @throws IllegalStateException if it is not granted, or was released before
     */
    public void release(Turn<W> turn, long now) {
        requireOwn(turn);
        if (!turn.isGranted()) {
            throw new IllegalStateException(turn + ": only a granted turn can be released, and only once");
        }
        passTo(now);
        turn.state = Turn.State.RELEASED;
        out--;
        ledger.giveBack(turn, latest - turn.grantedAt);
    }

    /**
     * The next grant. Call it until it is empty, after each release, withdrawal, expiry, raised limit and question.
     *
     * @param now the time
     * @return a turn that is granted now, or empty if nobody waits or all legs are out
     */
    public Optional<Turn<W>> next(long now) {
        passTo(now);
        if (out >= limit || waiting.isEmpty()) {
            return Optional.empty();
        }
        var turn = ledger.takeNext();
        waiting.remove(turn);
        grant(turn);
        endPeriodIfNobodyWaits();
        return Optional.of(turn);
    }

    /**
     * Ends the waits that lasted as long as they may. Call {@link #next} afterwards.
     *
     * @param now the time
     * @return the turns that expired, oldest first
     */
    public List<Turn<W>> expire(long now) {
        passTo(now);
        var expired = new ArrayList<Turn<W>>();
        while (!waiting.isEmpty()) {
            var oldest = waiting.iterator().next();
            if (latest - oldest.askedAt < longestWait) {
                break;
            }
            leaveQueue(oldest, Turn.State.EXPIRED);
            expired.add(oldest);
        }
        return expired;
    }

    /**
     * When {@link #expire} is due next.
     *
     * @return the time on the caller's clock, or empty if nobody waits
     */
    public OptionalLong nextExpiry() {
        return waiting.isEmpty() ? OptionalLong.empty() : OptionalLong.of(waiting.iterator().next().askedAt + longestWait);
    }

    /**
     * Changes the number of legs allowed. Turns that are out stay so; after a rise call {@link #next}.
     *
     * @param legs at least 1; {@link Integer#MAX_VALUE} for no limit
     * @throws IllegalArgumentException if it is less than 1
     */
    public void limit(int legs) {
        limit = checkLimit(legs);
    }

    /**
     * The server legs allowed.
     *
     * @return at least 1
     */
    public int limit() {
        return limit;
    }

    /**
     * The turns granted and not yet released.
     *
     * @return may be above the limit for a while after that was lowered
     */
    public int out() {
        return out;
    }

    /**
     * The waiters of all tenants.
     *
     * @return how many
     */
    public int waiting() {
        return waiting.size();
    }

    /**
     * Whether the limit is what holds turns back, which is when it is worth trying a higher one.
     *
     * @return true if all legs are out, or somebody waits
     */
    public boolean isFull() {
        return out >= limit || !waiting.isEmpty();
    }

    /**
     * Whether there is nothing to remember, so that the object may be dropped and made anew later.
     *
     * @return true if no turn is out and nobody waits
     */
    public boolean isIdle() {
        return out == 0 && waiting.isEmpty();
    }

    /**
     * How all this stands.
     *
     * @param now the time
     * @return a copy; its cost is that of sorting the tenants
     */
    public TurnsSnapshot snapshot(long now) {
        passTo(now);
        var tenants = ledger.accounts().stream().filter(TurnAccount::isActive).map(this::snapshotOf)
                .sorted(Comparator.comparing(TurnsSnapshot.OfTenant::name)).toList();
        return new TurnsSnapshot(limit, out, waiting.size(), tenants);
    }

    /** The tenants that are kept in mind. */
    int remembered() {
        return ledger.accounts().size();
    }

    private TurnsSnapshot.OfTenant snapshotOf(TurnAccount<W> account) {
        long wait = account.waiting.isEmpty() ? 0 : latest - account.waiting.iterator().next().askedAt;
        return new TurnsSnapshot.OfTenant(account.name, account.weight, account.out, account.waiting.size(),
                Duration.ofNanos(wait));
    }

    private void grant(Turn<W> turn) {
        turn.state = Turn.State.GRANTED;
        turn.grantedAt = latest;
        out++;
    }

    private boolean leaveQueue(Turn<W> turn, Turn.State state) {
        if (!waiting.remove(turn)) {
            return false;
        }
        turn.state = state;
        ledger.removeWaiter(turn);
        endPeriodIfNobodyWaits();
        return true;
    }

    private void endPeriodIfNobodyWaits() {
        if (waiting.isEmpty()) {
            ledger.endPeriod();
        }
    }

    private void passTo(long now) {
        long passed = started ? Math.max(0, now - latest) : 0;
        latest = started ? latest + passed : now;
        started = true;
        if (!waiting.isEmpty()) {
            ledger.pass(passed, out);
        }
    }

    private void requireOwn(Turn<W> turn) {
        if (turn.owner != this) {
            throw new IllegalArgumentException(turn + " belongs to another destination's turns");
        }
    }

    private static int checkLimit(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit " + limit + ": give at least 1, or Integer.MAX_VALUE for no limit");
        }
        return limit;
    }
}
