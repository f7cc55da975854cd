package dev.weft.nio;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** A server that counts its connections as a real one does, and may refuse those that are too many. */
final class CountingServer implements AutoCloseable {

    static final String TOO_MANY = "421 4.7.0 mx.example Error: too many connections from 192.0.2.9";

    private final ServerSocket listener;
    private final int allowed;
    private final List<Socket> sockets = new ArrayList<>();
    private int open;
    private int most;
    private int served;
    private int refused;
    private int messages;
    private volatile int moods = Integer.MAX_VALUE;

    CountingServer(int allowed) throws IOException {
        this.allowed = allowed;
        this.listener = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    private static void daemon(Runnable task) {
        var thread = new Thread(task, "counting server");
        thread.setDaemon(true);
        thread.start();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** One reply in so many is followed by the end of the connection, one is a 421, and one has a stray reply behind it. */
    CountingServer moody(int oneIn) {
        moods = oneIn;
        return this;
    }

    /** The most connections at one time. */
    synchronized int most() {
        return most;
    }

    synchronized int open() {
        return open;
    }

    /** Connections that were not refused. */
    synchronized int served() {
        return served;
    }

    synchronized int refused() {
        return refused;
    }

    synchronized int messages() {
        return messages;
    }

    private void accept() {
        try {
            while (true) {
                var socket = listener.accept();
                boolean welcome;
                synchronized (this) {
                    sockets.add(socket);
                    most = Math.max(most, ++open);
                    welcome = open <= allowed;
                    if (welcome) {
                        served++;
                    } else {
                        refused++;
                    }
                }
                daemon(() -> serve(socket, welcome));
            }
        } catch (IOException e) {
            // closed
        }
    }

    /** It counts a connection no more once it has said all, before its socket is closed: the other side can't know earlier. */
    private synchronized void leave() {
        open--;
    }

    private void serve(Socket socket, boolean welcome) {
        try (socket) {
            socket.setTcpNoDelay(true);
            talk(socket, welcome);
        } catch (IOException e) {
            leave();
        }
    }

    private void talk(Socket socket, boolean welcome) throws IOException {
        if (!welcome) {
            say(socket, TOO_MANY);
            leave();
            return;
        }
        var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
        say(socket, "220 mx.example ESMTP");
        boolean message = false;
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            if (message) {
                if (line.equals(".")) {
                    message = false;
                    synchronized (this) {
                        messages++;
                    }
                    say(socket, "250 2.0.0 kept");
                }
                continue;
            }
            switch (line.split(" ")[0].toUpperCase(Locale.ROOT)) {
                case "QUIT" -> {
                    leave();
                    say(socket, "221 2.0.0 bye");
                    return;
                }
                case "DATA" -> {
                    message = true;
                    say(socket, "354 go on");
                }
                case "EHLO" -> say(socket, "250-mx.example\r\n250-PIPELINING\r\n250 8BITMIME");
                default -> say(socket, "250 2.0.0 ok");
            }
        }
        leave();
    }

    private void say(Socket socket, String reply) throws IOException {
        switch (ThreadLocalRandom.current().nextInt(moods)) {
            case 1 -> {
                write(socket, reply);
                throw new IOException("in a mood");
            }
            case 2 -> {
                write(socket, "421 4.3.2 mx.example closing");
                throw new IOException("in a mood");
            }
            case 3 -> write(socket, reply + "\r\n250 2.0.0 stray");
            default -> write(socket, reply);
        }
    }

    private static void write(Socket socket, String reply) throws IOException {
        socket.getOutputStream().write((reply + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
        listener.close();
        closeAll();
    }

    void closeAll() throws IOException {
        List<Socket> all;
        synchronized (this) {
            all = List.copyOf(sockets);
        }
        for (var socket : all) {
            socket.close();
        }
    }
}
