package dev.weft.examples.bench;

import java.io.IOException;
import java.nio.file.Path;

/** What one contender did with one load. */
record Run(double perSecond, double cpuPer10k) {

    /**
     * Sends a load.
     *
     * @param divisor what the number of messages is divided by, to be quicker
     */
    static Run of(Path directory, Load load, Contender contender, int divisor) throws IOException, InterruptedException {
        int messages = Math.max(load.sessions, load.messages / divisor);
        double before = contender.cpuSeconds();
        double seconds = SmtpSource.send(directory, contender.port(), messages, load.sessions, load.reuse, load.size);
        return new Run(messages / seconds, (contender.cpuSeconds() - before) * 10_000 / messages);
    }
}
