package dev.weft.examples;

import dev.weft.intercept.Network;
import dev.weft.session.Timeouts;
import dev.weft.policy.LegLimit;
import dev.weft.policy.Rate;
import dev.weft.relay.Binding;
import dev.weft.smtp.BareLineEnds;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the standalone proxy was asked for; filled by {@link OptionParser}, which checks that it fits together. */
final class ProxyOptions {

    /** How the original destination is found. */
    enum Intercept {
        TPROXY, REDIRECT, INHERITED, PROXY_PROTOCOL;

        /** As on the command line. */
        String option() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** The levels of TLS towards servers. */
    enum TlsLevel {
        NONE, MAY, ENCRYPT, VERIFY;

        /** As on the command line. */
        String option() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    boolean help;
    boolean version;
    boolean hold;
    final List<InetSocketAddress> listen = new ArrayList<>();
    Intercept intercept;
    InetSocketAddress to;
    List<Network> trusted = List.of();
    List<InetAddress> sources = List.of();
    boolean sourceClient;
    final List<String> handlers = new ArrayList<>();
    List<Path> handlerPath = List.of();
    String log;
    Timeouts timeouts = Timeouts.DEFAULT;
    Binding binding = Binding.ON_CONNECT;
    LegLimit limit;
    String heloName;
    Integer legMessages;
    Duration leaseWait;
    Rate rate;
    // The server leg's TLS; empty: as the library takes it.
    TlsLevel tls;
    List<String> verifyNames = List.of();
    String tlsBackend;
    Path trust;
    Path tlsCache;
    // The client leg's: the certificates and their keys go together in the order given.
    final List<Path> certificates = new ArrayList<>();
    final List<Path> keys = new ArrayList<>();
    boolean requireTls;
    boolean passThrough;
    final List<InetSocketAddress> implicitTls = new ArrayList<>();
    BareLineEnds bareLineEnds = BareLineEnds.GUARD;
    Duration grace = Duration.ofSeconds(30);
    // Empty: what the library takes by default.
    Integer maxSessions;
    Integer maxSessionsPerClient;
    Integer loops;
}
