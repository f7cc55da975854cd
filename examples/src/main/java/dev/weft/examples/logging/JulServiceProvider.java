package dev.weft.examples.logging;

import java.util.logging.LogManager;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Carries SLF4J's calls to {@code java.util.logging}, so that a program needs no other package for its diagnostics. Unless the
 * user configured logging by one of {@code java.util.logging}'s two system properties, the root logger gets one handler: a line
 * for each record, on standard error, from INFO up.
 */
public final class JulServiceProvider implements SLF4JServiceProvider {

    private final ILoggerFactory loggers = new JulLoggerFactory();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter context = new NOPMDCAdapter();

    /** Made by SLF4J. */
    public JulServiceProvider() {}

    @Override
    public ILoggerFactory getLoggerFactory() {
        return loggers;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return context;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99"; // any 2.0
    }

    @Override
    public void initialize() {
        if (System.getProperty("java.util.logging.config.file") == null
                && System.getProperty("java.util.logging.config.class") == null) {
            var root = LogManager.getLogManager().getLogger("");
            for (var handler : root.getHandlers()) {
                root.removeHandler(handler);
            }
            root.addHandler(new StderrHandler());
        }
    }
}
