package dev.weft.policy;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.Tenant;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A handler that lets each account send so many messages, or recipients, in a time, and refuses what is beyond with
 * {@code 450 4.7.1} and the time after which to try again: a mail server keeps such mail in its queue, a hacked account is
 * contained. What counts as an account is a function of the host's.
 *
 * <p>A message counts when MAIL passes here, a recipient when RCPT does, whatever becomes of it later. So give it to the proxy
 * behind the handlers that refuse for other reasons, and before those that count what servers accept, such as {@link
 * SourceAddresses} and {@link Reputation}. For two limits, such as
 * 100 an hour and 500 a day, give the proxy two of these. An account that was not seen for longest is forgotten beyond the cap,
 * and begins anew; one that a peer can choose freely, such as the sender's address, limits only those who don't.
 */
public final class RateLimits implements RelayHandler, StateFile.Part {

    /**
     * An account, as it was when asked for.
     *
     * @param key the account
     * @param rate what it may do
     * @param left how many it could send at this moment
     * @param passed how many passed since the start
     * @param refused how many were refused since the start
     */
    public record Account(String key, Rate rate, int left, long passed, long refused) {}

    private final String name;
    private final Function<Transaction, Optional<String>> key;
    private final Function<String, Optional<Rate>> rates;
    private final boolean recipients;
    private final InstantSource time;
    private final Bounded<String, Bucket> buckets;

    /** By the generic cell rate algorithm: one moment instead of a number of tokens and the time of the last change. */
    private static final class Bucket {
        /** When all that was taken will be saved up again, in nanoseconds since the epoch. */
        long full;
        long passed;
        long refused;
    }

    private RateLimits(Builder builder) {
        name = builder.name;
        key = builder.key;
        rates = builder.rates;
        recipients = builder.recipients;
        time = builder.time;
        buckets = new Bounded<>(builder.most);
    }

    /**
     * Limits with the same rate for every account.
     *
     * @param rate what each may do
     * @return a builder; if nothing else is set, messages are counted by the tenant of the session's route, who is by default the
     *         client's address, in IPv6 its /64
     */
    public static Builder of(Rate rate) {
        var same = Optional.of(Objects.requireNonNull(rate, "rate"));
        return new Builder(account -> same);
    }

    /**
     * Limits with a rate for each account.
     *
     * @param rates gives an account's present rate, empty for no limit; called on event loops, so it must not wait
     * @return a builder; if nothing else is set, messages are counted by the tenant of the session's route, who is by default the
     *         client's address, in IPv6 its /64
     */
    public static Builder of(Function<String, Optional<Rate>> rates) {
        return new Builder(rates);
    }

    /** Describes limits. Not for several threads at once. */
    public static final class Builder {
        private final Function<String, Optional<Rate>> rates;
        private String name = "rate-limits";
        private Function<Transaction, Optional<String>> key = transaction ->
                Optional.of(Keys.tenant(transaction.session(), transaction.route()));
        private boolean recipients;
        private InstantSource time = InstantSource.system();
        private int most = 100_000;

        private Builder(Function<String, Optional<Rate>> rates) {
            this.rates = Objects.requireNonNull(rates, "rates");
        }

        /**
         * Says whose limit counts.
         *
         * @param account gives the account, empty for no limit; called on the session's event loop, so it must not wait. At
         *        MAIL it sees no recipient, nor a tenant that {@link RelayHandler#mailRoute} will give to the route: that is
         *        asked later
         * @return this builder
         */
        public Builder by(Function<Transaction, Optional<String>> account) {
            key = Objects.requireNonNull(account, "account");
            return this;
        }

        /**
         * Counts by the sender's address, in any case; bounces by the client's address.
         *
         * @return this builder
         */
        public Builder bySender() {
            return by(transaction -> Optional.of(transaction.sender().text().isEmpty()
                    ? "<> from " + Tenant.of(transaction.session().client().getAddress()).name()
                    : Keys.sender(transaction.sender())));
        }

        /**
         * Counts recipients at RCPT instead of messages at MAIL. The message goes on to those recipients that passed.
         *
         * @return this builder
         */
        public Builder recipients() {
            recipients = true;
            return this;
        }

