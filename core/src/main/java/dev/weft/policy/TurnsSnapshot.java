package dev.weft.policy;

import java.time.Duration;
import java.util.List;

/**
 * How one destination's turns stood at a moment, for a control panel.
 *
 * @param limit the server legs allowed; {@link Integer#MAX_VALUE} if there is no limit
 * @param out the turns granted and not yet released; above the limit for a while after it was lowered
 * @param waiting the waiters of all tenants
 * @param tenants those with a turn out or a waiter, in the order of their names
 */
public record TurnsSnapshot(int limit, int out, int waiting, List<OfTenant> tenants) {

    /**
     * Copies the list.
     *
     * @param limit the server legs allowed
     * @param out the turns granted
     * @param waiting the waiters of all tenants
     * @param tenants those with a turn out or a waiter
     */
    public TurnsSnapshot {
        tenants = List.copyOf(tenants);
    }

    /**
     * One tenant's part.
     *
     * @param name the tenant's name
     * @param weight its weight
     * @param out its turns granted and not yet released
     * @param waiting its waiters
     * @param longestWait how long its first waiter has waited, zero if none does
     */
    public record OfTenant(String name, double weight, int out, int waiting, Duration longestWait) {
    }
}
