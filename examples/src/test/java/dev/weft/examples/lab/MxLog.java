package dev.weft.examples.lab;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What a receiving Postfix logs from some moment on: who had which message, and how many were connected at one time. */
final class MxLog {

    private static final Pattern SESSION = Pattern.compile(".* postfix/smtpd\\[(\\d+)\\]: (connect|disconnect) from .*");
    private static final Pattern REFUSAL = Pattern.compile(".* warning: Connection concurrency limit exceeded: .*");
    private static final Pattern HANDSHAKE = Pattern.compile(".* TLS connection established from .*");
    private static final Pattern DELIVERY = Pattern.compile(
            ".* postfix/discard\\[\\d+\\]: (\\w+): to=<([^>]+)>, .* status=sent .*");

    private final Path file;
    private long position;
    private final Set<String> connected = new HashSet<>();
    private int connections;
    private int mostConnected;
    private int refusals;
    private int handshakes;
    private final Map<String, Integer> copies = new HashMap<>();
    private final Set<String> messages = new HashSet<>();

    private MxLog(Path file) {
        this.file = file;
    }

    /** What comes from now on, while nobody is connected. */
    static MxLog fromNowOn(LoopbackPostfix mx) {
        var log = new MxLog(mx.logFile());
        log.position = log.file.toFile().length();
        return log;
    }

    /** Takes in the lines that were completed since the last call. */
    MxLog read() {
        try (var in = new RandomAccessFile(file.toFile(), "r")) {
            var bytes = new byte[(int) (in.length() - position)];
            in.seek(position);
            in.readFully(bytes);
            var text = new String(bytes, StandardCharsets.ISO_8859_1);
            int complete = text.lastIndexOf('\n') + 1;
            position += complete;
            text.substring(0, complete).lines().forEach(this::line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    private void line(String line) {
        var session = SESSION.matcher(line);
        var delivery = DELIVERY.matcher(line);
        if (session.matches()) {
            if (session.group(2).equals("connect")) {
                connected.add(session.group(1));
                connections++;
                mostConnected = Math.max(mostConnected, connected.size());
            } else {
                connected.remove(session.group(1));
            }
        } else if (delivery.matches()) {
            messages.add(delivery.group(1));
            copies.merge(delivery.group(2), 1, Integer::sum);
        } else if (REFUSAL.matcher(line).matches()) {
            refusals++;
        } else if (HANDSHAKE.matcher(line).matches()) {
            handshakes++;
        }
    }

    /** How many messages each recipient had. */
    Map<String, Integer> copies() {
        return copies;
    }

    boolean haveAll(Collection<String> recipients) {
        return copies.keySet().containsAll(recipients);
    }

    /** Messages that were taken, each for one or more recipients. */
    int messages() {
        return messages.size();
    }

    int connections() {
        return connections;
    }

    /** The most that were connected at one time; those that were refused for their number count as well. */
    int mostConnected() {
        return mostConnected;
    }

    int connected() {
        return connected.size();
    }

    int refusals() {
        return refusals;
    }

    int handshakes() {
        return handshakes;
    }
}
