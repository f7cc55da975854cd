package dev.weft.examples.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * One-message sessions begun at a steady rate. They come from several addresses and the server closes first, so that the ports
 * of this side do not run out, whatever becomes of those of the proxy's server legs.
 */
final class PacedSessions {

    private static final int THREADS = 32;
    private static final int SOURCES = 50;
    private static final int BODY = 1024;

    private final SessionClient client;
    private final int rate;
    private final long total;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong completed = new AtomicLong();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();

    PacedSessions(int port, int rate, int seconds) {
        this.client = new SessionClient(new InetSocketAddress("127.0.0.1", port), BODY);
        this.rate = rate;
        this.total = (long) rate * seconds;
    }

    /** What became of them; a failure is told by its words. */
    record Result(long completed, double seconds, Map<String, Integer> failures) {

        double perSecond() {
            return completed / seconds;
        }
    }

    Result run() throws InterruptedException {
        long start = System.nanoTime();
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < THREADS; i++) {
            var thread = new Thread(() -> sendAll(start), "session-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        for (var thread : threads) {
            thread.join();
        }
        return new Result(completed.get(), (System.nanoTime() - start) / 1e9, new TreeMap<>(failures));
    }

    private void sendAll(long start) {
        for (long number = begun.getAndIncrement(); number < total; number = begun.getAndIncrement()) {
            long due = start + number * 1_000_000_000L / rate;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            try {
                client.send(source(number));
                completed.incrementAndGet();
            } catch (IOException e) {
                failures.merge(String.valueOf(e.getMessage()), 1, Integer::sum);
            }
        }
    }

    private static InetAddress source(long number) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {127, 0, 1, (byte) (1 + number % SOURCES)});
    }
}
