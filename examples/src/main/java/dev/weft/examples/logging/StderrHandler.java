package dev.weft.examples.logging;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.time.Duration;
import java.util.logging.ErrorManager;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

/** Writes records to standard error by a thread of its own: event loops log too, and its reader may be slow. */
final class StderrHandler extends Handler {

    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final LineWriter lines;

    StderrHandler() {
        setFormatter(new OneLineFormat());
        lines = new LineWriter("log", new FileOutputStream(FileDescriptor.err),
                lost -> lost + " log records were dropped: standard error was too slow\n",
                failure -> reportError(null, failure, ErrorManager.WRITE_FAILURE));
    }

    @Override
    public void publish(LogRecord log) {
        if (isLoggable(log)) {
            lines.offer(() -> getFormatter().format(log), 256);
        }
    }

    @Override
    public void flush() {
        lines.flush(LAST_WORDS);
    }

    /** Called when the JVM exits, among others. */
    @Override
    public void close() {
        lines.close(LAST_WORDS);
    }
}
