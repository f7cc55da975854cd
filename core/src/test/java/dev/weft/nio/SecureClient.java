package dev.weft.nio;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A sending client that can go on in TLS, with the JDK's sockets. */
final class SecureClient implements AutoCloseable {

    private final Socket clear;
    private Socket socket;
    private InputStream in;

    private SecureClient(Socket socket) throws IOException {
        this.clear = socket;
        use(socket);
    }

    static SecureClient connect(InetSocketAddress server) throws IOException {
        var socket = new Socket();
        socket.connect(server, 20_000);
        socket.setSoTimeout(20_000);
        socket.setTcpNoDelay(true);
        return new SecureClient(socket);
    }

    private void use(Socket next) throws IOException {
        socket = next;
        in = new BufferedInputStream(next.getInputStream());
    }

    Socket clear() {
        return clear;
    }

    SSLSocket secure() {
        return (SSLSocket) socket;
    }

    /** STARTTLS and the handshake. */
    SSLSocket startTls(SSLContext context) throws IOException {
        command("STARTTLS", 220);
        return handshake(context, "", socket -> { });
    }

    /** A handshake at once; the name is asked for unless it is empty. */
    SSLSocket handshake(SSLContext context, String name, Consumer<SSLSocket> tuning) throws IOException {
        // Host and port are what the JDK's client finds its sessions by.
        var layered = (SSLSocket) context.getSocketFactory().createSocket(clear, "proxy" + name, clear.getPort(), true);
        var parameters = layered.getSSLParameters();
        parameters.setServerNames(name.isEmpty() ? List.<SNIServerName>of() : List.of(new SNIHostName(name)));
        layered.setSSLParameters(parameters);
        tuning.accept(layered);
        layered.startHandshake();
        use(layered);
        return layered;
    }

    /** Over a socket that does something of its own to the bytes of this one. */
    void handshakeOver(Socket special, SSLContext context) throws IOException {
        var layered = (SSLSocket) context.getSocketFactory().createSocket(special, "proxy", clear.getPort(), true);
        layered.startHandshake();
        use(layered);
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    String command(String line, int code) throws IOException {
        send(line + "\r\n");
        return expect(code);
    }

    String expect(int code) throws IOException {
        var reply = new StringBuilder();
        while (true) {
            var line = line();
            if (line == null) {
                throw new AssertionError("the connection ended where a " + code + " was due, after \"" + reply + '"');
            }
            reply.append(line).append('\n');
            if (line.length() < 4 || line.charAt(3) != '-') {
                if (!line.startsWith(Integer.toString(code))) {
                    throw new AssertionError("expected " + code + ", got \"" + reply + '"');
                }
                return reply.toString();
            }
        }
    }

    /** A whole transaction; the message is dot-stuffed already and ends a line. */
    void message(byte[] message) throws IOException {
        send("MAIL FROM:<a@client.example>\r\nRCPT TO:<b@mx.example>\r\nDATA\r\n");
        expect(250);
        expect(250);
        expect(354);
        send(message);
        send(".\r\n");
        expect(250);
    }

    /** Null at the end of the stream. */
    String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
            }
            line.write(b);
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        clear.close();
    }

    /** Closes before the test goes on. */
    void hangUp() throws IOException {
        clear.close();
    }

    void reset() throws IOException {
        clear.setSoLinger(true, 0);
        clear.close();
    }
}
