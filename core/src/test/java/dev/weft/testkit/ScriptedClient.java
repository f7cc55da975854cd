package dev.weft.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A sending SMTP client on a real socket, driven line by line. Every read is bounded by the time limit; what comes unlooked-for
 * fails with an {@link AssertionError} that shows the dialogue so far. One thread at a time.
 *
 * <pre>{@code
 * try (var client = ScriptedClient.connect(proxyAddress)) {
 *     client.expect(220);
 *     client.command("EHLO a.example", 250);
 *     client.sendMessage("<a@example.com>", List.of("<b@example.net>"), "Subject: x\r\n\r\nhello\r\n");
 *     client.command("QUIT", 221);
 * }
 * }</pre>
 */
public final class ScriptedClient implements AutoCloseable {

    private final Socket socket;
    private final InputStream in;
    private final List<String> transcript = new ArrayList<>();
    private int dripSize;

    private ScriptedClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /**
     * Connects, with a time limit of 30 s for this and for each read.
     *
     * @param server whom to connect to
     * @return the client; nothing was read yet
     * @throws IOException if the connection fails
     */
    public static ScriptedClient connect(InetSocketAddress server) throws IOException {
        return connect(server, null, Duration.ofSeconds(30));
    }

    /**
     * Connects from a chosen address.
     *
     * @param server whom to connect to
     * @param source the local address, or null for any
     * @param timeout for the connection and for each read
     * @return the client; nothing was read yet
     * @throws IOException if the connection fails
     */
    public static ScriptedClient connect(InetSocketAddress server, InetAddress source, Duration timeout) throws IOException {
        var socket = new Socket();
        try {
            if (source != null) {
                socket.bind(new InetSocketAddress(source, 0));
            }
            socket.connect(server, (int) timeout.toMillis());
            socket.setSoTimeout((int) timeout.toMillis());
            socket.setTcpNoDelay(true);
            return new ScriptedClient(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * The socket, for what is not offered here.
     *
     * @return the socket
     */
    public Socket socket() {
        return socket;
    }

    /**
     * What was said so far: {@code "C: "} and the client's lines, {@code "S: "} and the server's.
     *
     * @return a copy
     */
    public List<String> transcript() {
        return List.copyOf(transcript);
    }

    /**
     * From now on sends in small pieces, each in a write of its own.
     *
     * @param bytesPerWrite octets per write; 0 sends everything in one write again
     * @return this
     */
    public ScriptedClient drip(int bytesPerWrite) {
        dripSize = bytesPerWrite;
        return this;
    }

    /**
     * Sends octets as they are.
     *
     * @param octets what to send
     * @return this
     * @throws IOException if the connection fails
     */
    public ScriptedClient send(byte[] octets) throws IOException {
        transcript.add(octets.length <= 200 ? "C: " + new String(octets, StandardCharsets.ISO_8859_1).stripTrailing()
                : "C: <" + octets.length + " octets>");
        var out = socket.getOutputStream();
        int step = dripSize > 0 ? dripSize : Math.max(1, octets.length);
        for (int i = 0; i < octets.length; i += step) {
            out.write(octets, i, Math.min(step, octets.length - i));
        }
        return this;
    }

    /**
     * Sends text as it is, one octet a character; no line end is added.
     *
     * @param text what to send, ISO-8859-1
     * @return this
     * @throws IOException if the connection fails
     */
    public ScriptedClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /**
     * Sends lines in one write, each ended by CRLF.
     *
     * @param lines what to send, ISO-8859-1
     * @return this
     * @throws IOException if the connection fails
     */
    public ScriptedClient sendLines(String... lines) throws IOException {
        return send(String.join("\r\n", lines) + "\r\n");
    }

    /**
     * Reads one line.
     *
     * @return the line without its CRLF; null at the end
     * @throws IOException if the connection fails
     * @throws AssertionError if no line comes in time
     */
    public String readLine() throws IOException {
        var line = new ByteArrayOutputStream();
        try {
            for (int b = in.read(); b != '\n'; b = in.read()) {
                if (b < 0) {
                    if (line.size() > 0) {
                        throw failure("the connection ended within the line \"" + line.toString(StandardCharsets.ISO_8859_1) + '"');
                    }
                    transcript.add("- end");
                    return null;
                }
                line.write(b);
            }
        } catch (SocketTimeoutException e) {
            throw failure("no line came in time");
        }
        var text = line.toString(StandardCharsets.ISO_8859_1);
        transcript.add("S: " + text.stripTrailing());
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    /**
     * Reads one reply.
     *
     * @return its lines, separated by LF
     * @throws IOException if the connection fails
     * @throws AssertionError if no complete reply comes in time
     */
    public String readReply() throws IOException {
        var reply = new StringBuilder();
        while (true) {
            var line = readLine();
            if (line == null) {
                throw failure("the connection ended where a reply was due");
            }
            reply.append(line);
            if (line.length() < 4 || line.charAt(3) != '-') {
                return reply.toString();
            }
            reply.append('\n');
        }
    }

    /**
     * Reads one reply and checks its code.
     *
     * @param code the code of its last line
     * @return its lines, separated by LF
     * @throws IOException if the connection fails
     * @throws AssertionError if another reply comes, or none in time
     */
    public String expect(int code) throws IOException {
        var reply = readReply();
        var last = reply.substring(reply.lastIndexOf('\n') + 1);
        if (!last.startsWith(Integer.toString(code))) {
            throw failure("expected a " + code + ", got \"" + reply + '"');
        }
        return reply;
    }

    /**
     * Sends a line, reads its reply and checks the code.
     *
     * @param line the command without CRLF
     * @param code the code of the reply
     * @return the reply's lines, separated by LF
     * @throws IOException if the connection fails
     * @throws AssertionError if another reply comes, or none in time
     */
    public String command(String line, int code) throws IOException {
        sendLines(line);
        return expect(code);
    }

    /**
     * Sends a whole message, command by command, by MAIL, RCPT and DATA, and expects every step to succeed.
     *
     * @param sender such as {@code "<a@example.com>"}
     * @param recipients such as {@code "<b@example.net>"}
     * @param content the message, not dot-stuffed, ending in CRLF
     * @return the reply after end-of-data
     * @throws IOException if the connection fails
     * @throws AssertionError if a step is refused
     */
    public String sendMessage(String sender, List<String> recipients, String content) throws IOException {
        command("MAIL FROM:" + sender, 250);
        for (var recipient : recipients) {
            command("RCPT TO:" + recipient, 250);
        }
        command("DATA", 354);
        send(stuffed(content) + ".\r\n");
        return expect(250);
    }

    private static String stuffed(String content) {
        var stuffed = content.replace("\r\n.", "\r\n..");
        return stuffed.startsWith(".") ? "." + stuffed : stuffed;
    }

    /**
     * Reads until the server closes.
     *
     * @return all that came
     * @throws IOException if the connection fails or is reset
     * @throws AssertionError if the end does not come in time
     */
    public String readToEnd() throws IOException {
        try {
            var all = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            all.lines().forEach(line -> transcript.add("S: " + line));
            transcript.add("- end");
            return all;
        } catch (SocketTimeoutException e) {
            throw failure("the end did not come in time");
        }
    }

    /**
     * Shuts down the output: the server sees the end, the client reads on.
     *
     * @return this
     * @throws IOException if the connection fails
     */
    public ScriptedClient halfClose() throws IOException {
        transcript.add("- half-closed");
        socket.shutdownOutput();
        return this;
    }

    /**
     * Closes with a reset.
     *
     * @throws IOException if the connection fails
     */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private AssertionError failure(String what) {
        return new AssertionError(what + "; the dialogue:\n" + String.join("\n", transcript));
    }
}
