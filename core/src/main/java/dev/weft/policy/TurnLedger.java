package dev.weft.policy;

import dev.weft.relay.Tenant;
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

    private final Map<String, TurnAccount<W>> accounts = new HashMap<>();
    /**
     * Those with waiters. An account's rank only grows while nothing happens to it, so the ranks here are lower bounds, and are
     * brought up to date when they come to the front.
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

    /** Lets contended time pass, with so many turns out. */
    void pass(long nanos, int out) {
        contended += nanos;
        if (active > 0) {
            mark += nanos * (double) out / activeWeight;
        }
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

    /** The first waiter of the tenant that is furthest behind, charged and no longer waiting. There must be one. */
    Turn<W> takeNext(long charge) {
        var account = furthestBehind();
        mark = Math.max(mark, account.point());
        var turn = account.waiting.iterator().next();
        ready.remove(account);
        account.waiting.remove(turn);
        charge(turn, charge);
        if (!account.waiting.isEmpty()) {
            account.serial = serials++;
            rank(account);
        }
        while (!debtors.isEmpty() && debtors.first().rank <= mark) {
            accounts.remove(debtors.pollFirst().name);
        }
        return turn;
    }

    void charge(Turn<W> turn, long charge) {
        turn.charge = charge;
        turn.account.took(charge);
    }

    void giveBack(Turn<W> turn) {
        var account = turn.account;
        count(account);
        account.gaveBack(turn.charge);
        if (account.waiting.isEmpty()) {
            leaveIfIdle(account);
        } else {
            ready.remove(account);
            rank(account);
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
            if (first.currentRank() == first.rank) {
                return first;
            }
            ready.remove(first);
            rank(first);
        }
    }

    /** For an account that is counted up to now and in no set. */
    private void rank(TurnAccount<W> account) {
        account.rank = account.currentRank();
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
