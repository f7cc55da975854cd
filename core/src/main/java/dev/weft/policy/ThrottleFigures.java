package dev.weft.policy;

import java.time.Duration;
import java.util.Map;

/**
 * How a destination treats one of our addresses, as of one moment. Counts and means decay, so that the last minutes weigh most.
 *
 * @param key the address and the destination
 * @param level the verdict
 * @param evidence what the verdict is based on, with figures; empty if it is {@link ThrottleLevel#CLEAR}
 * @param times how long each step takes; a step that did not happen is absent
 * @param accepted messages that were accepted
 * @param deferred replies of 4xx, those of 421 among them
 * @param closing replies of 421
 * @param refused replies of 5xx
 * @param signs the replies among them that spoke of our pace or our address; a sign that was not seen is absent
 * @param unreachable sessions, or bound on mail transactions, whose connection failed, an address of ours that could not be bound
 *        among them, or was never greeted; no evidence of throttling by themselves
 */
public record ThrottleFigures(
        ThrottleKey key,
        ThrottleLevel level,
        String evidence,
        Map<Step, Times> times,
        double accepted,
        double deferred,
        double closing,
        double refused,
        Map<ThrottleSign, Double> signs,
        double unreachable) {

    /** What is timed. */
    public enum Step {
        /** From the connection to the greeting; only of sessions that have a server leg of their own. */
        GREETING,
        /** MAIL, one RCPT (their mean) and DATA, each to its reply; those that were pipelined overlap. */
        ENVELOPE,
        /** From end-of-data to the reply. */
        END_OF_DATA
    }

    /**
     * The moving means of a step.
     *
     * @param recent of the last minutes
     * @param usual of the last day
     * @param samples how many the recent one is made of, after decay
     */
    public record Times(Duration recent, Duration usual, double samples) {}

    /**
     * Takes copies.
     *
     * @param key the address and the destination
     * @param level the verdict
     * @param evidence what the verdict is based on
     * @param times how long each step takes
     * @param accepted messages that were accepted
     * @param deferred replies of 4xx
     * @param closing replies of 421
     * @param refused replies of 5xx
     * @param signs the replies that spoke of our pace or our address
     * @param unreachable connections that failed
     */
    public ThrottleFigures {
        times = Map.copyOf(times);
        signs = Map.copyOf(signs);
    }
}
