package dev.weft;

import dev.weft.nio.LegPool;
import dev.weft.policy.Destination;
import dev.weft.policy.LegLimit;
import dev.weft.policy.ThrottleSigns;
import dev.weft.relay.Binding;
import dev.weft.session.OnMailSettings;
import dev.weft.session.PoolSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.function.Function;

/** What a builder was told about leased server legs. */
final class LegChoice {

    private static final LegLimit LEARNT = LegLimit.learnt(20, 200);

    Binding binding = Binding.ON_CONNECT;
    /** Null for this host's name. */
    String helloName;
    PoolSettings pool = PoolSettings.DEFAULT;
    ThrottleSigns signs = ThrottleSigns.defaults();
    /** Sessions bound on connect are limited, too. */
    boolean onConnect;
    /** Who leaves from a client's own address has nothing to share with others. */
    Function<Destination, LegLimit> limits = destination -> destination.ofClient() ? LegLimit.unlimited() : LEARNT;

    LegPool.Config config() {
        return new LegPool.Config(binding, pool, limits, signs, onConnect);
    }

    /** The settings with a name to greet by: the host's, where none was given. */
    OnMailSettings named(OnMailSettings settings) {
        if (helloName != null) {
            return settings.withHelloName(helloName);
        }
        return settings.helloName().equals(OnMailSettings.DEFAULT.helloName()) ? settings.withHelloName(hostName()) : settings;
    }

    private static String hostName() {
        try {
            var name = InetAddress.getLocalHost().getHostName();
            return name.matches("[A-Za-z0-9_.-]{1,255}") ? name : OnMailSettings.DEFAULT.helloName();
        } catch (UnknownHostException e) {
            return OnMailSettings.DEFAULT.helloName(); // a host without a name of its own: servers may dislike that, and say so
        }
    }
}
