package dev.weft.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** One connection of a scripted server: a plain receiving SMTP server whose answers the script may change. */
final class ServerConnection implements Runnable {

    /** Ends the connection at a fault; no failure. */
    private static final class Over extends IOException {
        private static final long serialVersionUID = 1;
    }

    private final ScriptedServer server;
    private final ServerScript script;
    private final Socket socket;
    private final int number;
    private InputStream in;
    private String hello = "";
    private String mail;
    private final List<String> recipients = new ArrayList<>();
    private ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    private int dripSize;
    private Duration dripPause = Duration.ZERO;

    ServerConnection(ScriptedServer server, ServerScript script, Socket socket, int number, Duration timeout) throws IOException {
        this.server = server;
        this.script = script;
        this.socket = socket;
        this.number = number;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) timeout.toMillis());
    }

    int number() {
        return number;
    }

    @Override
    public void run() {
        try (socket) {
            in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
            before(Moment.CONNECT);
            answer(Moment.GREETING, "", script.greeting);
            for (var line = readLine(); line != null; line = readLine()) {
                server.say(number + " C: " + line);
                if (!command(line)) {
                    break;
                }
            }
            server.say(number + " - closed");
        } catch (Over e) {
            server.say(number + " - over by a fault");
        } catch (SocketTimeoutException e) {
            server.say(number + " - timed out");
        } catch (IOException e) {
            server.say(number + " - " + e.getMessage());
        } finally {
            server.over();
        }
    }

    void close() {
        try {
            socket.close();
        } catch (IOException e) {
            server.say(number + " ! close: " + e);
        }
    }

    private boolean command(String line) throws IOException {
        var moment = Moment.of(line);
        var word = line.strip().split("[ \t]", 2)[0].toUpperCase(Locale.ROOT);
        switch (word) {
            case "EHLO", "HELO" -> {
                var said = answer(moment, line, word.equals("HELO") ? "250 " + script.name : capabilities());
                if (said.startsWith("250")) {
                    hello = line.substring(Math.min(5, line.length()));
                    forget();
                }
            }
            case "MAIL" -> {
                var said = answer(moment, line, mail == null ? "250 2.1.0 Ok" : "503 5.5.1 nested MAIL");
                if (said.startsWith("250")) {
                    mail = line;
                }
            }
            case "RCPT" -> {
                var said = answer(moment, line, mail != null ? "250 2.1.5 Ok" : "503 5.5.1 MAIL first");
                if (said.startsWith("250")) {
                    recipients.add(line);
                }
            }
            case "DATA" -> {
                var usual = recipients.isEmpty() ? "503 5.5.1 no recipient" : "354 go on";
                if (answer(moment, line, usual).startsWith("354")) {
                    data();
                }
            }
            case "BDAT" -> chunk(line);
            case "RSET" -> {
                answer(moment, line, "250 2.0.0 Ok");
                forget();
            }
            case "QUIT" -> {
                answer(moment, line, "221 2.0.0 Bye");
                return false;
            }
            case "NOOP" -> answer(moment, line, "250 2.0.0 Ok");
            case "VRFY" -> answer(moment, line, "252 2.0.0 perhaps");
            default -> answer(moment, line, "500 5.5.2 what is " + word);
        }
        return true;
    }

    private String capabilities() {
        var text = new StringBuilder("250").append(script.capabilities.isEmpty() ? ' ' : '-').append(script.name);
        for (int i = 0; i < script.capabilities.size(); i++) {
            text.append("\r\n250").append(i == script.capabilities.size() - 1 ? ' ' : '-').append(script.capabilities.get(i));
        }
        return text.toString();
    }

    private void data() throws IOException {
        var raw = new MessageOctets();
        raw.write('\r'); // the CRLF of the DATA command counts for an empty message
        raw.write('\n');
        int marker = 0;
        while (marker == 0) {
            int b = readOctet();
            if (raw.size() == 2) {
                before(Moment.MESSAGE);
            }
            raw.write(b);
            if (b == '\n' || b == '\r') {
                marker = marker(raw);
            }
        }
        var all = raw.toByteArray();
        // What stands before the marker's dot belongs to the message.
        var message = all.length - marker <= 0 ? new byte[0] : Arrays.copyOfRange(all, 2, Math.max(2, all.length - marker));
        server.say(number + " C: <" + message.length + " octets>");
        if (answer(Moment.END_OF_DATA, ".", "250 2.0.0 Ok queued").startsWith("250")) {
            accept(message, unstuffed(message));
        }
        forget();
    }

    /** The octets from the marker's dot on, if the message ends here; else 0. */
    private int marker(MessageOctets raw) {
        for (var each : script.terminators) {
            if (raw.endsWith(each)) {
                int dot = 0;
                while (each[dot] != '.') {
                    dot++;
                }
                return each.length - dot;
            }
        }
        return 0;
    }

    private void chunk(String line) throws IOException {
        var words = line.strip().split("[ \t]+");
        int size = Integer.parseInt(words[1]);
        var last = words.length > 2 && words[2].equalsIgnoreCase("LAST");
        if (size > 0) {
            chunks.write(readOctet());
            before(Moment.MESSAGE);
        }
        for (int i = 1; i < size; i++) {
            chunks.write(readOctet());
        }
        server.say(number + " C: <" + size + " octets>");
        var usual = recipients.isEmpty() ? "503 5.5.1 no recipient" : "250 2.0.0 " + size + " octets";
        var said = answer(last ? Moment.END_OF_DATA : Moment.OTHER, line, usual);
        if (last) {
            if (said.startsWith("250")) {
                accept(chunks.toByteArray(), chunks.toByteArray());
            }
            forget();
        }
    }

    private void accept(byte[] raw, byte[] content) {
        server.received(new ReceivedMessage(number, hello, mail, recipients, raw, content));
    }

    private void forget() {
        mail = null;
        recipients.clear();
        chunks = new ByteArrayOutputStream();
    }

    private static byte[] unstuffed(byte[] raw) {
        var out = new ByteArrayOutputStream(raw.length);
        for (int i = 0; i < raw.length; i++) {
            var lineStart = i == 0 || raw[i - 1] == '\n' && i >= 2 && raw[i - 2] == '\r';
            if (!(lineStart && raw[i] == '.')) {
                out.write(raw[i]);
            }
        }
        return out.toByteArray();
    }

    /** Octets whose end can be looked at. */
    private static final class MessageOctets extends ByteArrayOutputStream {
        boolean endsWith(byte[] end) {
            return count >= end.length && Arrays.equals(buf, count - end.length, count, end, 0, end.length);
        }
    }

    private int readOctet() throws IOException {
        int b = in.read();
        if (b < 0) {
            server.say(number + " - closed in the middle of a message");
            throw new Over();
        }
        return b;
    }

    private String readLine() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            }
            line.write(b);
        }
        var text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text + "<LF>";
    }

    /** Says the scripted answer or the usual one, with the moment's faults around it. */
    private String answer(Moment moment, String line, String usual) throws IOException {
        var scripted = moment == Moment.GREETING ? null : script.answer(line);
        var said = scripted != null ? scripted : usual;
        var after = new ArrayList<Fault>();
        for (var fault : script.faults(moment)) {
            if (fault instanceof Fault.Answer other) {
                said = other.wire();
            } else if (fault instanceof Fault.After later) {
                after.add(later.fault());
            } else {
                happen(fault);
            }
        }
        write(said);
        for (var fault : after) {
            happen(fault);
        }
        return said.substring(said.lastIndexOf('\n') + 1);
    }

    private void before(Moment moment) throws IOException {
        for (var fault : script.faults(moment)) {
            if (fault instanceof Fault.Answer early) {
                write(early.wire());
            } else {
                happen(fault instanceof Fault.After after ? after.fault() : fault);
            }
        }
    }

    private void write(String reply) throws IOException {
        reply.lines().forEach(line -> server.say(number + " S: " + line));
        var bytes = (reply + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
        var out = socket.getOutputStream();
        int step = dripSize > 0 ? dripSize : bytes.length;
        for (int i = 0; i < bytes.length; i += step) {
            out.write(bytes, i, Math.min(step, bytes.length - i));
            out.flush();
            if (i + step < bytes.length) {
                pause(dripPause);
            }
        }
    }

    private void happen(Fault fault) throws IOException {
        if (fault instanceof Fault.Delay delay) {
            pause(delay.time());
        } else if (fault instanceof Fault.Drip drip) {
            dripSize = drip.bytesPerWrite();
            dripPause = drip.pause();
        } else if (fault instanceof Fault.Cut) {
            socket.shutdownOutput();
            in.skip(in.available()); // unread octets would make it a reset
            throw new Over();
        } else if (fault instanceof Fault.Reset) {
            socket.setSoLinger(true, 0);
            throw new Over();
        } else if (fault instanceof Fault.HalfClose) {
            socket.shutdownOutput();
            readToEnd();
        } else if (fault instanceof Fault.Silence) {
            readToEnd();
        } else if (fault instanceof Fault.Deafness) {
            pause(Duration.ofDays(1));
        } else {
            write(((Fault.Answer) fault).wire());
        }
    }

    private void readToEnd() throws IOException {
        while (in.read() >= 0) {
            continue;
        }
        throw new Over();
    }

    private void pause(Duration time) throws IOException {
        server.pause(time);
    }
}
