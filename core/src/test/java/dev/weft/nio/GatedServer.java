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
import java.util.concurrent.CompletableFuture;

/** A server that accepts connections and greets none of them before it is told to. */
final class GatedServer implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    private final CompletableFuture<String> greeting = new CompletableFuture<>();
    private final List<Socket> sockets = new ArrayList<>();

    GatedServer() throws IOException {
        daemon(this::accept);
    }

    private static void daemon(Runnable task) {
        var thread = new Thread(task, "gated server");
        thread.setDaemon(true);
        thread.start();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** All its connections are served. */
    void greet() {
        greeting.complete("220 mx.example ESMTP");
    }

    /** All its connections are refused. */
    void refuse() {
        greeting.complete("450 4.3.2 not now");
    }

    synchronized int connections() {
        return sockets.size();
    }

    void awaitConnections(int count) {
        Rig.await(count + " connections have come", () -> connections() == count);
    }

    private void accept() {
        try {
            while (true) {
                var socket = listener.accept();
                synchronized (this) {
                    sockets.add(socket);
                }
                daemon(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            say(socket, greeting.join());
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                say(socket, line.toUpperCase(Locale.ROOT).startsWith("EHLO") ? "250-mx.example\r\n250 PIPELINING" : "250 2.0.0 ok");
            }
        } catch (IOException e) {
            // closed by the other side, or here
        }
    }

    private static void say(Socket socket, String reply) throws IOException {
        socket.getOutputStream().write((reply + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
        refuse();
        listener.close();
        List<Socket> all;
        synchronized (this) {
            all = List.copyOf(sockets);
        }
        for (var socket : all) {
            socket.close();
        }
    }
}
