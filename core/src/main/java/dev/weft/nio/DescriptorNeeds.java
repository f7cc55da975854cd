package dev.weft.nio;

import java.util.List;

/**
 * What one destination lacks to open the legs whose turn it is: found out anew each time that it looks for who may go on. Guarded
 * by the destination's lock, but {@link #first}.
 */
final class DescriptorNeeds {

    private final LegDescriptors descriptors;
    private final LeaseCount count;
    private boolean inQueue;
    /** It is known to have idle legs. */
    private boolean listed;
    private long all;
    private volatile long first;

    DescriptorNeeds(LegDescriptors descriptors, LeaseCount count) {
        this.descriptors = descriptors;
        this.count = count;
    }

    /** What the first leg that waits for descriptors needs; 0 if none does. */
    long first() {
        return first;
    }

    void begin() {
        all = 0;
        first = 0;
    }

    /** Holds descriptors for a new leg. Who finds none looks again once it is in the queue, lest it miss some that just came. */
    boolean take(LeaseRequest request) {
        long needs = request.descriptors();
        if (needs == 0 || descriptors.take(needs, count)) {
            return true;
        }
        if (!inQueue) {
            inQueue = true;
            descriptors.join(count);
        }
        if (descriptors.take(needs, count)) {
            return true;
        }
        first = all == 0 ? needs : first;
        all += needs;
        return false;
    }

    /** All were looked at. */
    void end(boolean anyIdle, List<Runnable> orders) {
        if (all > 0) {
            long lacks = all;
            orders.add(() -> descriptors.needed(count, lacks));
        } else if (inQueue) {
            inQueue = false;
            orders.add(() -> descriptors.leave(count));
        }
        if (listed != anyIdle) {
            listed = anyIdle;
            descriptors.hasIdleLegs(count, anyIdle);
        }
    }
}
