package dev.weft.policy;

import java.time.Duration;

/**
 * How many server legs one destination allows, as learnt so far: a window that opens by one and closes by a factor, as TCP's
 * congestion window does (RFC 5681 §3.1). Changes as it is told of refusals and successes; the settings are a {@link LegLimit}.
 *
 * <ul>
 * <li><b>Cut.</b> On a refusal for the number of connections, to a part of the legs that were out then (or of the limit, if
 * that is less), at least by one, never below 1. Refusals within the burst time after a cut are its echo and change nothing.
 * <li><b>Rise.</b> By one, when as many leases as the limit have ended well since the last change, while the limit was what held
 * turns back: a limit that nobody tried is not known to be allowed.
 * <li><b>Memory.</b> Where it was refused is remembered. Up to one less than that it rises at full pace, since so many were
 * allowed; from there on each step takes twice as long for each recent cut, up to 64 times. A cut is forgotten after ten
 * minutes without another, and six are remembered at most: an hour after the last refusal all is as at the beginning.
 * </ul>
 *
 * <p>Not thread-safe: the caller guards it, best with the lock of the destination's {@link FairTurns}.
 */
public final class LearntLimit {

    private static final long FORGET_AFTER = Duration.ofMinutes(10).toNanos();
    private static final int MOST_DOUBLINGS = 6;

    private final LegLimit settings;
    private int legs;
    /** The legs that were out when one was refused; 0 if none was lately. */
    private int refusedAt;
    private int recentCuts;
    private long lastCut;
    private long forgetFrom;
    private boolean changed;
    private long lastChange;
    private long quietLeases;

    LearntLimit(LegLimit settings) {
        this.settings = settings;
        this.legs = settings.initial();
    }

    /**
     * The limit now.
     *
     * @return at least 1; {@link Integer#MAX_VALUE} if there is none
     */
    public int legs() {
        return legs;
    }

    /**
     * The legs that were out when the destination last refused one for their number.
     *
     * @return with the refused one; 0 if there was no refusal lately
     */
    public int refusedAt() {
        return refusedAt;
    }

    /**
     * The destination refused a leg because there are too many ({@link ThrottleSign#TOO_MANY_CONNECTIONS}).
     *
     * @param out the legs that were out, with the refused one
     * @param now the time in nanoseconds
     * @return whether the limit was cut
     */
    public boolean refused(int out, long now) {
        if (!settings.learns()) {
            return false;
        }
        quietLeases = 0;
        if (recentCuts > 0 && now - lastCut < settings.burstNanos()) {
            return false;
        }
        forget(now);
        int allowed = Math.min(legs, Math.max(out, 1));
        refusedAt = allowed;
        legs = Math.max(1, Math.min(allowed - 1, (int) (allowed * settings.cutTo())));
        recentCuts = Math.min(recentCuts + 1, MOST_DOUBLINGS); // else an hour of refusals would slow it down for days
        lastCut = now;
        forgetFrom = now;
        change(now);
        return true;
    }

    /**
     * A lease ended without a refusal of that kind.
     *
     * @param full whether the limit held turns back ({@link FairTurns#isFull()}, asked before the release)
     * @param now the time in nanoseconds
     * @return whether the limit rose
     */
    public boolean succeeded(boolean full, long now) {
        if (!settings.learns() || !full || legs >= settings.most()) {
            return false;
        }
        forget(now);
        quietLeases++;
        int doublings = legs + 1 < refusedAt ? 0 : Math.min(recentCuts, MOST_DOUBLINGS);
        if (quietLeases < (long) legs << doublings || changed && now - lastChange < settings.riseNanos() << doublings) {
            return false;
        }
        legs++;
        change(now);
        return true;
    }

    private void change(long now) {
        quietLeases = 0;
        changed = true;
        lastChange = now;
    }

    private void forget(long now) {
        while (recentCuts > 0 && now - forgetFrom >= FORGET_AFTER) {
            recentCuts--;
            forgetFrom += FORGET_AFTER;
        }
        if (recentCuts == 0) {
            refusedAt = 0;
        }
    }

    /**
     * For logs.
     *
     * @return the limit and what it is based on
     */
    @Override
    public String toString() {
        return legs == Integer.MAX_VALUE ? "unlimited" : legs + " legs (" + settings + ")";
    }
}
