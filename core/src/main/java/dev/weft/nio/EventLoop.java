package dev.weft.nio;

import dev.weft.tls.spi.TlsEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread with a selector, its timers, and the buffers that its sessions borrow for the length of one event. */
final class EventLoop implements Runnable {

    /** The most bytes that one leg is read at a wake-up. */
    static final int READ_BYTES = 64 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

    /** What a selection key calls when its channel is ready. */
    interface Ready {
        /** Called on the loop. */
        void ready(SelectionKey key) throws IOException;

        /** It threw: its channel is to be closed, nobody else is to suffer. */
        void failed(Throwable failure);

        /** The loop has ended: what is still open is to be closed. */
        void loopEnded();
    }

    private final Selector selector;
    private final Thread thread;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
    private final ArrayDeque<Runnable> settling = new ArrayDeque<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(READ_BYTES);
    private final ByteBuffer toClient = ByteBuffer.allocateDirect(16 * 1024);
    private final ByteBuffer toServer = ByteBuffer.allocateDirect(16 * 1024);
    private ByteBuffer plainBuffer;
    private ByteBuffer cipherBuffer;
    private final TimerWheel timers;
    private volatile boolean stopped;
    private volatile boolean ended;
    private long now;

    EventLoop(String name) throws IOException {
        this.selector = Selector.open();
        this.now = System.nanoTime();
        this.timers = new TimerWheel(now);
        this.thread = new Thread(this, name);
    }

    void start() {
        thread.start();
    }

    /** The time at which the present event was taken up. */
    long now() {
        return now;
    }

    Selector selector() {
        return selector;
    }

    ByteBuffer readBuffer() {
        return readBuffer.clear();
    }

    /** Takes what records held; made when the first TLS leg needs it. */
    ByteBuffer plainBuffer() {
        if (plainBuffer == null) {
            plainBuffer = ByteBuffer.allocateDirect(READ_BYTES);
        }
        return plainBuffer.clear();
    }

    /** Takes records that are to be sent. */
    ByteBuffer cipherBuffer() {
        if (cipherBuffer == null) {
            cipherBuffer = ByteBuffer.allocateDirect(2 * TlsEngine.BUFFER_BYTES);
        }
        return cipherBuffer.clear();
    }

    /** Collects what is written to a client within one event. */
    ByteBuffer toClient() {
        return toClient;
    }

    /** Collects what is written to a server within one event. */
    ByteBuffer toServer() {
        return toServer;
    }

    void arm(Timer timer, long deadline) {
        timers.arm(timer, deadline);
    }

    void cancel(Timer timer) {
        timers.cancel(timer);
    }

    /**
     * Runs a task on this loop, from any thread.
     *
     * @return false if the loop has ended: the task is dropped
     */
    boolean execute(Runnable task) {
        tasks.add(task);
        if (ended) {
            return !tasks.remove(task); // else the loop's last look at its tasks found it
        }
        if (Thread.currentThread() != thread && woken.compareAndSet(false, true)) {
            selector.wakeup();
        }
        return true;
    }

    /** Runs a task after the present event; for the loop's own thread. */
    void defer(Runnable task) {
        deferred.add(task);
    }

    /**
     * Runs a task once every key that is cancelled by now is out of the selector: only a select takes it out, and a registered
     * channel that was closed keeps its socket until then. For the loop's own thread.
     */
    void afterSelect(Runnable task) {
        settling.add(task);
    }

    /** Frees the selector of a loop that was never started. */
    void discard() {
        closeSelector();
    }

    /** Ends the loop's thread after the tasks that wait. */
    void stop() {
        execute(() -> stopped = true);
    }

    boolean join(long millis) throws InterruptedException {
        thread.join(millis);
        return !thread.isAlive();
    }

    boolean onLoop() {
        return Thread.currentThread() == thread;
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                try {
                    turn();
                } catch (ClosedSelectorException | IOException e) {
                    throw e;
                } catch (Throwable failure) {
                    LOG.error("event loop {}: a turn failed", thread.getName(), failure);
                }
            }
        } catch (ClosedSelectorException | IOException e) {
            LOG.error("event loop {} ends", thread.getName(), e);
        } finally {
            closeSelector();
            ended = true;
            runTasks(); // what was handed in before that was seen
            runSettled(settling.size());
        }
    }

    private void turn() throws IOException {
        // A handler may leave the thread interrupted, and no select would wait any more.
        Thread.interrupted();
        int settled = settling.size();
        long sleep = deferred.isEmpty() && tasks.isEmpty() && settled == 0 ? timers.untilNext(System.nanoTime()) : 0;
        if (sleep == 0) {
            selector.selectNow(this::dispatch);
        } else {
            // Rounded up, so that the loop does not spin through the last part of a millisecond.
            selector.select(this::dispatch, sleep == Timer.NEVER ? 0 : TimeUnit.NANOSECONDS.toMillis(sleep) + 1);
        }
        woken.set(false);
        now = System.nanoTime();
        runSettled(settled);
        runDeferred();
        runTasks();
        timers.advance(now, this::fire);
        runDeferred();
    }

    private void runSettled(int count) {
        for (int i = 0; i < count; i++) {
            guarded(settling.poll());
        }
    }

    private void runTasks() {
        for (var task = tasks.poll(); task != null; task = tasks.poll()) {
            guarded(task);
        }
    }

    private void fire(Timer timer) {
        guarded(timer::fire);
    }

    private void dispatch(SelectionKey key) {
        now = System.nanoTime();
        var ready = (Ready) key.attachment();
        try {
            ready.ready(key);
        } catch (CancelledKeyException e) {
            // closed by an event before this one
        } catch (Throwable failure) {
            LOG.error("event loop {}: an event failed", thread.getName(), failure);
            guarded(() -> ready.failed(failure));
        }
        forgetCollected();
    }

    private void runDeferred() {
        for (var task = deferred.poll(); task != null; task = deferred.poll()) {
            guarded(task);
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable failure) {
            LOG.error("event loop {}: a task failed", thread.getName(), failure);
        }
        forgetCollected();
    }

    /** Whatever went wrong in an event, what it left in the shared buffers must not reach the next session. */
    private void forgetCollected() {
        if (toClient.position() + toServer.position() > 0) {
            LOG.error("event loop {}: an event left bytes behind, they are dropped", thread.getName());
            toClient.clear();
            toServer.clear();
        }
    }

    /** A selector that closes leaves its channels open, and nobody else would close them. */
    private void closeSelector() {
        for (var key : Set.copyOf(selector.keys())) {
            if (key.attachment() instanceof Ready ready) {
                guarded(ready::loopEnded);
            }
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.warn("event loop {}: its selector did not close", thread.getName(), e);
        }
    }
}
