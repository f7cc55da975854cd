package dev.weft.nio;

import dev.weft.relay.LegTls;
import dev.weft.relay.Route;
import dev.weft.relay.TlsPolicy;
import dev.weft.session.Arrival.TlsOffer;
import dev.weft.tls.spi.CertificateJudge;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsContext;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsFacts;
import dev.weft.tls.spi.TlsServerContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS of a proxy: one context for each side, shared by all loops; the judge of certificates; the memory of servers whose TLS
 * is broken.
 */
public final class Tls {

    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);

    /** How many servers are remembered as broken; beyond that TLS is simply tried again. */
    private static final int REMEMBERED = 10_000;

    private static final long MAINTAIN_SECONDS = 5;

    private final Config config;
    private final Map<InetSocketAddress, Long> broken = new ConcurrentHashMap<>();
    private ExecutorService workers;
    private ScheduledExecutorService maintenance;

    /**
     * What the TLS of a proxy is made from.
     *
     * @param client makes the server legs' engines; empty if no backend is there
     * @param server makes the client legs' engines; empty if clients are offered no TLS
     * @param offer what TLS a client leg in clear is offered
     * @param policy of the routes that handlers are asked about first
     * @param judge judges certificates
     * @param brokenFor how long a server whose TLS failed is remembered
     * @param workers how many threads do handshake work; 0 leaves it on the loops
     */
    public record Config(Optional<TlsClientContext> client, Optional<TlsServerContext> server, TlsOffer offer, TlsPolicy policy,
            Optional<CertificateJudge> judge, Duration brokenFor, int workers) {}

    /** What a proxy without any TLS is made from. */
    public static final Config NONE =
            new Config(Optional.empty(), Optional.empty(), TlsOffer.NONE, TlsPolicy.none(), Optional.empty(), Duration.ZERO, 0);

    Tls(Config config) {
        this.config = config;
    }

    void start() {
        if (config.workers() > 0 && (config.client().isPresent() || config.server().isPresent())) {
            workers = Executors.newFixedThreadPool(config.workers(), task -> daemon(task, "weft-tls"));
        }
        if (config.client().isPresent() || config.server().isPresent()) {
            maintenance = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "weft-tls-maintenance"));
            maintenance.scheduleWithFixedDelay(this::maintain, MAINTAIN_SECONDS, MAINTAIN_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static Thread daemon(Runnable task, String name) {
        var thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    void maintain() {
        config.client().ifPresent(Tls::maintain);
        config.server().ifPresent(Tls::maintain);
    }

    private static void maintain(TlsContext context) {
        try {
            context.maintain();
        } catch (TlsException | RuntimeException | LinkageError e) { // anything else would end the schedule
            LOG.error("TLS keys or sessions could not be renewed; the former ones stay in use", e);
        }
    }

    void stop() {
        if (workers != null) {
            workers.shutdown(); // what waits has nothing to do any more, but its engine to free
        }
        if (maintenance != null) {
            maintenance.shutdown();
            awaitMaintenance();
        }
        config.client().ifPresent(Tls::close);
        config.server().ifPresent(Tls::close);
    }

    /** A context is not closed while it writes its sessions. */
    private void awaitMaintenance() {
        try {
            if (!maintenance.awaitTermination(MAINTAIN_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("TLS keys or sessions are still being renewed, since a file or the session directory does not answer");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(TlsContext context) {
        try {
            context.close();
        } catch (RuntimeException e) {
            LOG.error("a TLS context did not close in order", e);
        }
    }

    Executor workers() {
        return workers != null ? workers : Runnable::run;
    }

    TlsOffer offer() {
        return config.offer();
    }

    TlsPolicy policy() {
        return config.policy();
    }

    TlsEngine serverLegEngine(Route route, Optional<String> serverName) throws TlsException {
        var context = config.client().orElseThrow(
                () -> new TlsException("no TLS backend is there: add weft-tls-jdk or weft-tls-conscrypt to the class path"));
        // What may be shared: the same server, asked for the same name, under the same policy.
        var key = route.server() + "|" + serverName.orElse("") + "|" + route.tls();
        return context.engine(serverName, Optional.of(key));
    }

    TlsEngine clientLegEngine() throws TlsException {
        return config.server().orElseThrow(() -> new TlsException("clients are offered no TLS")).engine();
    }

    LegTls judgeServer(TlsFacts facts, Route route) {
        var names = route.tls() instanceof TlsPolicy.Verify verify
                ? verify.names()
                : route.serverName().map(List::of).orElse(List.of());
        return new LegTls(facts, config.judge().orElseThrow().judgeServer(facts.peerChain(), names));
    }

    LegTls judgeClient(TlsFacts facts) {
        return new LegTls(facts, config.judge().orElseThrow().judgeClient(facts.peerChain(), List.of()));
    }

    boolean broken(Route route, long now) {
        var since = broken.get(route.server());
        if (since == null) {
            return false;
        }
        if (now - since < config.brokenFor().toNanos()) {
            return true;
        }
        broken.remove(route.server(), since);
        return false;
    }

    void broke(Route route, long now) {
        if (broken.size() >= REMEMBERED) {
            broken.values().removeIf(since -> now - since >= config.brokenFor().toNanos());
        }
        if (broken.size() < REMEMBERED) {
            broken.put(route.server(), now);
        }
    }
}
