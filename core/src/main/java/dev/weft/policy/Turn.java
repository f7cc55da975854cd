package dev.weft.policy;

import dev.weft.relay.Tenant;

/**
 * One wish for a server leg, from the question to its end. Made by {@link FairTurns#ask}, changed by that object alone, and
 * read under the same guard.
 *
 * @param <W> what the caller keeps with it
 */
public final class Turn<W> {

    /** How a wish stands. */
    public enum State {
        /** In its tenant's queue. */
        WAITING,
        /** May use a leg, and must be released. */
        GRANTED,
        /** Was never queued: the tenant's queue was full. */
        REFUSED,
        /** Given up by the caller while it waited. */
        WITHDRAWN,
        /** Waited for as long as a wish may. */
        EXPIRED,
        /** Was granted and is over. */
        RELEASED
    }

    final FairTurns<W> owner;
    final TurnAccount<W> account;
    final long askedAt;
    State state = State.WAITING;
    long grantedAt;

    private final Tenant tenant;
    private final W waiter;

    Turn(FairTurns<W> owner, TurnAccount<W> account, Tenant tenant, W waiter, long askedAt) {
        this.owner = owner;
        this.account = account;
        this.tenant = tenant;
        this.waiter = waiter;
        this.askedAt = askedAt;
    }

    /**
     * Who asked.
     *
     * @return the tenant, as it was at the question
     */
    public Tenant tenant() {
        return tenant;
    }

    /**
     * What the caller gave with the question.
     *
     * @return the waiter
     */
    public W waiter() {
        return waiter;
    }

    /**
     * How it stands.
     *
     * @return the present state
     */
    public State state() {
        return state;
    }

    /**
     * Whether a leg may be used.
     *
     * @return true from the grant to the release
     */
    public boolean isGranted() {
        return state == State.GRANTED;
    }

    /**
     * For logs.
     *
     * @return the tenant's name and the state
     */
    @Override
    public String toString() {
        return "turn of " + tenant.name() + ", " + state;
    }
}
