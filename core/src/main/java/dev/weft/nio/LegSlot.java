package dev.weft.nio;

/**
 * One connection that a destination is counted to have: from before it is opened until its socket is closed. It passes from an
 * opening to the leg, and from a leg that died on its way to the transaction that was to have it.
 */
final class LegSlot {

    /** What the connection is there for. Guarded by the destination's lock. */
    enum Place {
        /** It is opened for a transaction, or serves one. */
        LEASED,
        /** It waits to be used again. */
        IDLE,
        /** A transaction was given it, and it is on its way there. */
        CLAIMED,
        /** It is of no use any more, but the server may still count it. */
        CLOSING
    }

    final LeaseCount count;
    Place place = Place.LEASED;
    /** It closes so that its descriptors can be used by others. Guarded by the destination's lock. */
    boolean yields;
    /** How many descriptors are held for it; 0 where a session holds them. For whoever has the slot. */
    long descriptors;

    LegSlot(LeaseCount count, long descriptors) {
        this.count = count;
        this.descriptors = descriptors;
    }
}
