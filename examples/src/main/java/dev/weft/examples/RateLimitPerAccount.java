package dev.weft.examples;

import dev.weft.policy.Rate;
import dev.weft.policy.RateLimits;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;

/**
 * Lets each sender's address send so many messages an hour, and each client ten times that: a hacked account is contained, and
 * so is one that makes up addresses. What is beyond gets a {@code 450 4.7.1} and stays in the sender's queue.
 *
 * <pre>java -Drate=100/h -jar weft-proxy.jar --listen 127.0.0.1:2525 --to mx.example.com:25 \
 *     --handler dev.weft.examples.RateLimitPerAccount</pre>
 */
public final class RateLimitPerAccount implements RelayHandler {

    private static final int ACCOUNTS_OF_A_CLIENT = 10;

    private final RateLimits senders;
    private final RateLimits clients;

    /** Takes the rate from the system property {@code rate}, 100/h if there is none. */
    public RateLimitPerAccount() {
        this(Rate.parse(System.getProperty("rate", "100/h")));
    }

    /**
     * Takes the rate from the host.
     *
     * @param rate what one account may send
     */
    public RateLimitPerAccount(Rate rate) {
        senders = RateLimits.of(rate).bySender().build();
        clients = RateLimits.of(ofAClient(rate)).build();
    }

    private static Rate ofAClient(Rate rate) {
        long most = Math.min(Integer.MAX_VALUE, rate.per().toNanos());
        return new Rate((int) Math.min(most, (long) ACCOUNTS_OF_A_CLIENT * rate.count()), rate.per(),
                (int) Math.min(most, (long) ACCOUNTS_OF_A_CLIENT * rate.burst()));
    }

    @Override
    public Verdict<Command> mail(Transaction transaction, Command command) {
        var verdict = senders.mail(transaction, command);
        return verdict.equals(Verdict.<Command>proceed()) ? clients.mail(transaction, command) : verdict;
    }
}
