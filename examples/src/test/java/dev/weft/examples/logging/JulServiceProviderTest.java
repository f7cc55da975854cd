package dev.weft.examples.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class JulServiceProviderTest {

    private static final String NAME = "dev.weft.examples.logging.test";

    private final List<LogRecord> records = new ArrayList<>();
    private final Logger target = Logger.getLogger(NAME);
    private final Handler collector = new Handler() {
        @Override
        public void publish(LogRecord log) {
            records.add(log);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void collect() {
        target.addHandler(collector);
        target.setUseParentHandlers(false);
    }

    @AfterEach
    void restore() {
        target.removeHandler(collector);
        target.setUseParentHandlers(true);
        target.setLevel(null);
    }

    @Test
    void slf4jFindsIt() {
        assertThat(LoggerFactory.getILoggerFactory()).isInstanceOf(JulLoggerFactory.class);
    }

    @Test
    void messagesAreFilledInAndTheLastArgumentMayBeAnException() {
        var failure = new IOException("broken pipe");
        LoggerFactory.getLogger(NAME).warn("session {} of {}", "s1", 7, failure);
        assertThat(records).singleElement().satisfies(log -> {
            assertThat(log.getMessage()).isEqualTo("session s1 of 7");
            assertThat(log.getLevel()).isEqualTo(Level.WARNING);
            assertThat(log.getThrown()).isSameAs(failure);
            assertThat(log.getLoggerName()).isEqualTo(NAME);
        });
    }

    @Test
    void levelsFollowTheTarget() {
        var logger = LoggerFactory.getLogger(NAME);
        target.setLevel(Level.FINE);
        assertThat(logger.isTraceEnabled()).isFalse();
        assertThat(logger.isDebugEnabled()).isTrue();
        logger.trace("no");
        logger.debug("yes");
        logger.info("yes");
        logger.error("yes");
        assertThat(records).extracting(LogRecord::getLevel).containsExactly(Level.FINE, Level.INFO, Level.SEVERE);
    }

    @Test
    void aRecordIsOneLineWhateverItHolds() {
        var log = new LogRecord(Level.INFO, "said \"220 x\r\n250 forged\u001b[2J\"");
        log.setLoggerName("dev.weft.nio.EventLoop");
        log.setInstant(Instant.parse("2026-01-02T03:04:05.678901Z"));
        assertThat(new OneLineFormat().format(log)).isEqualTo("2026-01-02T03:04:05.678Z INFO dev.weft.nio.EventLoop: said \"220 x"
                + "\\" + "u000d\\" + "u000a250 forged\\" + "u001b[2J\"\n");
    }

    @Test
    void aStackTraceFollowsIndented() {
        var log = new LogRecord(Level.SEVERE, "a handler failed");
        log.setLoggerName("x");
        log.setThrown(new IllegalStateException("first\nsecond"));
        assertThat(new OneLineFormat().format(log).lines().skip(1))
                .first().isEqualTo("    java.lang.IllegalStateException: first");
        assertThat(new OneLineFormat().format(log).lines().skip(1)).allMatch(line -> line.startsWith("    "));
    }
}
