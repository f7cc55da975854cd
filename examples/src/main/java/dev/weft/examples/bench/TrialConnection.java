package dev.weft.examples.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** A client's connection to the proxy, which takes no 421 and no end for an answer. One thread. */
final class TrialConnection implements AutoCloseable {

    /** Nothing may take as long: more than the longest wait for a turn. */
    private static final int HANG_MS = 90_000;
    private static final Pattern ID = Pattern.compile("\\bm\\d+\\b");

    private final Socket socket = new Socket();
    private final InputStream in;
    /** What EHLO was answered with. */
    private String offer = "";

    TrialConnection(InetSocketAddress proxy, InetAddress own) throws IOException {
        try {
            socket.setReuseAddress(true); // else the kernel takes a port that no other connection has
            socket.bind(new InetSocketAddress(own, 0));
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(HANG_MS);
            socket.connect(proxy, HANG_MS);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Says EHLO, and remembers what is offered. */
    void hello() throws IOException {
        say("EHLO client.example\r\n");
        offer = reply("EHLO");
        if (!offer.startsWith("250")) {
            throw new IOException("EHLO got " + offer);
        }
    }

    boolean offers(String keyword) {
        return offer.contains(keyword);
    }

    void say(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /**
     * Reads one reply.
     *
     * @param id the message that it belongs to, so that a reply to another's is noticed
     * @throws IOException if it is none that a client should see
     */
    String reply(String id) throws IOException {
        var reply = new StringBuilder();
        String line;
        do {
            line = line();
            reply.append(reply.isEmpty() ? "" : " / ").append(line);
        } while (line.length() > 3 && line.charAt(3) == '-');
        var text = reply.toString();
        if (text.startsWith("421")) {
            throw new IOException("the client of " + id + " saw " + text);
        }
        var named = ID.matcher(text);
        if (named.find() && !named.group().equals(id)) {
            throw new IOException("the client of " + id + " got a reply to another's message: " + text);
        }
        return text;
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int octet = in.read(); octet != '\n'; octet = in.read()) {
            if (octet < 0) {
                throw new EOFException("the connection was cut");
            }
            line.append((char) octet);
        }
        return line.toString().strip();
    }

    /** Sends QUIT, unless that was done along with the message, and waits for the end. */
    void quit(boolean said) throws IOException {
        if (!said) {
            say("QUIT\r\n");
        }
        var reply = reply("QUIT");
        if (!reply.startsWith("221") || in.read() >= 0) {
            throw new IOException("QUIT got " + reply);
        }
    }

    /** Closes with a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
