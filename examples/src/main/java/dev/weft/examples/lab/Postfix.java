package dev.weft.examples.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A Postfix with its own configuration, queue and log on one of a lab's hosts. Any thread may use an object. */
public final class Postfix {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    /** Only what a lab needs: no local delivery, no TLS manager, no proxymap. Nothing runs chrooted. */
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
            discard   unix       - - n -   - discard
            virtual   unix       - n n -   - virtual
            anvil     unix       - - n -   1 anvil
            scache    unix       - - n -   1 scache
            postlog   unix-dgram n - n -   1 postlogd
            """;

    /** What all have in common. */
    private static final String MAIN = """
            compatibility_level = 3.6
            queue_directory = HOME/queue
            data_directory = HOME/data
            maillog_file = HOME/log/mail.log
            maillog_file_prefixes = HOME
            myhostname = HOST.test
            mydestination =
            inet_interfaces = all
            inet_protocols = all
            local_recipient_maps =
            local_transport = error:no local mail
            alias_maps =
            alias_database =
            fast_flush_domains =
            smtp_dns_support_level = disabled
            smtp_host_lookup = native
            smtp_tls_security_level = none
            smtp_connect_timeout = 5s
            smtpd_tls_security_level = none
            smtpd_peername_lookup = no
            smtpd_error_sleep_time = 0
            in_flow_delay = 0
            """;

    private final Namespaces net;
    private final String host;
    private final Path home;

    /**
     * Writes the configuration, and starts nothing.
     *
     * @param net with the host
     * @param host where it shall run
     * @param listens whether it is reached from outside, on port 25
     * @param settings lines for {@code main.cf}; {@code HOME} stands for its directory
     */
    public Postfix(Namespaces net, String host, boolean listens, String settings) {
        this.net = net;
        this.host = host;
        home = net.directory().resolve(host);
        try {
            for (var directory : List.of("etc", "queue", "data", "log")) {
                Files.createDirectories(home.resolve(directory));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        write("master.cf", (listens ? "smtp inet n - n - - smtpd\n" : "") + SERVICES);
        write("main.cf", settings(MAIN, settings).replace("HOME", home.toString()).replace("HOST", host));
        Shell.must("chown", "postfix", home.resolve("data").toString());
    }

    /**
     * Joins settings so that no name comes twice: each process of Postfix warns of that as it starts, and its logger, which
     * starts when somebody has something to log, would wait for itself for ever if many do at that moment.
     *
     * @param common a line for each
     * @param own win over the common ones of the same name
     * @return all of them
     */
    static String settings(String common, String own) {
        var names = own.lines().filter(line -> line.contains("=")).map(Postfix::name).collect(Collectors.toSet());
        return common.lines().filter(line -> !names.contains(name(line))).map(line -> line + "\n")
                .collect(Collectors.joining()) + own;
    }

    private static String name(String setting) {
        return setting.substring(0, setting.indexOf('=')).strip();
    }

    /**
     * Writes a table or another file of its configuration.
     *
     * @param name in {@code HOME/etc}
     * @param content all of it
     */
    public void write(String name, String content) {
        try {
            Files.writeString(home.resolve("etc").resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The host that it runs on.
     *
     * @return its name
     */
    public String host() {
        return host;
    }

    /**
     * The directory of all its files.
     *
     * @return what {@code HOME} stands for
     */
    public Path home() {
        return home;
    }

    /**
     * The file that it logs to.
     *
     * @return it may not be there yet
     */
    public Path log() {
        return home.resolve("log/mail.log");
    }

    /** Starts it; returns when the master process listens. */
    public void start() {
        postfix("start");
    }

    /** Stops it, deliveries under way as well. */
    public void stop() {
        postfix("stop");
    }

    /** Gives up what was put on hold, and has it all tried now. */
    public void release() {
        run(null, "postsuper", "-c", etc(), "-H", "ALL").orThrow();
        flush();
    }

    private void postfix(String order) {
        run(null, "postfix", "-c", etc(), order).orThrow();
    }

    /** Has it try everything in its queue again now. */
    public void flush() {
        run(null, "postqueue", "-c", etc(), "-f").orThrow();
    }

    /**
     * The queue as JSON, a line for each message.
     *
     * @return empty when all is delivered or bounced
     */
    public String queue() {
        return run(null, "postqueue", "-c", etc(), "-j").orThrow().strip();
    }

    /**
     * The process that all its others are children of.
     *
     * @return its id, while it runs
     */
    public long master() {
        return Long.parseLong(Shell.text(home.resolve("queue/pid/master.pid")).strip());
    }

    /**
     * The command that starts its {@code sendmail}, for a process of the caller's own.
     *
     * @param options of sendmail
     * @return the command
     */
    public List<String> sendmail(String... options) {
        return net.on(host, with(List.of("sendmail", "-C", etc()), options));
    }

    /**
     * Hands it a message as a local program does.
     *
     * @param message its file
     * @param options of sendmail, and the recipients
     */
    public void submit(Path message, String... options) {
        Shell.run(sendmail(options), message, LIMIT).orThrow();
    }

    /**
     * Its last words, for a failure's message.
     *
     * @return the end of its log
     */
    public String evidence() {
        return "== Postfix on " + host + "\n" + Shell.tail(log(), 30);
    }

    private String etc() {
        return home.resolve("etc").toString();
    }

    private static List<String> with(List<String> command, String... more) {
        return Stream.concat(command.stream(), Stream.of(more)).toList();
    }

    private Shell.Result run(Path input, String... command) {
        return Shell.run(net.on(host, command), input, LIMIT);
    }
}
