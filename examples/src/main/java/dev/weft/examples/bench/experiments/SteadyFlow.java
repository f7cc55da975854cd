package dev.weft.examples.bench.experiments;

import dev.weft.examples.lab.Postfix;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A sender's everyday mail: a message in each interval, to some receivers in turn, until it is closed. The place within the
 * interval is given, and does not come of when the flow happens to begin: where two senders send at the same moment, messages
 * take up to twice as long, whatever is between them and the receivers, and that must be the same for all contenders.
 */
final class SteadyFlow implements AutoCloseable {

    /** A message that was submitted, at a time in microseconds since 1970. */
    record Sent(String recipient, String receiver, long micros) {}

    private final Submission submission;
    private final String host;
    private final List<String> receivers;
    private final long intervalNanos;
    private final long placeNanos;
    private final List<Sent> sent = new ArrayList<>();
    private final Thread thread;
    private volatile boolean closed;
    private IOException failure;

    /**
     * Begins.
     *
     * @param place of its messages in the interval between two: 0 at its begin, 0.5 in its middle
     */
    SteadyFlow(Postfix postfix, List<String> receivers, int perSecond, double place) throws IOException {
        submission = new Submission(postfix);
        host = postfix.host();
        this.receivers = receivers;
        intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        placeNanos = (long) (place * intervalNanos);
        thread = new Thread(this::run, "steady-" + host);
        thread.start();
    }

    /** The next time, from now on, at that place in an interval, when intervals are counted from the clock's zero. */
    static long nextTurn(long now, long interval, long place) {
        return now + Math.floorMod(place - now, interval);
    }

    /** Keeps to its timetable, whatever a submission took. */
    private void run() {
        long start = nextTurn(System.nanoTime(), intervalNanos, placeNanos);
        try (submission) {
            awaitTurn(start);
            for (int i = 0; !closed; i++) {
                var receiver = receivers.get(i % receivers.size());
                var recipient = host + "-steady" + i + "@" + receiver + ".test";
                long micros = Site.nowMicros();
                submission.send(recipient, false);
                sent.add(new Sent(recipient, receiver, micros));
                awaitTurn(start + (i + 1) * intervalNanos);
            }
        } catch (IOException e) {
            failure = e;
        }
    }

    private void awaitTurn(long turn) {
        for (long left = turn - System.nanoTime(); !closed && left > 0; left = turn - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Ends it, and tells what was submitted. */
    List<Sent> stop() throws IOException, InterruptedException {
        close();
        thread.join();
        if (failure != null) {
            throw failure;
        }
        return sent;
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
