package dev.weft.examples;

import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.smtp.Header;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/**
 * Puts a Received line and a Feedback-ID before each message, on the stream: nothing is held, nothing is delayed.
 *
 * <pre>java -Dfeedback.id=panel7 -jar weft-proxy.jar --listen 127.0.0.1:2525 --to mx.example.com:25 \
 *     --handler dev.weft.examples.AddHeaders</pre>
 */
public final class AddHeaders implements RelayHandler {

    /** More than the two fields ever need: clients are told to leave so much room below the server's SIZE. */
    private static final int GROWTH = 2000;

    private final String feedbackId;

    /** Takes the Feedback-ID from the system property {@code feedback.id}. */
    public AddHeaders() {
        this(System.getProperty("feedback.id", "weft"));
    }

    /**
     * Takes the Feedback-ID from the host.
     *
     * @param feedbackId the field's value
     */
    public AddHeaders(String feedbackId) {
        this.feedbackId = feedbackId;
    }

    @Override
    public MessageUse messageUse(RelaySession session) {
        return MessageUse.grow(GROWTH);
    }

    @Override
    public MessagePath message(Transaction transaction) {
        var session = transaction.session();
        // What the client said of itself is cut to what may stand in a comment (RFC 5322 §3.2.2).
        var name = session.ehloName().orElse("unknown").replaceAll("[^A-Za-z0-9.:\\[\\]_-]", "?");
        return MessagePath.stream().prepending(
                Header.of("Received",
                        "from " + name.substring(0, Math.min(name.length(), 255))
                                + " ([" + session.client().getAddress().getHostAddress() + "])",
                        "by weft with " + (session.clientTls().isPresent() ? "ESMTPS" : "ESMTP")
                                + " id " + session.id() + "-" + transaction.number() + ";",
                        DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now())),
                Header.of("Feedback-ID", feedbackId));
    }
}
