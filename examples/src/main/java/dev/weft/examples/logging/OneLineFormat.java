package dev.weft.examples.logging;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.temporal.ChronoUnit;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/** {@code time LEVEL logger: message}, always one line; the stack trace of an exception follows, indented. */
final class OneLineFormat extends Formatter {

    @Override
    public String format(LogRecord log) {
        var text = new StringBuilder(160)
                .append(log.getInstant().truncatedTo(ChronoUnit.MILLIS))
                .append(' ').append(label(log.getLevel()))
                .append(' ').append(log.getLoggerName())
                .append(": ");
        appendPrintable(text, formatMessage(log));
        text.append('\n');
        if (log.getThrown() != null) {
            var trace = new StringWriter();
            log.getThrown().printStackTrace(new PrintWriter(trace));
            trace.toString().lines().forEach(line -> {
                text.append("    ");
                appendPrintable(text, line.replace("\t", "    "));
                text.append('\n');
            });
        }
        return text.toString();
    }

    /** A peer's words may stand in a message: its control characters must neither forge a line nor reach a terminal. */
    private static void appendPrintable(StringBuilder text, String message) {
        message.chars().forEach(c -> {
            if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
                text.append(String.format("\\u%04x", c));
            } else {
                text.append((char) c);
            }
        });
    }

    private static String label(Level level) {
        int value = level.intValue();
        if (value >= Level.SEVERE.intValue()) {
            return "ERROR";
        }
        if (value >= Level.WARNING.intValue()) {
            return "WARN";
        }
        if (value >= Level.INFO.intValue()) {
            return "INFO";
        }
        return value >= Level.FINE.intValue() ? "DEBUG" : "TRACE";
    }
}
