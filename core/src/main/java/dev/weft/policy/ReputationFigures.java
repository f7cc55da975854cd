package dev.weft.policy;

import java.util.Arrays;
import java.util.Map;

/**
 * Counts as of one moment; what happened a half-life ago counts a half.
 *
 * @param accepted recipients whose message a server accepted
 * @param deferred recipients that a server put off with a 4xx; each attempt counts
 * @param refused recipients that a server refused with a 5xx, by what it was about; an absent class has none
 * @param spam messages that the host found to be spam
 */
public record ReputationFigures(double accepted, double deferred, Map<Refusal, Double> refused, double spam) {

    /**
     * Takes a copy.
     *
     * @param accepted recipients whose message a server accepted
     * @param deferred recipients that a server put off
     * @param refused recipients that a server refused, by class
     * @param spam messages found to be spam
     */
    public ReputationFigures {
        refused = Map.copyOf(refused);
    }

    /**
     * All refusals.
     *
     * @return the sum over the classes
     */
    public double allRefused() {
        return refused.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /**
     * All recipients that came to something.
     *
     * @return accepted, deferred and refused
     */
    public double recipients() {
        return accepted + deferred + allRefused();
    }

    /**
     * How much is refused for one class of reasons.
     *
     * @param reasons such as {@link Refusal#ADDRESS}
     * @return 0 to 1 of {@link #recipients()}; 0 if there are none
     */
    public double share(Refusal... reasons) {
        double all = recipients();
        double counted = Arrays.stream(reasons).distinct().mapToDouble(reason -> refused.getOrDefault(reason, 0.0)).sum();
        return all == 0 ? 0 : counted / all;
    }

    /**
     * How much is spam.
     *
     * @return spam beside what servers accepted, 0 to 1; 0 if there is neither
     */
    public double spamShare() {
        return spam == 0 ? 0 : spam / Math.max(spam, accepted);
    }
}
