package dev.weft.examples.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Postfix's smtp-source: sends messages as fast as it can, and gives up at the first reply that it does not expect. */
final class SmtpSource {

    private static final long LIMIT_MINUTES = 10;

    private SmtpSource() {}

    /**
     * Sends messages.
     *
     * @param sessions how many at one time
     * @param reuse whether a session carries many messages, not one
     * @param size of the body in bytes
     * @return the seconds that it took
     * @throws IOException if a message failed
     */
    static double send(Path directory, int port, int messages, int sessions, boolean reuse, int size)
            throws IOException, InterruptedException {
        // -N numbers the recipients, so that a sink can tell each message from all others.
        var command = new ArrayList<>(List.of(Tools.find("smtp-source", "postfix"), "-N"));
        if (reuse) {
            command.add("-d");
        }
        command.addAll(List.of("-s", "" + sessions, "-m", "" + messages, "-l", "" + size, "127.0.0.1:" + port));
        long start = System.nanoTime();
        try (var source = Child.logged("smtp-source", directory, command)) {
            boolean ended = source.process().waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
            double seconds = (System.nanoTime() - start) / 1e9;
            if (!ended || source.process().exitValue() != 0) {
                throw new IOException((ended ? "failed: " : "hung: ") + String.join(" ", command) + ": " + source.log().strip());
            }
            return seconds;
        }
    }
}
