package dev.weft.nio;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Passes one connection on, towards the server in writes of a byte each if it is to, and keeps what passed. */
final class Drip implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final Socket out = new Socket();

    private final ByteArrayOutputStream toServer = new ByteArrayOutputStream();
    private final ByteArrayOutputStream toClient = new ByteArrayOutputStream();

    Drip(InetSocketAddress to, int mostPerWrite) throws IOException {
        out.connect(to);
        out.setTcpNoDelay(true);
        daemon(() -> {
            try (var in = listener.accept()) {
                in.setTcpNoDelay(true);
                var back = daemon(() -> {
                    try {
                        pass(out, in, toClient, 8192);
                    } catch (IOException e) {
                        // closed
                    }
                });
                pass(in, out, toServer, mostPerWrite);
                back.join();
            } catch (IOException | InterruptedException e) {
                // closed
            }
        });
    }

    private static void pass(Socket from, Socket to, ByteArrayOutputStream kept, int most) throws IOException {
        var bytes = new byte[most];
        for (int n = from.getInputStream().read(bytes); n >= 0; n = from.getInputStream().read(bytes)) {
            kept.write(bytes, 0, n);
            to.getOutputStream().write(bytes, 0, n);
        }
        to.shutdownOutput();
    }

    byte[] toServer() {
        return toServer.toByteArray();
    }

    byte[] toClient() {
        return toClient.toByteArray();
    }

    private static Thread daemon(Runnable task) {
        var thread = new Thread(task, "drip");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        out.close();
    }
}
