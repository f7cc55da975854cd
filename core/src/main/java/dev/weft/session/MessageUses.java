package dev.weft.session;

import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.smtp.Capabilities;
import dev.weft.smtp.Command;
import dev.weft.smtp.Parameter;
import dev.weft.smtp.Reply;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What the handlers may do with messages, and what the client is therefore promised about CHUNKING, BINARYMIME and SIZE (RFC
 * 1870, RFC 3030).
 */
final class MessageUses {

    private final SmtpSession session;
    /** Null where all leave messages alone. */
    private Map<RelayHandler, MessageUse> uses;
    private boolean chunking = true;
    private boolean sizeUnknown;
    private long growth;
    private long limit;

    MessageUses(SmtpSession session) {
        this.session = session;
        this.limit = session.settings.messages().size();
    }

    /** Asks the handlers, once. */
    void ask() {
        session.judge.tell(handler -> declared(handler, Objects.requireNonNull(handler.messageUse(session.view), "messageUse")));
    }

    private void declared(RelayHandler handler, MessageUse use) {
        if (use.equals(MessageUse.none())) {
            return;
        }
        if (uses == null) {
            uses = new IdentityHashMap<>(4);
        }
        uses.put(handler, use);
        chunking &= use.chunking();
        sizeUnknown |= use.kind() == MessageUse.Kind.REPLACE;
        growth = growth + use.growth() < 0 ? Long.MAX_VALUE : growth + use.growth();
        limit = Math.min(limit, use.capacity().orElse(Long.MAX_VALUE));
    }

    /** Whether a handler may do anything with messages. */
    boolean declared() {
        return uses != null;
    }

    MessageUse of(RelayHandler handler) {
        return uses == null ? MessageUse.none() : uses.getOrDefault(handler, MessageUse.none());
    }

    /** The largest message that the proxy and its handlers take. */
    long limit() {
        return limit;
    }

    /** What the client may be told of what the server offers. */
    Capabilities offered(Capabilities all) {
        var offered = chunking ? all : all.without("CHUNKING", "BINARYMIME");
        if (!offered.offers("SIZE") || limit == Long.MAX_VALUE && growth == 0) {
            return offered; // a server that does not know SIZE would refuse it as a parameter
        }
        long server = offered.size().orElse(Long.MAX_VALUE);
        // 0 would mean that there is no limit.
        long size = Math.min(limit, server == Long.MAX_VALUE ? server : Math.max(1, server - growth));
        return size == server ? offered : offered.with("SIZE " + size);
    }

    /** Whether MAIL announces more than may pass. */
    Optional<Reply> refusal(Command mail) {
        return limit != Long.MAX_VALUE && announced(mail) > limit ? Optional.of(Answers.TOO_LARGE) : Optional.empty();
    }

    /**
     * What MAIL gets that announces more than the client was told that the server takes (RFC 1870 §6.1); null if it may pass, as
     * it may where no limit was told.
     */
    Reply beyondOffer(Command mail) {
        long size = announced(mail);
        long offered = size <= 0 ? Long.MAX_VALUE : session.promise.size().orElse(Long.MAX_VALUE);
        return size > offered ? Answers.beyondOffer(mail.parameter("SIZE").orElseThrow(), offered) : null;
    }

    /** MAIL as it is true for the server: with room for what may be added, or without a size where nobody knows it. */
    Command adjusted(Command mail) {
        if (growth == 0 && !sizeUnknown || mail.parameter("SIZE").isEmpty()) {
            return mail;
        }
        long size = announced(mail);
        if (size < 0 && !sizeUnknown) {
            return mail; // for the server to judge
        }
        var larger = size > Long.MAX_VALUE - growth ? Long.MAX_VALUE : size + growth;
        return mail.withParameters(mail.parameters().stream()
                .filter(parameter -> !sizeUnknown || !isSize(parameter))
                .map(parameter -> isSize(parameter) ? Parameter.of(parameter.keyword(), Long.toString(larger)) : parameter)
                .toList());
    }

    private static boolean isSize(Parameter parameter) {
        return parameter.keyword().equalsIgnoreCase("SIZE");
    }

    /** -1 for none, and for what is no number. RFC 1870 §4 allows 20 digits, more than a long has. */
    private static long announced(Command mail) {
        var size = mail.parameter("SIZE").orElse("");
        if (size.isEmpty() || size.length() > 20 || !size.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        try {
            return Long.parseLong(size);
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }
}
