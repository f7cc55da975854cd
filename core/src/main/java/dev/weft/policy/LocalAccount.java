package dev.weft.policy;

import dev.weft.relay.Attribute;
import dev.weft.relay.FailureMode;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Verdict;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A handler that learns which user of this host opened a session: the user id that owns the client's socket, by Linux' table of
 * TCP sockets, {@code /proc/net/tcp} and {@code tcp6}. Give it to the proxy before the handlers that ask for {@link #uid}.
 *
 * <p>The table is read on another thread, once for all sessions that wait at that time, and the session goes on when that is
 * done, or after 5 s. It shows the sockets of this process' network namespace only: a client in a container of its own has no
 * owner here. Nor has a client that has closed its socket already, and off Linux nobody has. A mail server that sends for all
 * of a host's users owns the sockets itself. Nothing is ever refused: what an unknown owner means is for the host to say.
 *
 * <pre>{@code
 * builder.handler(accounts)
 *         .handler(RateLimits.of(Rate.parse("100/h"))
 *                 .by(transaction -> LocalAccount.uid(transaction.session()).stream().mapToObj(uid -> "uid " + uid).findFirst())
 *                 .build());
 * }</pre>
 */
public final class LocalAccount implements RelayHandler, AutoCloseable {

    /** Who owns the socket of a session's client; there from connect on for each session that was looked up. */
    public static final Attribute<Owner> OWNER = Attribute.named("local-account");

    private static final Path PROC_NET = Path.of("/proc/self/net");
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private final OwnerSearch search;
    private final ExecutorService own;
    private final Predicate<InetAddress> clients;

    /** What was found; for any thread. */
    public static final class Owner {
        private volatile OptionalLong uid = OptionalLong.empty();

        private Owner() {}

        /**
         * The user id.
         *
         * @return 0 to 2^32 - 1; empty if it is not known, or not yet
         */
        public OptionalLong uid() {
            return uid;
        }

        @Override
        public String toString() {
            var found = uid;
            return found.isPresent() ? "uid " + found.getAsLong() : "uid unknown";
        }
    }

    LocalAccount(OwnerSearch search, ExecutorService own, Predicate<InetAddress> clients) {
        this.search = search;
        this.own = own;
        this.clients = clients;
    }

    /**
     * Looks up on a thread of its own, which is there while it is needed; {@link #close} ends it.
     *
     * @return the handler
     */
    public static LocalAccount withOwnThread() {
        var own = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            var thread = new Thread(task, "weft-local-account");
            thread.setDaemon(true);
            return thread;
        });
        own.allowCoreThreadTimeOut(true);
        return new LocalAccount(new OwnerSearch(systemTable(), own), own, client -> true);
    }

    /**
     * Looks up on a host's threads.
     *
     * @param executor takes one task at a time, which reads files; must not run it on the caller's thread. It is not closed here
     * @return the handler
     */
    public static LocalAccount on(Executor executor) {
        Objects.requireNonNull(executor, "executor");
        return new LocalAccount(new OwnerSearch(systemTable(), executor), null, client -> true);
    }

    private static SocketTable systemTable() {
        return new SocketTable(PROC_NET, ByteOrder.nativeOrder());
    }

    /**
     * Looks only some clients up; the others' sessions don't wait. Without this all are, and those from other hosts find that
     * they are from elsewhere.
     *
     * @param those says which; called on event loops, so it must not wait
     * @return a handler that shares the threads of this one
     */
    public LocalAccount onlyFor(Predicate<InetAddress> those) {
        return new LocalAccount(search, own, Objects.requireNonNull(those, "those"));
    }

    /**
     * The user id that owns the socket of a session's client.
     *
     * @param session the session, on its event loop
     * @return the id; empty if it is not known
     */
    public static OptionalLong uid(RelaySession session) {
        return session.attributes().get(OWNER).map(Owner::uid).orElse(OptionalLong.empty());
    }

    @Override
    public Verdict<Route> connect(RelaySession session, Route proposed) {
        if (!clients.test(session.client().getAddress())) {
            return Verdict.proceed();
        }
        var owner = new Owner();
        session.attributes().put(OWNER, owner);
        return Verdict.later(search.find(session.client(), session.originalDestination()).thenApply(uid -> {
            owner.uid = uid;
            return Verdict.proceed();
        }));
    }

    /** A table of 100,000 sockets takes a fraction of a second; after 5 s the session goes on without an owner. */
    @Override
    public Duration deadline() {
        return LONGEST_WAIT;
    }

    /** It only watches. */
    @Override
    public FailureMode failureMode() {
        return FailureMode.OPEN;
    }

    /** Ends the thread of its own, if it has one. Sessions that come later have no owner. */
    @Override
    public void close() {
        if (own != null) {
            own.shutdown();
        }
    }
}
