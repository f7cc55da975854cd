package dev.weft.examples.logging;

import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.slf4j.Marker;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** One SLF4J logger on one of {@code java.util.logging}. */
final class JulLogger extends LegacyAbstractLogger {

    private static final long serialVersionUID = 1L;

    private final transient Logger target; // SLF4J reads a serialized logger back by its name

    JulLogger(String name) {
        this.name = name;
        this.target = Logger.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME.equals(name) ? "" : name);
    }

    @Override
    public boolean isTraceEnabled() {
        return target.isLoggable(Level.FINEST);
    }

    @Override
    public boolean isDebugEnabled() {
        return target.isLoggable(Level.FINE);
    }

    @Override
    public boolean isInfoEnabled() {
        return target.isLoggable(Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return target.isLoggable(Level.WARNING);
    }

    @Override
    public boolean isErrorEnabled() {
        return target.isLoggable(Level.SEVERE);
    }

    @Override
    protected String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            org.slf4j.event.Level level, Marker marker, String message, Object[] arguments, Throwable thrown) {
        var log = new LogRecord(julLevel(level), MessageFormatter.basicArrayFormat(message, arguments));
        log.setLoggerName(target.getName());
        log.setThrown(thrown);
        // Otherwise the record walks the stack for the caller, which no format of ours shows.
        log.setSourceClassName(name);
        log.setSourceMethodName("");
        target.log(log);
    }

    private static Level julLevel(org.slf4j.event.Level level) {
        return switch (level) {
            case TRACE -> Level.FINEST;
            case DEBUG -> Level.FINE;
            case INFO -> Level.INFO;
            case WARN -> Level.WARNING;
            case ERROR -> Level.SEVERE;
        };
    }
}
