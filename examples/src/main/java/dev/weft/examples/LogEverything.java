package dev.weft.examples;

import dev.weft.relay.FailureMode;
import dev.weft.relay.Recipient;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs every command and every reply of every session, and what became of each message, as readable lines.
 *
 * <pre>java -jar weft-proxy.jar --listen 127.0.0.1:2525 --to mx.example.com:25 --handler dev.weft.examples.LogEverything</pre>
 *
 * <p>What {@code toString} of a command or reply gives is safe to log: AUTH is masked and control characters are escaped.
 */
public final class LogEverything implements RelayHandler {

    private static final Logger LOG = LoggerFactory.getLogger(LogEverything.class);

    /** For {@code --handler}. */
    public LogEverything() {}

    @Override
    public void greeting(RelaySession session, Reply greeting) {
        LOG.info("{} greeting < {}", session.id(), greeting);
    }

    @Override
    public Verdict<Command> command(RelaySession session, Command command) {
        LOG.info("{} {} > {}", session.id(), session.client(), command);
        return Verdict.proceed();
    }

    @Override
    public void reply(RelaySession session, Command command, Reply reply) {
        LOG.info("{} {} < {}", session.id(), command.verb(), reply);
    }

    @Override
    public void transactionEnded(RelaySession session, TransactionRecord record) {
        long accepted = record.recipients().stream().filter(Recipient::accepted).count();
        LOG.info("{} message from {}: {}, {} of {} recipients, {} octets, {}, {}", session.id(), record.sender(),
                record.outcome(), accepted, record.recipientCount(), record.messageBytes(), serverLeg(record),
                new TreeMap<>(record.stages())); // in the order in which stages happen
    }

    private static String serverLeg(TransactionRecord record) {
        if (record.reused().isEmpty()) {
            return "no server leg";
        }
        int before = record.reused().getAsInt();
        return before == 0 ? "a fresh server leg" : "a server leg that had carried " + before + " before";
    }

    @Override
    public void sessionClosed(RelaySession session, SessionRecord record) {
        LOG.info("{} closed: {} after {}", session.id(), record.end(), record.duration());
    }

    /** A log that fails must not keep mail from flowing. */
    @Override
    public FailureMode failureMode() {
        return FailureMode.OPEN;
    }
}
