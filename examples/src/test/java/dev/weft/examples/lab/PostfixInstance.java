package dev.weft.examples.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Postfix with its own configuration, queue and log on one of the lab's hosts. It sends mail of its own and keeps mail for
 * its domains in one Maildir, byte for byte, with a Delivered-To header in front.
 */
final class PostfixInstance {
    /** The receivers' own words to a recipient named "refused". */
    static final String REFUSAL = "The shuttle does not stop at this thread";

    private static final Duration LIMIT = Duration.ofSeconds(90);
    /** Delivered mail belongs to nobody. */
    private static final String MAIL_USER = "65534";

    /** Only what these tests need: no local delivery, no TLS manager, no proxymap. Nothing runs chrooted. */
    private static final String SERVICES = """
            pickup    unix       n - n 60  1 pickup
            cleanup   unix       n - n -   0 cleanup
            qmgr      unix       n - n 300 1 qmgr
            rewrite   unix       - - n -   - trivial-rewrite
            bounce    unix       - - n -   0 bounce
            defer     unix       - - n -   0 bounce
            trace     unix       - - n -   0 bounce
            smtp      unix       - - n -   - smtp
            showq     unix       n - n -   - showq
            error     unix       - - n -   - error
            retry     unix       - - n -   - error
            virtual   unix       - n n -   - virtual
            anvil     unix       - - n -   1 anvil
            scache    unix       - - n -   1 scache
            postlog   unix-dgram n - n -   1 postlogd
            """;

    private final Namespaces net;
    private final String host;
    private final Path home;
    private final List<String> domains;
    private final Mailbox mailbox;

    /** Writes the configuration of a host that receives mail for the domains; only one that listens is reached from outside. */
    PostfixInstance(Namespaces net, String host, List<String> domains, boolean listens) {
        this.net = net;
        this.host = host;
        this.domains = domains;
        home = net.directory().resolve(host);
        mailbox = new Mailbox(home.resolve("mail/inbox/new"));
        try {
            for (var directory : List.of("etc", "queue", "data", "mail", "log")) {
                Files.createDirectories(home.resolve(directory));
            }
            write("master.cf", (listens ? "smtp inet n - n - - smtpd\n" : "") + SERVICES);
            write("main.cf", mainCf());
            write("transport", Topology.RECEIVERS.stream().filter(receiver -> !receiver.equals(host))
                    .flatMap(PostfixInstance::routes).collect(Collectors.joining()));
            write("refused", domains.stream().map(domain -> "refused@" + domain + " 550 5.7.1 " + REFUSAL + "\n")
                    .collect(Collectors.joining()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Shell.must("chown", "postfix", home.resolve("data").toString());
        Shell.must("chown", MAIL_USER + ":" + MAIL_USER, home.resolve("mail").toString());
    }

    /** Literal addresses instead of a DNS. */
    private static Stream<String> routes(String receiver) {
        return Stream.of(Family.values()).map(family -> family.domain(receiver) + " smtp:["
                + (family == Family.IPV6 ? "ipv6:" : "") + Topology.address(receiver, family) + "]\n");
    }

    private String mainCf() {
        return """
                compatibility_level = 3.6
                queue_directory = HOME/queue
                data_directory = HOME/data
                maillog_file = HOME/log/mail.log
                maillog_file_prefixes = HOME
                myhostname = HOST.test
                mydestination =
                mynetworks = 127.0.0.0/8
                inet_interfaces = all
                inet_protocols = all
                local_recipient_maps =
                local_transport = error:no local mail
                alias_maps =
                alias_database =
                fast_flush_domains =
                relayhost =
                transport_maps = texthash:HOME/etc/transport
                virtual_mailbox_domains = DOMAINS
                virtual_mailbox_base = HOME/mail
                virtual_mailbox_maps = static:inbox/
                virtual_uid_maps = static:65534
                virtual_gid_maps = static:65534
                virtual_mailbox_limit = 0
                message_size_limit = 62914560
                smtp_dns_support_level = disabled
                smtp_host_lookup = native
                smtp_tls_security_level = none
                smtp_connect_timeout = 5s
                smtpd_tls_security_level = none
                smtpd_peername_lookup = no
                smtpd_client_connection_count_limit = 0
                smtpd_error_sleep_time = 0
                smtpd_relay_restrictions = reject_unauth_destination
                smtpd_recipient_restrictions = check_recipient_access texthash:HOME/etc/refused
                in_flow_delay = 0
                """.replace("HOME", home.toString()).replace("HOST", host).replace("DOMAINS", String.join(", ", domains));
    }

    private void write(String name, String content) throws IOException {
        Files.writeString(home.resolve("etc").resolve(name), content);
    }

    /** Returns when the master process listens. */
    void start() {
        run(null, "postfix", "-c", etc(), "start").orThrow();
    }

    void stop() {
        run(null, "postfix", "-c", etc(), "stop").orThrow();
    }

    /** Hands a message to this Postfix as a local program does. */
    void submit(Path message, String from, List<String> recipients) {
        var command = new ArrayList<>(List.of("sendmail", "-C", etc(), "-i", "-B", "8BITMIME", "-f", from));
        command.addAll(recipients);
        run(message, command.toArray(String[]::new)).orThrow();
    }

    /** The queue as JSON, a line for each message: empty when all is delivered or bounced. */
    String queue() {
        return run(null, "postqueue", "-c", etc(), "-j").orThrow().strip();
    }

    /** Tries everything in the queue again now. */
    void flush() {
        run(null, "postqueue", "-c", etc(), "-f").orThrow();
    }

    void awaitEmptyQueue() {
        Await.until(host + "'s queue is empty", LIMIT, () -> queue().isEmpty(), () -> queue() + "\n" + evidence());
    }

    /** Waits until every message in the queue waits for another attempt, and returns the queue with its reasons. */
    String awaitDeferred() {
        Await.until(host + " defers its mail", LIMIT, () -> queue().lines().count() > 0
                && queue().lines().allMatch(line -> line.contains("\"queue_name\": \"deferred\"")),
                () -> queue() + "\n" + evidence());
        return queue();
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
        return "== Postfix on " + host + "\n" + Shell.tail(home.resolve("log/mail.log"), 30);
    }

    private String etc() {
        return home.resolve("etc").toString();
    }

    private Shell.Result run(Path input, String... command) {
        return Shell.run(net.on(host, command), input, LIMIT);
    }
}
