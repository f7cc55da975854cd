package dev.weft.examples;

import dev.weft.SmtpProxyBuilder;
import dev.weft.policy.Destination;
import dev.weft.policy.LegLimit;
import dev.weft.policy.Rate;
import dev.weft.policy.RateLimits;
import dev.weft.relay.Binding;
import dev.weft.session.PoolSettings;
import java.time.Duration;

/** Puts the options about the binding of sessions, and about how much a client may send, on the proxy's builder. */
final class BindingSetup {

    /** How the limit is learnt: from a number that few servers refuse, up to one that no client host needs. */
    private static final LegLimit LEARNT = LegLimit.learnt(10, 200);

    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    private final ProxyOptions options;

    BindingSetup(ProxyOptions options) {
        this.options = options;
    }

    /** What is wrong with the options together. */
    static void check(ProxyOptions options) throws UsageException {
        var onMail = options.binding == Binding.ON_MAIL;
        var alone = options.limit != null ? "--limit"
                : options.legMessages != null ? "--leg-messages"
                : options.leaseWait != null ? "--lease-wait"
                : options.heloName != null ? "--helo" : null;
        if (!onMail && alone != null) {
            throw new UsageException(
                    alone + " goes only with --binding mail: on connect each client has a server connection of its own");
        }
    }

    static Binding binding(String option, String value) throws UsageException {
        return switch (value) {
            case "connect" -> Binding.ON_CONNECT;
            case "mail" -> Binding.ON_MAIL;
            default -> throw new UsageException(option + " " + value + ": give connect or mail");
        };
    }

    static LegLimit limit(String option, String value) throws UsageException {
        if (value.equals("auto")) {
            return LEARNT;
        }
        try {
            return LegLimit.fixed(Values.count(option, value));
        } catch (UsageException e) {
            throw new UsageException(e.getMessage() + ", or auto");
        }
    }

    static Duration leaseWait(String option, String value) throws UsageException {
        return Values.someSeconds(option, value, value, LONGEST_WAIT);
    }

    static Rate rate(String option, String value) throws UsageException {
        try {
            return Rate.parse(value);
        } catch (IllegalArgumentException e) {
            throw new UsageException(option + " " + value + ": write a number from 1 and a unit, s, m, h or d, such as 100/h");
        }
    }

    /** What leaves from a client's own address shares it with nobody: only a limit that was asked for holds. */
    private LegLimit limitOf(Destination destination) {
        if (options.limit != null) {
            return options.limit;
        }
        return destination.ofClient() ? LegLimit.unlimited() : LEARNT;
    }

    void configure(SmtpProxyBuilder builder) throws UsageException {
        if (options.binding == Binding.ON_MAIL) {
            builder.binding(Binding.ON_MAIL).legLimits(this::limitOf);
        }
        if (options.heloName != null) {
            try {
                builder.helloName(options.heloName);
            } catch (IllegalArgumentException e) {
                throw new UsageException("--helo: " + e.getMessage());
            }
        }
        var pool = PoolSettings.DEFAULT;
        if (options.legMessages != null) {
            pool = pool.withMessages(options.legMessages);
        }
        if (options.leaseWait != null) {
            pool = pool.withPatience(options.leaseWait);
        }
        builder.pool(pool);
        if (options.rate != null) {
            builder.handler(RateLimits.of(options.rate).build());
        }
    }
}
