package dev.weft.policy;

import java.util.Objects;

/**
 * How the server legs to one destination stood at a moment, for a control panel.
 *
 * @param destination what they are counted by
 * @param limit the legs allowed now; {@link Integer#MAX_VALUE} if there is no limit
 * @param open all connections that the destination may count: leased, idle and closing; above the limit for a while after that
 *        was lowered
 * @param idle those that wait to be used again
 * @param closing those of no use any more whose sockets are not closed yet
 * @param turns who has a turn and who waits for one
 */
public record DestinationSnapshot(Destination destination, int limit, int open, int idle, int closing, TurnsSnapshot turns) {

    /**
     * Checks that nothing is null.
     *
     * @param destination what they are counted by
     * @param limit the legs allowed now
     * @param open all connections that the destination may count
     * @param idle those that wait to be used again
     * @param closing those of no use any more
     * @param turns who has a turn and who waits for one
     */
    public DestinationSnapshot {
        Objects.requireNonNull(destination, "destination");
        Objects.requireNonNull(turns, "turns");
    }

    /**
     * The connections that are being opened for a transaction, or serve one.
     *
     * @return all that are neither idle nor closing
     */
    public int leased() {
        return open - idle - closing;
    }
}
