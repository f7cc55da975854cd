package dev.weft.nio;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A small mail exchanger that offers STARTTLS with the JDK's sockets, and does something else than a handshake if it is told to.
 */
final class SecureServer implements AutoCloseable {

    /** What it does at STARTTLS. */
    enum Manner {
        SECURE, NOT_OFFERED, REFUSE,
        /** Closes behind the 220. */
        CLOSE,
        /** Resets behind the 220. */
        RESET,
        /** Text where its hello should be. */
        JUNK,
        /** Says nothing more behind the 220. */
        STALL,
        /** A reply in clear glued to the 220. */
        INJECT,
        /** Offers less inside TLS than in clear. */
        LESS_INSIDE
    }

    private final ServerSocket listener;
    private final SSLContext context;
    private volatile Manner manner;
    private volatile Consumer<SSLSocket> tuning = socket -> { };
    private volatile String name = "mx.example";
    private final List<String> lines = new ArrayList<>();
    private final List<byte[]> messages = new ArrayList<>();
    private final List<Socket> sockets = new ArrayList<>();

    SecureServer(SSLContext context, Manner manner) throws IOException {
        this.context = context;
        this.manner = manner;
        this.listener = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    static SecureServer start(Manner manner) throws Exception {
        return new SecureServer(TlsParts.peer(TlsParts.RSA, TlsParts.EC), manner);
    }

    private static void daemon(Runnable task) {
        var thread = new Thread(task, "secure server");
        thread.setDaemon(true);
        thread.start();
    }

    SecureServer manner(Manner next) {
        manner = next;
        return this;
    }

    SecureServer tune(Consumer<SSLSocket> before) {
        tuning = before;
        return this;
    }

    SecureServer named(String announced) {
        name = announced;
        return this;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    synchronized List<byte[]> messages() {
        return List.copyOf(messages);
    }

    synchronized int connections() {
        return sockets.size();
    }

    private synchronized void say(int connection, String line) {
        lines.add(connection + " " + line);
    }

    private void accept() {
        try {
            while (true) {
                var socket = listener.accept();
                int number;
                synchronized (this) {
                    sockets.add(socket);
                    number = sockets.size();
                }
                daemon(() -> {
                    try (socket) {
                        socket.setTcpNoDelay(true);
                        new Connection(number, socket).serve();
                    } catch (IOException e) {
                        say(number, "! " + e.getMessage());
                    } finally {
                        say(number, "end");
                    }
                });
            }
        } catch (IOException e) {
            // closed
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        closeConnections();
    }

    void closeConnections() throws IOException {
        List<Socket> open;
        synchronized (this) {
            open = List.copyOf(sockets);
        }
        for (var socket : open) {
            socket.close();
        }
    }

    private final class Connection {
        private final int number;
        private final Socket clear;
        private Socket socket;
        private InputStream in;
        private boolean secure;

        Connection(int number, Socket socket) throws IOException {
            this.number = number;
            this.clear = socket;
            use(socket);
        }

        private void use(Socket next) throws IOException {
            socket = next;
            in = new BufferedInputStream(next.getInputStream());
        }

        private void reply(String text) throws IOException {
            socket.getOutputStream().write(text.replace("\n", "\r\n").concat("\r\n").getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
        }

        void serve() throws IOException {
            reply("220 " + name + " ready");
            for (var line = line(); line != null; line = line()) {
                say(number, (secure ? "TLS " : "") + line);
                var verb = line.split(" ")[0].toUpperCase(java.util.Locale.ROOT);
                switch (verb) {
                    case "EHLO" -> reply(hello());
                    case "STARTTLS" -> {
                        if (!startTls()) {
                            return;
                        }
                    }
                    case "DATA" -> {
                        reply("354 go on");
                        var message = message();
                        synchronized (SecureServer.this) {
                            messages.add(message);
                        }
                        reply("250 2.0.0 kept");
                    }
                    case "QUIT" -> {
                        reply("221 bye");
                        socket.close();
                        return;
                    }
                    default -> reply("250 ok");
                }
            }
            say(number, "closed by the client");
        }

        private String hello() {
            if (secure) {
                return manner == Manner.LESS_INSIDE ? "250 mx.example" : "250-mx.example\n250-PIPELINING\n250 8BITMIME";
            }
            return "250-mx.example\n250-PIPELINING\n" + (manner == Manner.NOT_OFFERED ? "" : "250-STARTTLS\n") + "250 8BITMIME";
        }

        private boolean startTls() throws IOException {
            switch (manner) {
                case REFUSE -> {
                    reply("454 4.7.0 not now");
                    return true;
                }
                case INJECT -> {
                    reply("220 go\n250 injected");
                    return line() == null;
                }
                case CLOSE -> {
                    reply("220 go");
                    return false;
                }
                case RESET -> {
                    reply("220 go");
                    socket.setSoLinger(true, 0);
                    return false;
                }
                case JUNK -> {
                    reply("220 go");
                    in.read();
                    reply("500 what is that");
                    in.transferTo(java.io.OutputStream.nullOutputStream());
                    return false;
                }
                case STALL -> {
                    reply("220 go");
                    in.transferTo(java.io.OutputStream.nullOutputStream());
                    say(number, "closed by the client");
                    return false;
                }
                default -> {
                    reply("220 go");
                    secure();
                    return true;
                }
            }
        }

        private void secure() throws IOException {
            var layered = (SSLSocket) context.getSocketFactory().createSocket(clear, null, true);
            tuning.accept(layered);
            try {
                layered.startHandshake();
            } catch (IOException e) {
                say(number, "no TLS: " + e.getMessage());
                throw e;
            }
            var session = (ExtendedSSLSession) layered.getSession();
            var names = session.getRequestedServerNames().stream().map(each -> ((SNIHostName) each).getAsciiName()).toList();
            var peer = "nobody";
            try {
                peer = session.getPeerPrincipal().getName();
            } catch (javax.net.ssl.SSLPeerUnverifiedException e) {
                // it showed no certificate
            }
            say(number, "is " + session.getProtocol() + " for " + names + " with " + peer);
            secure = true;
            use(layered);
        }

        private String line() throws IOException {
            var line = new ByteArrayOutputStream();
            for (int b = in.read(); b >= 0; b = in.read()) {
                if (b == '\n') {
                    return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
                }
                line.write(b);
            }
            return null;
        }

        /** Octet for octet, with its dots stuffed, without the end. */
        private byte[] message() throws IOException {
            var all = new ByteArrayOutputStream();
            int last5 = 0x0d0a; // the line of DATA
            long window = last5;
            while (true) {
                int b = in.read();
                if (b < 0) {
                    throw new IOException("closed in the message after " + all.size() + " octets");
                }
                all.write(b);
                window = (window << 8 | b) & 0xff_ffff_ffffL;
                if (window == 0x0d0a2e0d0aL) {
                    var bytes = all.toByteArray();
                    return java.util.Arrays.copyOf(bytes, bytes.length - 3);
                }
            }
        }
    }
}
