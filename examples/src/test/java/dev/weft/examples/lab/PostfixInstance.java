package dev.weft.examples.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Postfix on one of the lab's hosts that sends mail of its own and keeps mail for its domains in one Maildir, byte for byte,
 * with a Delivered-To header in front.
 */
final class PostfixInstance {
    /** The receivers' own words to a recipient named "refused". */
    static final String REFUSAL = "The shuttle does not stop at this thread";

    private static final Duration LIMIT = Duration.ofSeconds(90);
    /** Delivered mail belongs to nobody. */
    private static final String MAIL_USER = "65534";

    private static final String SETTINGS = """
            mynetworks = 127.0.0.0/8
            relayhost =
            transport_maps = texthash:HOME/etc/transport
            virtual_mailbox_domains = DOMAINS
            virtual_mailbox_base = HOME/mail
            virtual_mailbox_maps = static:inbox/
            virtual_uid_maps = static:65534
            virtual_gid_maps = static:65534
            virtual_mailbox_limit = 0
            message_size_limit = 62914560
            smtpd_client_connection_count_limit = 0
            smtpd_relay_restrictions = reject_unauth_destination
            smtpd_recipient_restrictions = check_recipient_access texthash:HOME/etc/refused
            """;

    private final Postfix postfix;
    private final Mailbox mailbox;

    /** Writes the configuration of a host that receives mail for the domains; only one that listens is reached from outside. */
    PostfixInstance(Namespaces net, String host, List<String> domains, boolean listens) {
        postfix = new Postfix(net, host, listens, SETTINGS.replace("DOMAINS", String.join(", ", domains)));
        postfix.write("transport", MailLab.RECEIVERS.stream().filter(receiver -> !receiver.equals(host))
                .flatMap(PostfixInstance::routes).collect(Collectors.joining()));
        postfix.write("refused", domains.stream().map(domain -> "refused@" + domain + " 550 5.7.1 " + REFUSAL + "\n")
                .collect(Collectors.joining()));
        var mail = postfix.home().resolve("mail");
        mailbox = new Mailbox(mail.resolve("inbox/new"));
        try {
            Files.createDirectories(mail);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Shell.must("chown", MAIL_USER + ":" + MAIL_USER, mail.toString());
    }

    /** Literal addresses instead of a DNS. */
    private static Stream<String> routes(String receiver) {
        return Stream.of(Family.values()).map(family -> family.domain(receiver) + " smtp:["
                + (family == Family.IPV6 ? "ipv6:" : "") + Topology.address(receiver, family) + "]\n");
    }

    /** Returns when the master process listens. */
    void start() {
        postfix.start();
    }

    void stop() {
        postfix.stop();
    }

    /** Hands a message to this Postfix as a local program does. */
    void submit(Path message, String from, List<String> recipients) {
        postfix.submit(message, Stream.concat(Stream.of("-i", "-B", "8BITMIME", "-f", from), recipients.stream())
                .toArray(String[]::new));
    }

    /** Tries everything in the queue again now. */
    void flush() {
        postfix.flush();
    }

    void awaitEmptyQueue() {
        Await.until(postfix.host() + "'s queue is empty", LIMIT, () -> postfix.queue().isEmpty(),
                () -> postfix.queue() + "\n" + evidence());
    }

    /** Waits until every message in the queue waits for another attempt, and returns the queue with its reasons. */
    String awaitDeferred() {
        Await.until(postfix.host() + " defers its mail", LIMIT, () -> postfix.queue().lines().count() > 0
                && postfix.queue().lines().allMatch(line -> line.contains("\"queue_name\": \"deferred\"")),
                () -> postfix.queue() + "\n" + evidence());
        return postfix.queue();
    }

    /** Waits for mail to a recipient of this host, and returns all that has come for it. */
    List<Path> awaitMail(String recipient) {
        Await.until("mail for " + recipient, LIMIT, () -> !mail(recipient).isEmpty(), this::evidence);
        return mail(recipient);
    }

    /** What has come for a recipient so far. */
    List<Path> mail(String recipient) {
        return mailbox.filesFor(recipient);
    }

    String evidence() {
        return postfix.evidence();
    }
}
