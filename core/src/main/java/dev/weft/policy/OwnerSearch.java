package dev.weft.policy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks owners of sockets up on another thread. One reading of the table serves all who asked before it began; who asks later
 * waits for the next one, for the line of its socket may have been passed already.
 */
final class OwnerSearch {

    private static final Logger LOG = LoggerFactory.getLogger(LocalAccount.class);
    /** An executor that does not get to its tasks must not make sessions that have ended pile up here. */
    private static final int MOST_WAITING = 20_000;

    private final SocketTable table;
    private final Executor executor;
    private final ReentrantLock lock = new ReentrantLock();
    private List<Wanted> waiting = new ArrayList<>();
    private boolean searching;
    /** So that a host without a table, or whose executor was closed, is told once, not for each session. */
    private volatile boolean complained;

    OwnerSearch(SocketTable table, Executor executor) {
        this.table = table;
        this.executor = executor;
    }

    private static final class Wanted {
        final InetSocketAddress client;
        final InetSocketAddress dialled;
        final CompletableFuture<OptionalLong> found = new CompletableFuture<>();
        OptionalLong exact = OptionalLong.empty();
        OptionalLong other = OptionalLong.empty();
        boolean ambiguous;

        Wanted(InetSocketAddress client, InetSocketAddress dialled) {
            this.client = client;
            this.dialled = dialled;
        }

        /**
         * Where the proxy was told the destination otherwise, the socket's own may differ. Several users' sockets may share a
         * local address (SO_REUSEADDR), so that an address alone names nobody if they do.
         */
        void seen(SocketTable.Entry entry) {
            if (entry.remote().equals(dialled)) {
                exact = OptionalLong.of(entry.uid());
            } else if (other.isPresent() && other.getAsLong() != entry.uid()) {
                ambiguous = true;
            } else {
                other = OptionalLong.of(entry.uid());
            }
        }

        OptionalLong owner() {
            return exact.isPresent() || ambiguous ? exact : other;
        }
    }

    /** Never waits, never fails: what can't be found out is empty. */
    CompletableFuture<OptionalLong> find(InetSocketAddress client, InetSocketAddress dialled) {
        var wanted = new Wanted(client, dialled);
        if (enqueue(wanted)) {
            try {
                executor.execute(this::search);
            } catch (RejectedExecutionException rejected) {
                complain("owners of sockets are not looked up, since the executor takes no task: " + rejected.getMessage());
                take(true).forEach(each -> each.found.complete(OptionalLong.empty()));
            }
        }
        return wanted.found;
    }

    /** @return whether a search has to be started */
    private boolean enqueue(Wanted wanted) {
        lock.lock();
        try {
            if (waiting.size() >= MOST_WAITING) {
                wanted.found.complete(OptionalLong.empty()); // nobody else has it yet
                return false;
            }
            waiting.add(wanted);
            boolean idle = !searching;
            searching = true;
            return idle;
        } finally {
            lock.unlock();
        }
    }

    private List<Wanted> take(boolean last) {
        lock.lock();
        try {
            var batch = waiting;
            waiting = new ArrayList<>();
            searching = !last && !batch.isEmpty();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void search() {
        for (var batch = take(false); !batch.isEmpty(); batch = take(false)) {
            try {
                search(batch);
            } catch (IOException | RuntimeException failure) {
                complain("owners of sockets can't be looked up: " + failure);
            } finally {
                batch.forEach(wanted -> wanted.found.complete(wanted.owner()));
            }
        }
    }

    private void search(List<Wanted> batch) throws IOException {
        var byClient = new HashMap<InetSocketAddress, List<Wanted>>();
        var here = new HashMap<InetAddress, Boolean>();
        for (var wanted : batch) {
            if (here.computeIfAbsent(wanted.client.getAddress(), OwnerSearch::ofThisHost)) {
                byClient.computeIfAbsent(wanted.client, client -> new ArrayList<>(1)).add(wanted);
            }
        }
        if (!byClient.isEmpty()) {
            search(byClient);
        }
    }

    private void search(Map<InetSocketAddress, List<Wanted>> byClient) throws IOException {
        var ports = new BitSet(1 << 16);
        byClient.keySet().forEach(client -> ports.set(client.getPort()));
        boolean there = table.read(ports::get, entry -> {
            if (entry.remote().getPort() != 0) { // 0: it listens
                byClient.getOrDefault(entry.local(), List.of()).forEach(wanted -> wanted.seen(entry));
            }
        });
        if (there) {
            complained = false;
        } else {
            complain("owners of sockets can't be looked up: this system has no /proc/net/tcp");
        }
    }

    private void complain(String text) {
        if (!complained) {
            LOG.warn(text);
        }
        complained = true;
    }

    /** Asks the kernel, so that sessions from elsewhere cost no reading of the table. */
    private static boolean ofThisHost(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException unknown) {
            return true;
        }
    }
}
