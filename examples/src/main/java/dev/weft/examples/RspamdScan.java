package dev.weft.examples;

import dev.weft.relay.FailureMode;
import dev.weft.relay.HeldMessage;
import dev.weft.relay.MessageChange;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Header;
import dev.weft.smtp.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Shows each message to Rspamd through its HTTP protocol before the server hears of it, without a thread that waits:
 * {@code reject} is a 554, {@code greylist} and {@code soft reject} are a 451, {@code add header} and {@code rewrite subject}
 * mark the message, and what is clean goes on with its score.
 *
 * <pre>java -Drspamd=http://127.0.0.1:11333 -jar weft-proxy.jar --listen 127.0.0.1:2525 --to mx.example.com:25 \
 *     --handler dev.weft.examples.RspamdScan</pre>
 *
 * <p>With {@code -Drspamd.failure=open} mail goes on unscanned while Rspamd does not answer; else its sender gets a 451.
 */
public final class RspamdScan implements RelayHandler {

    /** The marks that are added, with room to spare. */
    private static final int GROWTH = 500;
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Pattern NOT_PLAIN = Pattern.compile("[^\\x20-\\x7e]");

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final URI check;
    private final FailureMode failure;

    /** Takes address and failure mode from the system properties {@code rspamd} and {@code rspamd.failure}. */
    public RspamdScan() {
        this(URI.create(System.getProperty("rspamd", "http://127.0.0.1:11333")),
                FailureMode.valueOf(System.getProperty("rspamd.failure", "tempfail").toUpperCase(Locale.ROOT)));
    }

    /**
     * Takes address and failure mode from the host.
     *
     * @param rspamd its normal worker, or its proxy
     * @param failure what becomes of a message that can't be scanned
     */
    public RspamdScan(URI rspamd, FailureMode failure) {
        this.check = rspamd.resolve("/checkv2");
        this.failure = failure;
    }

    @Override
    public MessageUse messageUse(RelaySession session) {
        return MessageUse.grow(GROWTH);
    }

    @Override
    public MessagePath message(Transaction transaction) {
        var request = HttpRequest.newBuilder(check).timeout(LIMIT);
        var session = transaction.session();
        header(request, "IP", session.client().getAddress().getHostAddress());
        header(request, "Helo", session.ehloName().orElse(""));
        header(request, "From", transaction.sender().text());
        transaction.recipients().stream().filter(recipient -> recipient.accepted()).forEach(
                recipient -> header(request, "Rcpt", recipient.path().text()));
        header(request, "Queue-Id", session.id() + "-" + transaction.number());
        // The transaction is for this thread only; the message may be read on any, and HttpClient has its own.
        return MessagePath.hold(message -> Verdict.later(ask(request, message)));
    }

    private static void header(HttpRequest.Builder request, String name, String value) {
        var plain = NOT_PLAIN.matcher(value).replaceAll("?");
        if (!plain.isBlank()) {
            request.header(name, plain);
        }
    }

    private CompletableFuture<Verdict<MessageChange>> ask(HttpRequest.Builder request, HeldMessage message) {
        var content = BodyPublishers.ofInputStream(() -> opened(message));
        var body = message.size().isPresent()
                ? BodyPublishers.fromPublisher(content, Math.max(1, message.size().getAsLong()))
                : content;
        return http.sendAsync(request.POST(body).build(), BodyHandlers.ofString()).handle((response, failed) -> {
            if (failed != null) {
                throw new IllegalStateException("Rspamd can't be asked at " + check + ": does it run there?", failed);
            }
            return verdict(response);
        });
    }

    private static InputStream opened(HeldMessage message) {
        try {
            return message.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Verdict<MessageChange> verdict(HttpResponse<String> response) {
        if (response.statusCode() != 200) {
            throw new IllegalStateException("Rspamd answered " + response.statusCode() + ": " + response.body());
        }
        var json = response.body();
        var score = topLevel(json, "score");
        return switch (topLevel(json, "action")) {
            case "reject" -> Verdict.reject(Reply.of(554, "5.7.1", "Message refused as spam"));
            case "greylist", "soft reject" -> Verdict.reject(Reply.of(451, "4.7.1", "Try again later"));
            case "add header" -> marked("Yes", score, change -> change);
            case "rewrite subject" -> marked("Yes", score, change -> subject(change, topLevel(json, "subject")));
            case "no action" -> marked("No", score, change -> change);
            default -> throw new IllegalStateException("Rspamd answered no action that is known: " + json);
        };
    }

    /** A mark that the sender made itself goes. */
    private static Verdict<MessageChange> marked(String spam, String score, UnaryOperator<MessageChange> more) {
        var change = MessageChange.none().remove("X-Spam").remove("X-Spam-Score")
                .prepend(Header.of("X-Spam", spam), Header.of("X-Spam-Score", score));
        return Verdict.rewrite(more.apply(change));
    }

    private static MessageChange subject(MessageChange change, String subject) {
        return subject.isEmpty()
                ? change
                : change.replace("Subject", Header.of("Subject", subject.replaceAll("\\p{Cntrl}", " ")));
    }

    /** A value of the outermost object, as text; empty if it is not there. Enough for this answer, and no JSON parser. */
    private static String topLevel(String json, String key) {
        int depth = 0;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c == '{' || c == '[') {
                depth++;
            } else if (c == '}' || c == ']') {
                depth--;
            } else if (c == '"') {
                int end = endOfString(json, i);
                var rest = json.substring(end + 1).stripLeading();
                if (depth == 1 && rest.startsWith(":") && json.substring(i + 1, end).equals(key)) {
                    return value(rest.substring(1).stripLeading());
                }
                i = end;
            }
        }
        return "";
    }

    private static int endOfString(String json, int start) {
        int i = start + 1;
        while (i < json.length() - 1 && json.charAt(i) != '"') {
            i += json.charAt(i) == '\\' ? 2 : 1;
        }
        return i;
    }

    private static String value(String json) {
        return json.startsWith("\"") ? json.substring(1, endOfString(json, 0)) : json.split("[,}\\s]", 2)[0];
    }

    @Override
    public Duration deadline() {
        return LIMIT.plusSeconds(5);
    }

    @Override
    public FailureMode failureMode() {
        return failure;
    }
}