        /**
         * The name in a state file, {@code rate-limits} by default.
         *
         * @param word letters, digits and {@code -}
         * @return this builder
         */
        public Builder stateName(String word) {
            name = Objects.requireNonNull(word, "word");
            return this;
        }

        /**
         * Where the time comes from.
         *
         * @param source the system's clock by default
         * @return this builder
         */
        public Builder time(InstantSource source) {
            time = Objects.requireNonNull(source, "source");
            return this;
        }

        /**
         * How many accounts are remembered.
         *
         * @param accounts 1 or more; 100,000 by default
         * @return this builder
         */
        public Builder most(int accounts) {
            most = accounts;
            return this;
        }

        /**
         * Makes the limits.
         *
         * @return limits with every account at its full burst
         * @throws IllegalArgumentException if there are to be no accounts
         */
        public RateLimits build() {
            return new RateLimits(this);
        }
    }

    @Override
    public Verdict<Command> mail(Transaction transaction, Command command) {
        return recipients ? Verdict.proceed() : ask(transaction);
    }

    @Override
    public Verdict<Command> rcpt(Transaction transaction, Command command) {
        return recipients ? ask(transaction) : Verdict.proceed();
    }

    private Verdict<Command> ask(Transaction transaction) {
        var account = key.apply(transaction);
        var wait = account.flatMap(this::take);
        return wait.isEmpty() ? Verdict.proceed() : Verdict.reject(refusal(account.orElseThrow(), wait.get()));
    }

    private Reply refusal(String account, Duration wait) {
        var rate = rates.apply(account).map(limit -> "of " + limit.count() + (recipients ? " recipients in " : " messages in ")
                + Keys.words(limit.per()) + " ").orElse("");
        return Reply.of(450, "4.7.1", "Your limit " + rate + "is used up; try again in " + Keys.words(wait));
    }

    /**
     * Takes one from an account, for a host that counts something else. May be called on any thread.
     *
     * @param account the account
     * @return empty if it was within the limit; else how long it takes until one is, and nothing was taken
     */
    public Optional<Duration> take(String account) {
        var limit = rates.apply(account);
        if (limit.isEmpty()) {
            return Optional.empty();
        }
        long interval = limit.get().interval();
        long burst = interval * limit.get().burst();
        long now = Keys.nanos(time.instant());
        long wait = buckets.update(Keys.bounded(account), Bucket::new, bucket -> {
            // A clock that was set back, or a rate that was lowered, leaves nobody waiting longer than for a whole burst.
            long full = Math.min(Math.max(bucket.full, now), now + burst);
            long over = full + interval - burst - now;
            bucket.full = over > 0 ? full : full + interval;
            bucket.refused += over > 0 ? 1 : 0;
            bucket.passed += over > 0 ? 0 : 1;
            return Math.max(0, over);
        });
        return wait == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(wait));
    }

    /**
     * The accounts that are remembered and have a limit.
     *
     * @return an immutable copy
     */
    public List<Account> accounts() {
        long now = Keys.nanos(time.instant());
        record Seen(String key, long full, long passed, long refused) {}
        var seen = new ArrayList<Seen>();
        buckets.forEach((account, bucket) -> seen.add(new Seen(account, bucket.full, bucket.passed, bucket.refused)));
        return seen.stream().flatMap(each -> rates.apply(each.key).map(rate -> {
            long taken = Math.max(0, each.full - now);
            long left = Math.max(0, (rate.interval() * rate.burst() - taken) / rate.interval());
            return new Account(each.key, rate, (int) left, each.passed, each.refused);
        }).stream()).toList();
    }

    @Override
    public String stateName() {
        return name;
    }

    @Override
    public void save(Consumer<List<String>> out) {
        long now = Keys.nanos(time.instant());
        var records = new ArrayList<List<String>>();
        buckets.forEach((account, bucket) -> {
            if (bucket.full > now) {
                records.add(List.of(account, Long.toString(bucket.full)));
            }
        });
        records.forEach(out);
    }

    @Override
    public void load(List<String> fields) {
        long full = Long.parseLong(fields.get(1));
        if (full < 0) {
            throw new IllegalArgumentException("a time is out of its range");
        }
        buckets.update(Keys.bounded(fields.get(0)), Bucket::new, bucket -> bucket.full = full);
    }
}
