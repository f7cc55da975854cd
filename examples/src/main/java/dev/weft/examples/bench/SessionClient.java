package dev.weft.examples.bench;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;

/** A blocking client that times sessions with one message each. */
final class SessionClient {

    private static final int TIMEOUT_MS = 30_000;

    private final InetSocketAddress server;
    private final byte[] message;

    SessionClient(InetSocketAddress server, int bodySize) {
        this.server = server;
        var line = "x".repeat(78) + "\r\n";
        var body = line.repeat(Math.max(1, bodySize / line.length()));
        this.message = ("Subject: benchmark\r\n\r\n" + body + ".\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Sends one message in a session of its own. The server closes first, so that this side's port does not wait in TIME_WAIT.
     *
     * @param source the address to connect from, or null
     * @return the nanoseconds from connect to the reply to QUIT
     * @throws IOException if anything was not as expected
     */
    long send(InetAddress source) throws IOException {
        long start = System.nanoTime();
        try (var socket = new Socket()) {
            if (source != null) {
                // Else the kernel takes a port that no other connection has, whatever its server.
                socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                socket.bind(new InetSocketAddress(source, 0));
            }
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(TIMEOUT_MS);
            connect(socket);
            var in = socket.getInputStream();
            var buffer = new byte[1024];
            expect(in, buffer, '2', "the greeting");
            say(socket, "EHLO client.example\r\n");
            expect(in, buffer, '2', "EHLO");
            say(socket, "MAIL FROM:<from@client.example>\r\n");
            expect(in, buffer, '2', "MAIL");
            say(socket, "RCPT TO:<to@server.example>\r\n");
            expect(in, buffer, '2', "RCPT");
            say(socket, "DATA\r\n");
            expect(in, buffer, '3', "DATA");
            socket.getOutputStream().write(message);
            expect(in, buffer, '2', "the message");
            say(socket, "QUIT\r\n");
            expect(in, buffer, '2', "QUIT");
            long taken = System.nanoTime() - start;
            awaitEnd(in);
            return taken;
        }
    }

    private void connect(Socket socket) throws IOException {
        try {
            socket.connect(server, TIMEOUT_MS);
        } catch (SocketException e) {
            throw new IOException("connect: " + e.getMessage(), e);
        }
    }

    private static void say(Socket socket, String command) throws IOException {
        socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads one reply, which no other may follow yet; one of several lines ends with a line that has a blank after the code. */
    private static void expect(InputStream in, byte[] buffer, char first, String what) throws IOException {
        int length = 0;
        while (!complete(buffer, length)) {
            int count = length == buffer.length ? -1 : in.read(buffer, length, buffer.length - length);
            if (count < 0) {
                throw new EOFException("no complete reply to " + what + ": " + text(buffer, length));
            }
            length += count;
        }
        if (buffer[0] != first) {
            throw new IOException("reply to " + what + ": " + text(buffer, length));
        }
    }

    private static boolean complete(byte[] buffer, int length) {
        if (length < 4 || buffer[length - 1] != '\n') {
            return false;
        }
        int start = length - 1;
        while (start > 0 && buffer[start - 1] != '\n') {
            start--;
        }
        return buffer[start + 3] == ' ';
    }

    private static void awaitEnd(InputStream in) throws IOException {
        if (in.read() >= 0) {
            throw new IOException("bytes after the reply to QUIT");
        }
    }

    private static String text(byte[] buffer, int length) {
        return new String(buffer, 0, length, StandardCharsets.US_ASCII).strip();
    }
}
