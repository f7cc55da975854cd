package dev.weft.examples;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One of the quickstart's sending servers: a session in which it pipelines as Postfix does. Blocking and brief; not for mail. */
final class QuickstartSender implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 20_000;

    private final Socket connection = new Socket();
    private final BufferedReader replies;
    private final String domain;

    /** Connects from a loopback address of its own where the system has it (Linux has all of 127.0.0.0/8). */
    QuickstartSender(String domain, byte[] from, InetSocketAddress proxy) throws IOException {
        this.domain = domain;
        try {
            connection.bind(new InetSocketAddress(InetAddress.getByAddress(from), 0));
        } catch (BindException e) {
            connection.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
        }
        connection.connect(proxy, TIMEOUT_MILLIS);
        connection.setSoTimeout(TIMEOUT_MILLIS);
        connection.setTcpNoDelay(true);
        replies = new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.ISO_8859_1));
        expect("220");
        send("EHLO " + domain + "\r\n");
        expect("250");
    }

    /** Sends a message, whose last line has to end in CRLF, to two recipients. */
    void send(byte[] message) throws IOException {
        send("MAIL FROM:<sender@" + domain + ">\r\nRCPT TO:<anna@example.net>\r\nRCPT TO:<bert@example.net>\r\nDATA\r\n");
        expect("250");
        expect("250");
        expect("250");
        expect("354");
        connection.getOutputStream().write(stuffed(message));
        expect("250");
    }

    /** A dot before each line that starts with one, and the lone dot (RFC 5321 §4.5.2). */
    private static byte[] stuffed(byte[] message) {
        var stuffed = new ByteArrayOutputStream(message.length + 64);
        for (int i = 0; i < message.length; i++) {
            if (message[i] == '.' && (i == 0 || message[i - 1] == '\n')) {
                stuffed.write('.');
            }
            stuffed.write(message[i]);
        }
        stuffed.writeBytes(".\r\n".getBytes(StandardCharsets.US_ASCII));
        return stuffed.toByteArray();
    }

    private void send(String lines) throws IOException {
        connection.getOutputStream().write(lines.getBytes(StandardCharsets.US_ASCII));
    }

    private void expect(String code) throws IOException {
        String line;
        do {
            line = replies.readLine();
            if (line == null || !line.startsWith(code)) {
                throw new IOException(domain + " waited for " + code + " and got "
                        + (line == null ? "the end of the connection" : "\"" + line + "\""));
            }
        } while (line.startsWith("-", 3));
    }

    /** Takes leave. */
    @Override
    public void close() throws IOException {
        try (connection) {
            send("QUIT\r\n");
            expect("221");
        }
    }
}
