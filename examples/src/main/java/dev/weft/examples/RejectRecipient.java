package dev.weft.examples;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Path;
import dev.weft.smtp.Reply;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Refuses single recipients; the server never hears of them, and the message goes on to the others. The replies come in their
 * right order however the client pipelines.
 *
 * <pre>java -Dreject=nobody@example.net,test@example.net -jar weft-proxy.jar --listen 127.0.0.1:2525 --to mx.example.com:25 \
 *     --handler dev.weft.examples.RejectRecipient</pre>
 */
public final class RejectRecipient implements RelayHandler {

    private final Set<String> refused;

    /** Takes the addresses from the system property {@code reject}, separated by commas. */
    public RejectRecipient() {
        this(Set.of(System.getProperty("reject", "nobody@example.net").split(",")));
    }

    /**
     * Takes the addresses from the host.
     *
     * @param addresses whom to refuse, in any case
     */
    public RejectRecipient(Set<String> addresses) {
        refused = addresses.stream().map(RejectRecipient::key).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Verdict<Command> rcpt(Transaction transaction, Command command) {
        // A source route (RFC 5321 appendix C) names the same mailbox; what follows no grammar is for the server to judge.
        var address = command.path() instanceof Path.Mailbox mailbox ? Stream.of(mailbox.address()) : Stream.<String>empty();
        return address.map(RejectRecipient::key).anyMatch(refused::contains)
                ? Verdict.reject(Reply.of(550, "5.1.1", "This recipient gets no mail through here"))
                : Verdict.proceed();
    }

    private static String key(String address) {
        return address.strip().toLowerCase(Locale.ROOT);
    }
}
