package dev.weft.examples.lab;

import java.nio.file.Path;
import java.util.regex.Pattern;

/** A mail server with a queue of its own, which sends all that it takes to one relay. */
interface SendingServer extends AutoCloseable {

    /** Where it takes mail, on 127.0.0.1. */
    int port();

    /** The file that it logs to. */
    Path logFile();

    /** All that it has logged so far. */
    default String log() {
        return Shell.text(logFile());
    }

    /** How many messages it still has. */
    int queued();

    /** Has it try all that it has again now. */
    void runQueue();

    /** A line of its log about a message that was put off. */
    Pattern deferral();

    /** One about a message that it did not even try to send, since the whole destination is put off. */
    Pattern suspension();

    /** Stops it. */
    @Override
    void close();
}
