package dev.weft.policy;

/**
 * How much an address may send while it is new and nobody trusts it yet: so much on its first day, and more on each further
 * day, up to a cap. Days are UTC's. A day on which less than half of the allowance was sent earns nothing, and the next has the
 * same.
 *
 * @param first messages on the first day, 1 or more
 * @param growth by which each day's allowance is the former one's, 1 or more
 * @param most where the growth ends, no less than {@code first}; this stays the address' limit for a day
 */
public record WarmUp(int first, double growth, int most) {

    /**
     * Checks the figures.
     *
     * @param first messages on the first day, 1 or more
     * @param growth by which each day's allowance is the former one's, 1 or more
     * @param most where the growth ends
     * @throws IllegalArgumentException if one is out of its range
     */
    public WarmUp {
        if (first < 1 || most < first || !(growth >= 1) || Double.isInfinite(growth)) {
            throw new IllegalArgumentException("warm-up from " + first + " by " + growth + " up to " + most
                    + ": give 1 message or more, a growth of 1 or more such as 1.5,"
                    + " and a cap that is no less than the first day's");
        }
    }

    /**
     * From 50 messages on the first day, by half as many again on each further day, up to a cap.
     *
     * @param most where the growth ends, 50 or more
     * @return the plan
     * @throws IllegalArgumentException if the cap is less
     */
    public static WarmUp upTo(int most) {
        return new WarmUp(50, 1.5, most);
    }

    /**
     * The allowance of a day.
     *
     * @param day 1 for the first; less counts as 1
     * @return messages
     */
    public int allowance(int day) {
        double grown = first * Math.pow(growth, Math.max(0, day - 1));
        return grown >= most ? most : (int) grown;
    }
}
