package dev.weft.examples;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * The quickstart's receiving server, with STARTTLS: keeps every message, as it was before dot-stuffing. Blocking and brief; not
 * for mail.
 */
final class QuickstartServer implements AutoCloseable {

    private static final String CAPABILITIES = "250-mx.example.net\r\n250-PIPELINING\r\n250-SIZE 10485760\r\n250-8BITMIME\r\n";
    private static final String LAST_IN_CLEAR = "250-ENHANCEDSTATUSCODES\r\n250 STARTTLS";
    private static final String LAST_IN_TLS = "250 ENHANCEDSTATUSCODES";

    private final ServerSocket listener;
    private final SSLContext tls = tls();
    private final AtomicInteger inTls = new AtomicInteger();
    private final List<byte[]> messages = new CopyOnWriteArrayList<>();

    QuickstartServer() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        daemon("receiver", this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** What arrived, in order. */
    List<byte[]> messages() {
        return List.copyOf(messages);
    }

    /** How many of them came in TLS. */
    int messagesInTls() {
        return inTls.get();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void accept() {
        try {
            while (true) {
                var connection = listener.accept();
                daemon("receiver-session", () -> serve(connection));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            connection.setTcpNoDelay(true);
            say(connection, "220 mx.example.net ready");
            if (dialogue(connection, CAPABILITIES + LAST_IN_CLEAR)) {
                var factory = tls.getSocketFactory();
                try (var secure = (SSLSocket) factory.createSocket(connection, null, connection.getPort(), true)) {
                    secure.setUseClientMode(false);
                    dialogue(secure, CAPABILITIES + LAST_IN_TLS);
                }
            }
        } catch (IOException e) {
            // The client went away, or what it sent is no mail: nothing was taken.
        }
    }

    /** Until QUIT, or STARTTLS: then true. */
    private boolean dialogue(Socket connection, String capabilities) throws IOException {
        var in = new BufferedInputStream(connection.getInputStream());
        while (true) {
            var verb = new String(line(in), StandardCharsets.ISO_8859_1).strip().toUpperCase(Locale.ROOT).split("[ :]", 2)[0];
            switch (verb) {
                case "EHLO" -> say(connection, capabilities);
                case "STARTTLS" -> {
                    say(connection, "220 2.0.0 Go ahead");
                    return true;
                }
                case "MAIL" -> say(connection, "250 2.1.0 Sender ok");
                case "RCPT" -> say(connection, "250 2.1.5 Recipient ok");
                case "DATA" -> {
                    say(connection, "354 Go ahead");
                    var message = message(in);
                    messages.add(message);
                    if (connection instanceof SSLSocket) {
                        inTls.incrementAndGet();
                    }
                    say(connection, "250 2.0.0 Took " + message.length + " octets");
                }
                case "QUIT" -> {
                    say(connection, "221 2.0.0 Bye");
                    return false;
                }
                default -> say(connection, "502 5.5.1 Not known here");
            }
        }
    }

    /** Lines up to the lone dot, without the dots that the client stuffed (RFC 5321 §4.5.2). */
    private static byte[] message(InputStream in) throws IOException {
        var message = new ByteArrayOutputStream();
        while (true) {
            var line = line(in);
            if (line.length == 3 && line[0] == '.') {
                return message.toByteArray();
            }
            int from = line[0] == '.' ? 1 : 0;
            message.write(line, from, line.length - from);
        }
    }

    /** Up to CRLF, which is part of it. */
    private static byte[] line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream(128);
        int last = 0;
        while (true) {
            int octet = in.read();
            if (octet < 0) {
                throw new EOFException("closed in mid-line");
            }
            line.write(octet);
            if (last == '\r' && octet == '\n') {
                return line.toByteArray();
            }
            last = octet;
        }
    }

    private static void say(Socket connection, String reply) throws IOException {
        connection.getOutputStream().write((reply + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    /** With a certificate that nobody vouches for, as many mail exchangers have. */
    private static SSLContext tls() throws IOException {
        try {
            var own = ThrowAwayCertificate.make(ThrowAwayCertificate.Kind.EC, "mx.example.net");
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("mx", own.key(), new char[0], new Certificate[] {own.certificate()});
            var managers = KeyManagerFactory.getInstance("SunX509");
            managers.init(store, new char[0]);
            var context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the receiving server can't do TLS", e);
        }
    }

    private static void daemon(String name, Runnable task) {
        var thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }
}
