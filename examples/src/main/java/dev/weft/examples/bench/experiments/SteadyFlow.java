package dev.weft.examples.bench.experiments;

import dev.weft.examples.lab.Postfix;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A sender's everyday mail: a message after each interval, to some receivers in turn, until it is closed. */
final class SteadyFlow implements AutoCloseable {

    /** A message that was submitted, at a time in microseconds since 1970. */
    record Sent(String recipient, String receiver, long micros) {}

    private final Submission submission;
    private final String host;
    private final List<String> receivers;
    private final long intervalNanos;
    private final List<Sent> sent = new ArrayList<>();
    private final Thread thread;
    private volatile boolean closed;
    private IOException failure;

    SteadyFlow(Postfix postfix, List<String> receivers, int perSecond) throws IOException {
        submission = new Submission(postfix);
        host = postfix.host();
        this.receivers = receivers;
        intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        thread = new Thread(this::run, "steady-" + host);
        thread.start();
    }

    /** Keeps to its timetable, whatever a submission took. */
    private void run() {
        long start = System.nanoTime();
        try (submission) {
            for (int i = 0; !closed; i++) {
                var receiver = receivers.get(i % receivers.size());
                var recipient = host + "-steady" + i + "@" + receiver + ".test";
                long micros = Site.nowMicros();
                submission.send(recipient, false);
                sent.add(new Sent(recipient, receiver, micros));
                long next = start + (i + 1) * intervalNanos;
                while (!closed && System.nanoTime() < next) {
                    LockSupport.parkNanos(next - System.nanoTime());
                }
            }
        } catch (IOException e) {
            failure = e;
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
