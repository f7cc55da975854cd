package dev.weft.policy;

import dev.weft.relay.Tenant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * The accounts behind {@link FairTurns}: where each tenant stands, which is furthest behind, and who may be forgotten.
 *
 * <p>The scale is leg-nanoseconds per weight. All time is contended time, which passes only while somebody waits. A
 * <i>period</i> is a stretch of contention; an account that was last touched in an earlier one is settled: it stands where the
 * period began.
 *
 * @param <W> what the caller keeps with a turn
 */
final class TurnLedger<W> {

    /** Before any lease has ended: about one message to a busy server. */
    private static final long FIRST_LEASE = Duration.ofSeconds(1).toNanos();
    /** One lease's part in the moving mean. */
    private static final int MEAN_OF = 32;
    /** The mean may go so far from what is counted in advance, as one part of it, before that follows. */
    private static final int MEAN_STEP = 8;
    /** How many leases the mark may be beyond the waiting tenant that is furthest behind. */
    private static final double MARK_BEYOND = 2;

    private final Map<String, TurnAccount<W>> accounts = new HashMap<>();
    /**
     * Those with waiters. An account's rank only grows while nothing happens to it, so the ranks here are lower bounds, and are
     * brought up to date when they come to the front, and all together when {@link #ahead} changes.
     */
    private final TreeSet<TurnAccount<W>> ready = new TreeSet<>(TurnAccount.ORDER);
    /** Those with neither waiters nor turns, and beyond the mark. */
    private final TreeSet<TurnAccount<W>> debtors = new TreeSet<>(TurnAccount.ORDER);

    private int active;
    private double activeWeight;
    private long contended;
    /** Where a tenant stands that was active all the time and had exactly its share. */
    private double mark;
    private long period;
    private double periodMark;
    private long periodStart;
    private long serials;

    private long meanLease = FIRST_LEASE;
    private int leasesInMean;
    /**
     * What a leg that is out counts in advance: about the mean lease. The same for all legs at any moment, whenever they were
     * granted; else tenants would be compared by when they got their legs rather than by how many they hold.
     */
    private long ahead = FIRST_LEASE;
    private int leasesSinceStep;

    /**
     * Lets contended time pass, with somebody waiting and so many turns out. The mark moves as the fair share does, but never far
     * beyond who is furthest behind: while a tenant keeps legs for long, all others have less than their share, and who comes
     * would have to wait until they have caught up with it. It may be a little beyond, since who comes is often the furthest
     * behind itself: else a crowd that comes one by one would always be served first.
     */
    void pass(long nanos, int out) {
        contended += nanos;
        var behind = ready.first();
        double share = mark + nanos * (double) out / activeWeight;
        mark = Math.max(mark, Math.min(share, behind.rank + MARK_BEYOND * ahead / behind.weight));
    }

    Collection<TurnAccount<W>> accounts() {
        return accounts.values();
    }

    /** How many waiters a tenant has. */
    int waiters(Tenant tenant) {
        var account = accounts.get(tenant.name());
        return account == null ? 0 : account.waiting.size();
    }

    /** The account of a tenant that asks, counted up to now, active from now on. */
    TurnAccount<W> enter(Tenant tenant) {
        var account = accounts.computeIfAbsent(tenant.name(), name -> new TurnAccount<>(name, tenant.weight()));
        boolean wasActive = account.isActive();
        if (!wasActive) {
            debtors.remove(account);
        }
        count(account);
        if (account.waiting.isEmpty()) {
            account.notBefore(mark);
        }
        if (account.weight != tenant.weight()) {
            changeWeight(account, tenant.weight(), wasActive);
        }
        if (!wasActive) {
            active++;
            activeWeight += account.weight;
        }
        return account;
    }

    private void changeWeight(TurnAccount<W> account, double weight, boolean wasActive) {
        ready.remove(account);
        if (wasActive) {
            activeWeight += weight - account.weight;
        }
        account.changeWeight(weight);
        if (!account.waiting.isEmpty()) {
            rank(account);
        }
    }

    void addWaiter(Turn<W> turn) {
        var account = turn.account;
        account.waiting.add(turn);
        if (account.waiting.size() == 1) {
            account.serial = serials++;
            rank(account);
        }
    }

    void removeWaiter(Turn<W> turn) {
        var account = turn.account;
        account.waiting.remove(turn);
        if (account.waiting.isEmpty()) {
            ready.remove(account);
            count(account);
            leaveIfIdle(account);
        }
    }

    /** The first waiter of the tenant that is furthest behind, who holds a leg from now on. There must be one. */
    Turn<W> takeNext() {
        var account = furthestBehind();
        mark = Math.max(mark, account.point());
        var turn = account.waiting.iterator().next();
        ready.remove(account);
        account.waiting.remove(turn);
        take(turn);
        if (!account.waiting.isEmpty()) {
            account.serial = serials++;
            rank(account);
        }
        while (!debtors.isEmpty() && debtors.first().rank <= mark) {
            accounts.remove(debtors.pollFirst().name);
        }
        return turn;
    }

    void take(Turn<W> turn) {
        turn.account.out++;
    }

    void giveBack(Turn<W> turn, long held) {
        var account = turn.account;
        count(account);
        account.out--;
        if (account.waiting.isEmpty()) {
            leaveIfIdle(account);
        } else {
            ready.remove(account);
            rank(account);
        }
        learn(held);
    }

    /** Takes a lease into the mean. All ranks are made anew at most once for as many leases as there are ranks. */
    private void learn(long held) {
        leasesInMean = Math.min(leasesInMean + 1, MEAN_OF);
        meanLease = Math.max(1, meanLease + (held - meanLease) / leasesInMean);
        if (++leasesSinceStep >= ready.size() && Math.abs(meanLease - ahead) > ahead / MEAN_STEP) {
            leasesSinceStep = 0;
            ahead = meanLease;
            var all = new ArrayList<>(ready);
            ready.clear();
            for (var account : all) {
                count(account);
                rank(account);
            }
        }
    }

    /** Nobody waits: all accounts are settled. */
    void endPeriod() {
        debtors.forEach(account -> accounts.remove(account.name));
        debtors.clear();
        period++;
        periodMark = mark;
        periodStart = contended;
    }

    private TurnAccount<W> furthestBehind() {
        while (true) {
            var first = ready.first();
            count(first);
            if (first.currentRank(ahead) == first.rank) {
                return first;
            }
            ready.remove(first);
            rank(first);
        }
    }

    /** For an account that is counted up to now and in no set. */
    private void rank(TurnAccount<W> account) {
        account.rank = account.currentRank(ahead);
        ready.add(account);
    }

    private void count(TurnAccount<W> account) {
        if (account.period != period) {
            account.begin(period, periodMark, periodStart);
        }
        account.countTo(contended);
    }

    private void leaveIfIdle(TurnAccount<W> account) {
        if (account.isActive()) {
            return;
        }
        active--;
        activeWeight -= account.weight;
        account.rank = account.point();
        if (account.rank > mark) {
            account.serial = serials++;
            debtors.add(account);
        } else {
            accounts.remove(account.name);
        }
        if (active == 0) {
            // Floating point numbers that only grow, or sums of them, lose precision: begin anew where nothing depends on them.
            activeWeight = 0;
            mark = 0;
            endPeriod();
        }
    }
}
