package dev.weft.examples.bench;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Takes note of all that the proxy logs as an error or a warning: faults of others are neither. */
final class TrialErrors extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger("dev.weft");
    private final TrialLedger ledger;

    TrialErrors(TrialLedger ledger) {
        this.ledger = ledger;
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            var cause = record.getThrown();
            ledger.broken("the proxy logged: " + record.getMessage() + (cause == null ? "" : ": " + cause));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
