package dev.weft.examples.bench;

import dev.weft.examples.bench.TrialFault.Moment;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * A server at which much goes wrong, and which allows a fixed number of connections at a time, as Postfix's
 * smtpd_client_connection_count_limit does. One thread.
 */
final class TrialServer implements AutoCloseable {

    private record Task(long at, Runnable work) {}

    private final Selector selector = Selector.open();
    private final InetSocketAddress address;
    private final int limit;
    private final TrialFaults faults;
    private final TrialLedger ledger;
    private final Queue<Runnable> orders = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Task> tasks = new PriorityQueue<>(Comparator.comparingLong(Task::at));
    private final Thread thread = new Thread(this::serve, "trial-server");
    private ServerSocketChannel listener;
    private boolean vanished;
    private boolean over;
    private int open;
    private int most;
    private int connections;
    private int refusedForNumber;

    TrialServer(int limit, TrialFaults faults, TrialLedger ledger, long seed) throws IOException {
        this.limit = limit;
        this.faults = faults;
        this.ledger = ledger;
        this.address = choose(new Random(seed ^ System.nanoTime()));
        thread.setDaemon(true);
        thread.start();
    }

    /** An address and a port that no connection of another program leaves from, so that it can be taken again after a while. */
    private InetSocketAddress choose(Random random) throws IOException {
        for (int tries = 0;; tries++) {
            var octets = new byte[] {127, (byte) (64 + random.nextInt(64)), (byte) random.nextInt(256), 1};
            var chosen = new InetSocketAddress(InetAddress.getByAddress(octets), 10_000 + random.nextInt(20_000));
            try {
                listen(chosen);
                return chosen;
            } catch (BindException e) {
                if (tries == 100) {
                    throw e;
                }
            }
        }
    }

    private void listen(InetSocketAddress at) throws IOException {
        var fresh = ServerSocketChannel.open();
        try {
            fresh.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            fresh.bind(at, 4096);
            fresh.configureBlocking(false);
            fresh.register(selector, SelectionKey.OP_ACCEPT);
            listener = fresh;
        } catch (IOException e) {
            fresh.close();
            throw e;
        }
    }

    InetSocketAddress address() {
        return address;
    }

    /** How it stood with its connections. */
    record Count(int open, int most, int connections, int refusedForNumber, Map<String, Integer> faults) {}

    Count count() throws InterruptedException {
        var count = new CompletableFuture<Count>();
        order(() -> count.complete(new Count(open, most, connections, refusedForNumber, new TreeMap<>(faults.drawn()))));
        return count.join();
    }

    /** From now on nothing goes wrong by chance. */
    void calm() throws InterruptedException {
        await(() -> faults.calm(true));
    }

    /** Closes its listener and resets all that is open. */
    void vanish() throws InterruptedException {
        await(() -> {
            vanished = true;
            closeListener();
            peers().forEach(TrialPeer::reset);
        });
    }

    void comeBack() throws InterruptedException {
        await(() -> {
            vanished = false;
            openListener();
        });
    }

    private void await(Runnable work) {
        var done = new CompletableFuture<Void>();
        order(() -> {
            work.run();
            done.complete(null);
        });
        done.join();
    }

    private void order(Runnable work) {
        orders.add(work);
        selector.wakeup();
    }

    private List<TrialPeer> peers() {
        var all = new ArrayList<TrialPeer>();
        for (var key : selector.keys()) {
            if (key.attachment() instanceof TrialPeer peer) {
                all.add(peer);
            }
        }
        return all;
    }

    /** Calls later, on this thread. */
    void later(int millis, Runnable work) {
        tasks.add(new Task(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), work));
    }

    TrialFaults faults() {
        return faults;
    }

    TrialLedger ledger() {
        return ledger;
    }

    /** A connection counts no more. */
    void left() {
        open--;
    }

    private void serve() {
        try {
            while (!over) {
                for (var order = orders.poll(); order != null; order = orders.poll()) {
                    order.run();
                }
                for (var task = tasks.peek(); task != null && task.at <= System.nanoTime(); task = tasks.peek()) {
                    tasks.remove().work.run();
                }
                selector.select(wait(tasks.peek()));
                if (read()) {
                    accept();
                }
            }
            closeListener();
            for (var peer : peers()) {
                peer.reset();
            }
            selector.close();
        } catch (IOException | RuntimeException e) {
            ledger.broken("the server failed: " + e);
        }
    }

    private static long wait(Task next) {
        // Rounded up, since 0 would wait for ever.
        return next == null ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(next.at - System.nanoTime()) + 1);
    }

    /** Reads what has come; true if a connection waits to be accepted. */
    private boolean read() {
        boolean arrival = false;
        for (var keys = selector.selectedKeys().iterator(); keys.hasNext();) {
            var key = keys.next();
            keys.remove();
            if (!key.isValid()) {
                continue;
            }
            if (key.attachment() instanceof TrialPeer peer) {
                peer.readable();
            } else {
                arrival = true;
            }
        }
        return arrival;
    }

    /** Accepts one. What was closed before it came is not counted beside it, however busy this thread was. */
    private void accept() throws IOException {
        if (listener == null) {
            return;
        }
        var channel = listener.accept();
        if (channel == null) {
            return;
        }
        selector.selectNow();
        read();
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        connections++;
        most = Math.max(most, ++open);
        var peer = new TrialPeer(this, channel, connections);
        channel.register(selector, SelectionKey.OP_READ, peer);
        boolean tooMany = open > limit;
        if (tooMany) {
            refusedForNumber++;
        }
        if (faults.draw(Moment.ACCEPT, false) == TrialFault.AWAY) {
            closeListener();
            later(faults.millis(15), this::openListener);
        }
        peer.greet(tooMany);
    }

    private void closeListener() {
        try {
            if (listener != null) {
                listener.close();
                listener = null;
                selector.selectNow(); // only then is it closed indeed
                read();
            }
        } catch (IOException e) {
            ledger.broken("the listener can't be closed: " + e);
        }
    }

    private void openListener() {
        if (listener == null && !vanished && !over) {
            try {
                listen(address);
            } catch (IOException e) {
                ledger.broken("the server can't come back: " + e);
            }
        }
    }

    @Override
    public void close() {
        order(() -> over = true);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
