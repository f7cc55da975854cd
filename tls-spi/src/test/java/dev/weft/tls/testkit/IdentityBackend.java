package dev.weft.tls.testkit;

import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.SessionKeeping;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A backend for tests that encrypts nothing: everything passes in clear, in records that look like those of TLS, after a
 * handshake of three messages. So a test sees what is said, and counts engines that were not freed.
 */
public final class IdentityBackend implements TlsBackend {
    private final boolean tasks;
    private final AtomicInteger living = new AtomicInteger();
    private final AtomicInteger tickets = new AtomicInteger();

    /**
     * Makes one.
     *
     * @param tasks whether its engines ask for a task in each handshake
     */
    public IdentityBackend(boolean tasks) {
        this.tasks = tasks;
    }

    /**
     * How many of its engines were made and not yet freed.
     *
     * @return 0 if nothing was left behind
     */
    public int living() {
        return living.get();
    }

    @Override
    public String name() {
        return "identity";
    }

    @Override
    public Optional<String> unavailable() {
        return Optional.empty();
    }

    @Override
    public int priority() {
        return -1;
    }

    @Override
    public SessionKeeping sessionKeeping(ClientSettings settings) {
        return new SessionKeeping(Set.of(), "it keeps no sessions on disk: leave the session directory away");
    }

    @Override
    public TlsClientContext client(ClientSettings settings) throws TlsException {
        if (settings.sessionDirectory().isPresent()) {
            throw new TlsException(settings.sessionDirectory().get() + ": " + sessionKeeping(settings).limits());
        }
        return new Client(this, new ConcurrentHashMap<>());
    }

    @Override
    public TlsServerContext server(ServerSettings settings) throws TlsException {
        return new Server(this, settings, ConcurrentHashMap.newKeySet());
    }

    boolean asksForTasks() {
        return tasks;
    }

    void freed() {
        living.decrementAndGet();
    }

    private record Client(IdentityBackend backend, Map<String, Integer> sessions) implements TlsClientContext {
        @Override
        public TlsEngine engine(Optional<String> serverName, Optional<String> sessionKey) {
            backend.living.incrementAndGet();
            int ticket = sessionKey.map(key -> sessions.getOrDefault(key, 0)).orElse(0);
            return IdentityEngine.client(backend, serverName, ticket,
                    fresh -> sessionKey.ifPresent(key -> sessions.put(key, fresh)));
        }

        @Override
        public void maintain() {
            // nothing to reload
        }

        @Override
        public void close() {
            sessions.clear();
        }
    }

    private record Server(IdentityBackend backend, ServerSettings settings, Set<Integer> known) implements TlsServerContext {
        @Override
        public TlsEngine engine() throws TlsException {
            var keys = settings.keys().load();
            if (keys.isEmpty()) {
                throw new TlsException("the identity backend has no use for a key manager: give it PEM");
            }
            backend.living.incrementAndGet();
            return IdentityEngine.server(backend, keys.get(0).chain(), known::contains, () -> {
                int ticket = backend.tickets.incrementAndGet();
                known.add(ticket);
                return ticket;
            });
        }

        @Override
        public void maintain() {
            // keys are read for each engine
        }

        @Override
        public void close() {
            known.clear();
        }
    }
}
