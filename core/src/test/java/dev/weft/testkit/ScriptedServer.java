package dev.weft.testkit;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A receiving SMTP server on a real socket. Left alone it is small and correct: it accepts every message and keeps it octet for
 * octet. A script changes single answers, and faults happen at named moments:
 *
 * <pre>{@code
 * try (var server = ScriptedServer.script()
 *         .answer("RCPT TO:<nobody@", "550 5.1.1 no such user")
 *         .faultOnce(Moment.END_OF_DATA, Fault.cut())
 *         .start()) {
 *     ... server.address() ...
 *     var message = server.awaitMessages(1).get(0);
 * }
 * }</pre>
 */
public final class ScriptedServer implements AutoCloseable {

    private final ServerScript script;
    private final Duration timeout;
    private final ServerSocket listener;
    private final List<ServerConnection> connections = new ArrayList<>();
    private final List<ReceivedMessage> messages = new ArrayList<>();
    private final List<String> transcript = new ArrayList<>();
    private int open;
    private boolean closed;

    private static ServerSocket bind(InetSocketAddress address) throws IOException {
        var socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(address, 1000);
        return socket;
    }

    ScriptedServer(Script written) throws IOException {
        script = written.finish();
        timeout = written.timeout();
        listener = bind(written.address());
        daemon(this::accept, "scripted server " + listener.getLocalPort()).start();
    }

    /**
     * A server that accepts everything, on a free port of the loopback address.
     *
     * @return the running server
     * @throws IOException if it can't listen
     */
    public static ScriptedServer start() throws IOException {
        return script().start();
    }

    /**
     * Begins a script.
     *
     * @return a script that changes nothing yet
     */
    public static Script script() {
        return new Script();
    }

    static Thread daemon(Runnable task, String name) {
        var thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private void accept() {
        while (true) {
            try {
                var socket = listener.accept();
                ServerConnection connection;
                synchronized (this) {
                    if (closed) {
                        socket.close();
                        return;
                    }
                    connection = new ServerConnection(this, script, socket, connections.size() + 1, timeout);
                    connections.add(connection);
                    open++;
                    notifyAll();
                }
                daemon(connection, "scripted server connection " + connection.number()).start();
            } catch (SocketException e) {
                return; // closed
            } catch (IOException e) {
                say("! accept: " + e);
            }
        }
    }

    synchronized void say(String line) {
        transcript.add(line);
        notifyAll();
    }

    synchronized void received(ReceivedMessage message) {
        messages.add(message);
        notifyAll();
    }

    synchronized void over() {
        open--;
        notifyAll();
    }

    /** Lets time pass, unless the server is closed meanwhile. */
    synchronized void pause(Duration time) throws IOException {
        long end = System.nanoTime() + time.toNanos();
        try {
            for (long left = time.toMillis(); left > 0 && !closed; left = (end - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /**
     * Where it listens.
     *
     * @return address and port
     */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /**
     * The messages accepted so far.
     *
     * @return a copy
     */
    public synchronized List<ReceivedMessage> messages() {
        return List.copyOf(messages);
    }

    /**
     * How many connections were accepted so far, open or not.
     *
     * @return their number
     */
    public synchronized int connections() {
        return connections.size();
    }

    /**
     * What was said on all connections: {@code "1 C: "} and a line of the client's on connection 1, {@code "1 S: "} and a line of
     * the server's; {@code "1 -"} and what happened. Messages show their size only.
     *
     * @return a copy
     */
    public synchronized List<String> transcript() {
        return List.copyOf(transcript);
    }

    /**
     * Waits for messages.
     *
     * @param count how many in all
     * @return all messages so far
     * @throws AssertionError if they did not come within the time limit
     */
    public synchronized List<ReceivedMessage> awaitMessages(int count) {
        await(() -> messages.size() >= count, count + " messages");
        return List.copyOf(messages);
    }

    /**
     * Waits for connections.
     *
     * @param count how many in all
     * @throws AssertionError if they did not come within the time limit
     */
    public synchronized void awaitConnections(int count) {
        await(() -> connections.size() >= count, count + " connections");
    }

    /**
     * Waits until the clients have closed all connections.
     *
     * @throws AssertionError if one is still open after the time limit
     */
    public synchronized void awaitAllClosed() {
        await(() -> open == 0, "the end of all connections");
    }

    /**
     * Waits until the transcript holds a line.
     *
     * @param part a part of the line
     * @throws AssertionError if it did not come within the time limit
     */
    public synchronized void awaitLine(String part) {
        await(() -> transcript.stream().anyMatch(line -> line.contains(part)), "a line with \"" + part + "\"");
    }

    private void await(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + timeout.toNanos();
        try {
            while (!condition.getAsBoolean()) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new AssertionError("waited " + timeout + " for " + what + " in vain; got " + messages.size() + " messages, "
                            + connections.size() + " connections, " + open + " of them open:\n" + String.join("\n", transcript));
                }
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + what, e);
        }
    }

    /** Stops listening and closes every connection. */
    @Override
    public void close() {
        List<ServerConnection> all;
        synchronized (this) {
            closed = true;
            notifyAll();
            all = List.copyOf(connections);
        }
        try {
            listener.close();
        } catch (IOException e) {
            say("! close: " + e);
        }
        all.forEach(ServerConnection::close);
    }
}
