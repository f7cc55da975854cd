package dev.weft.examples;

import dev.weft.examples.logging.LineWriter;
import dev.weft.relay.FailureMode;
import dev.weft.relay.Notice;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs every event of every session as one line of JSON. Each has {@code time}, {@code event}, {@code session}, {@code client};
 * the events:
 * <pre>
 * session_opened    destination
 * greeting          reply
 * command           verb, line
 * reply             verb, reply
 * notice            kind, detail; what it is about, where it is known: server, source, reply, stage
 * transaction       number, destination, server, source, reused (how many transactions that server leg had carried before; 0: it
 *                   was fresh), waited_ms (for the leg, bound on mail), sender, mail, recipients [path, accepted, reply],
 *                   recipient_count, message_bytes, outcome, reply, stages_ms
 * session_closed    destination, server, source, transactions, bytes_from_client, bytes_from_server, client_tls,
 *                   server_tls, tls_failure, tls_passed_through, duration_ms, end, detail, stages_ms
 * events_dropped    count (no session, no client): the disk was too slow for the queue in between
 * </pre>
 * client_tls and server_tls are there if that leg had TLS: version, cipher, resumed, server_name, and, if the other side showed a
 * certificate, peer [trusted, expired, self_signed, names, matched, detail].
 * The loop only hands values over; the writer's thread makes the text. AUTH comes masked and message text never comes here.
 */
final class EventLog implements RelayHandler {

    private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);

    private final LineWriter lines;

    EventLog(OutputStream out) {
        lines = new LineWriter("event-log", out,
                lost -> new JsonObject().put("time", now().toString()).put("event", "events_dropped").put("count", lost) + "\n",
                failure -> LOG.error("the event log can't be written; events are lost until it can", failure));
    }

    void close(Duration limit) {
        lines.close(limit);
    }

    @Override
    public Verdict<Route> connect(RelaySession session, Route proposed) {
        var destination = session.originalDestination();
        add(session, "session_opened", 0, json -> json.put("destination", EventJson.address(destination)));
        return Verdict.proceed();
    }

    @Override
    public void greeting(RelaySession session, Reply greeting) {
        add(session, "greeting", greeting.length(), json -> json.put("reply", EventJson.reply(greeting)));
    }

    @Override
    public Verdict<Command> command(RelaySession session, Command command) {
        add(session, "command", command.length(), json -> json
                .put("verb", EventJson.verb(command))
                .put("line", command.masked().text()));
        return Verdict.proceed();
    }

    @Override
    public void reply(RelaySession session, Command command, Reply reply) {
        add(session, "reply", reply.length() + command.length(), json -> json
                .put("verb", EventJson.verb(command))
                .put("reply", EventJson.reply(reply)));
    }

    @Override
    public void notice(RelaySession session, Notice notice) {
        int weight = notice.detail().length() + notice.reply().map(Reply::length).orElse(0);
        add(session, "notice", weight, json -> EventJson.notice(json, notice));
    }

    @Override
    public void transactionEnded(RelaySession session, TransactionRecord transaction) {
        int weight = transaction.mail().length();
        for (var recipient : transaction.recipients()) {
            weight += recipient.command().length() + recipient.reply().map(Reply::length).orElse(0);
        }
        var destination = session.originalDestination();
        add(session, "transaction", weight, json -> EventJson.transaction(json, destination, transaction));
    }

    @Override
    public void sessionClosed(RelaySession session, SessionRecord record) {
        add(session, "session_closed", record.detail().length(), json -> EventJson.session(json, record));
    }

    /** It only watches. */
    @Override
    public FailureMode failureMode() {
        return FailureMode.OPEN;
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MICROS);
    }

    /** The session is a live view for the loop: what the writer needs of it is taken here. */
    private void add(RelaySession session, String event, int bytes, Consumer<JsonObject> members) {
        var id = session.id();
        var client = session.client();
        var time = now();
        Supplier<String> line = () -> {
            var json = new JsonObject()
                    .put("time", time.toString())
                    .put("event", event)
                    .put("session", id)
                    .put("client", EventJson.address(client));
            members.accept(json);
            return json + "\n";
        };
        lines.offer(line, 256 + bytes);
    }
}
