package dev.weft.examples;

import dev.weft.examples.logging.LineWriter;
import dev.weft.relay.FailureMode;
import dev.weft.relay.LegTls;
import dev.weft.relay.Notice;
import dev.weft.relay.Recipient;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Stage;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints what passes through the proxy as it happens, for the eye: {@code >} is the client, {@code <} the server. */
final class Transcript implements RelayHandler {

    private final LineWriter lines;
    private final boolean colour;
    private final long start = System.nanoTime();

    Transcript(OutputStream out, boolean colour) {
        this.colour = colour;
        lines = new LineWriter("transcript", out, lost -> "(" + lost + " lines lost)\n", failure -> { });
    }

    /** Prints a line of the program's own, after all that came before. */
    void say(String line) {
        lines.offer(() -> line + "\n", line.length());
    }

    void close() {
        lines.close(Duration.ofSeconds(5));
    }

    @Override
    public Verdict<Route> connect(RelaySession session, Route proposed) {
        line(session, "1", "connected, on to " + EventJson.address(proposed.server()));
        return Verdict.proceed();
    }

    @Override
    public void greeting(RelaySession session, Reply greeting) {
        reply(session, greeting);
    }

    @Override
    public Verdict<Command> command(RelaySession session, Command command) {
        line(session, "36", "> " + command);
        return Verdict.proceed();
    }

    @Override
    public void reply(RelaySession session, Command command, Reply reply) {
        reply(session, reply);
    }

    @Override
    public void transactionEnded(RelaySession session, TransactionRecord record) {
        line(session, "33", "= message " + record.number() + ": " + EventJson.name(record.outcome()) + ", "
                + record.recipients().stream().filter(Recipient::accepted).count() + " of " + record.recipientCount()
                + " recipients, " + record.messageBytes() + " octets; " + times(record.stages()));
    }

    @Override
    public void notice(RelaySession session, Notice notice) {
        line(session, "33", "= noticed: " + EventJson.name(notice.kind()).replace('_', ' ') + ", " + notice.detail());
    }

    @Override
    public void sessionClosed(RelaySession session, SessionRecord record) {
        record.clientTls().ifPresent(tls -> line(session, "33", "= TLS with the client: " + facts(tls)));
        record.serverTls().ifPresent(tls -> line(session, "33", "= TLS with the server: " + facts(tls)));
        record.tlsFailure().ifPresent(why -> line(session, "33", "= TLS failed: " + why));
        line(session, "33", "= session closed: " + EventJson.name(record.end()) + " after " + millis(record.duration()) + "; "
                + times(record.stages()));
    }

    @Override
    public FailureMode failureMode() {
        return FailureMode.OPEN;
    }

    private void reply(RelaySession session, Reply reply) {
        var style = reply.isPositive() || reply.isIntermediate() ? "32" : "31";
        var texts = reply.lines();
        for (int i = 0; i < texts.size(); i++) {
            var text = texts.get(i).replaceAll("\\p{Cntrl}", "?");
            line(session, style, "< " + reply.code() + (i + 1 < texts.size() ? "-" : " ") + text);
        }
    }

    private void line(RelaySession session, String style, String text) {
        var who = session.client().getAddress().getHostAddress();
        double seconds = (System.nanoTime() - start) / 1e9;
        lines.offer(() -> String.format(Locale.ROOT, "%7.3f s  %-10s  %s%n", seconds, who,
                colour ? "\u001b[" + style + "m" + text + "\u001b[0m" : text), 128 + text.length());
    }

    /** What was agreed on, and what the other side's certificate was worth. */
    private static String facts(LegTls tls) {
        var facts = tls.facts();
        var peer = tls.peer();
        return facts.version().standardName() + ", " + facts.cipherSuite() + ", "
                + (facts.resumed() ? "resumed" : "full handshake")
                + (peer.presented() ? ", certificate for " + String.join(", ", peer.names()) + ", "
                        + (peer.trusted() ? "trusted" : peer.selfSigned() ? "self-signed" : "not trusted") : "");
    }

    private static String times(Map<Stage, Duration> stages) {
        return Stream.of(Stage.values())
                .filter(stages::containsKey)
                .map(stage -> EventJson.name(stage).replace('_', '-') + " " + millis(stages.get(stage)))
                .collect(Collectors.joining(", "));
    }

    private static String millis(Duration time) {
        return String.format(Locale.ROOT, "%.1f ms", time.toNanos() / 1e6);
    }
}
