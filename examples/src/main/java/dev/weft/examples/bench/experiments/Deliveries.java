package dev.weft.examples.bench.experiments;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** What the logs of some Postfix hosts tell of messages that have one recipient each, by which they are known. */
final class Deliveries {

    private final List<LogReader> logs;
    private final Map<String, Long> queuedMicros = new HashMap<>();
    private final Map<String, Integer> copies = new HashMap<>();
    private int suspended;
    private int refused;

    /** Nothing is read yet, and the files need not be there. */
    Deliveries(Collection<Path> files) {
        logs = files.stream().map(LogReader::new).toList();
    }

    /** Takes in what has been logged since the last call. */
    Deliveries read() throws IOException {
        for (var log : logs) {
            for (var line : log.lines()) {
                Delivery.of(line).ifPresent(this::count);
            }
        }
        return this;
    }

    private void count(Delivery delivery) {
        QueueId.micros(delivery.queueId()).ifPresent(micros -> queuedMicros.merge(delivery.recipient(), micros, Math::min));
        if (delivery.sent()) {
            copies.merge(delivery.recipient(), 1, Integer::sum);
        } else if (delivery.suspended()) {
            suspended++;
        } else if (delivery.refusedForConnections()) {
            refused++;
        }
    }

    /** When the message for a recipient was first queued there, in microseconds since 1970. */
    OptionalLong queuedMicros(String recipient) {
        var micros = queuedMicros.get(recipient);
        return micros == null ? OptionalLong.empty() : OptionalLong.of(micros);
    }

    /** How many of the recipients had a message. */
    long delivered(Collection<String> recipients) {
        return recipients.stream().filter(copies::containsKey).count();
    }

    /** How many of the recipients had a message more than once. */
    long doubled(Collection<String> recipients) {
        return recipients.stream().filter(recipient -> copies.getOrDefault(recipient, 0) > 1).count();
    }

    /** How often "delivery temporarily suspended" was logged. */
    int suspended() {
        return suspended;
    }

    /** How often an attempt was refused because there were too many connections. */
    int refusedForConnections() {
        return refused;
    }
}
