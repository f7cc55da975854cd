package dev.weft.examples.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** A Postfix on the loopback address: takes mail on a port of its own and throws it away, or sends it on to one relay. */
final class LoopbackPostfix implements SendingServer {

    private static final Pattern DEFERRAL = Pattern.compile(".* status=deferred .*");
    private static final Pattern SUSPENSION = Pattern.compile(".*delivery temporarily suspended.*");
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final String SERVICES = """
            pickup    unix       n - n 60  1 pickup
            cleanup   unix       n - n -   0 cleanup
            qmgr      unix       n - n 300 1 qmgr
            tlsmgr    unix       - - n 1000? 1 tlsmgr
            rewrite   unix       - - n -   - trivial-rewrite
            bounce    unix       - - n -   0 bounce
            defer     unix       - - n -   0 bounce
            trace     unix       - - n -   0 bounce
            smtp      unix       - - n -   - smtp
            showq     unix       n - n -   - showq
            error     unix       - - n -   - error
            retry     unix       - - n -   - error
            discard   unix       - - n -   - discard
            anvil     unix       - - n -   1 anvil
            scache    unix       - - n -   1 scache
            postlog   unix-dgram n - n -   1 postlogd
            """;

    private static final String MAIN = """
            compatibility_level = 3.6
            queue_directory = HOME/queue
            data_directory = HOME/data
            maillog_file = HOME/log/mail.log
            maillog_file_prefixes = HOME
            myhostname = mx.example
            mydestination =
            mynetworks = 127.0.0.0/8
            inet_interfaces = loopback-only
            inet_protocols = ipv4
            local_recipient_maps =
            alias_maps =
            alias_database =
            smtp_dns_support_level = disabled
            smtp_host_lookup = native
            smtpd_peername_lookup = no
            smtpd_client_connection_count_limit = 0
            smtpd_relay_restrictions = permit_mynetworks, reject
            in_flow_delay = 0
            """;

    private final Path home;
    private final int port;

    private LoopbackPostfix(Path home, int port) {
        this.home = home;
        this.port = port;
    }

    /** Takes any mail on a port of its own. */
    static LoopbackPostfix receiver(Path home, String settings) throws IOException {
        return start(home, "default_transport = discard:gone\n" + settings);
    }

    /** Sends all that it is handed to the relay. */
    static LoopbackPostfix sender(Path home, int relayPort, String settings) throws IOException {
        return start(home, "relayhost = [127.0.0.1]:" + relayPort + "\n" + settings);
    }

    static int freePort() throws IOException {
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private static LoopbackPostfix start(Path home, String settings) throws IOException {
        int port = freePort();
        var all = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));
        for (var directory : List.of("etc", "queue", "data", "log")) {
            Files.createDirectories(home.resolve(directory), all);
        }
        for (var above = home; above != null && above.startsWith("/tmp/"); above = above.getParent()) {
            Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxr-xr-x")); // for the user postfix
        }
        Files.writeString(home.resolve("etc/master.cf"), "127.0.0.1:" + port + " inet n - n - - smtpd\n" + SERVICES);
        Files.writeString(home.resolve("etc/main.cf"), Postfix.settings(MAIN, settings).replace("HOME", home.toString()));
        Shell.must("chown", "postfix", home.resolve("data").toString());
        Shell.must("postfix", "-c", home.resolve("etc").toString(), "start");
        return new LoopbackPostfix(home, port);
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public Path logFile() {
        return home.resolve("log/mail.log");
    }

    @Override
    public int queued() {
        return (int) Shell.must("postqueue", "-c", etc(), "-j").lines().filter(line -> line.startsWith("{")).count();
    }

    @Override
    public void runQueue() {
        Shell.must("postqueue", "-c", etc(), "-f");
    }

    @Override
    public Pattern deferral() {
        return DEFERRAL;
    }

    @Override
    public Pattern suspension() {
        return SUSPENSION;
    }

    /** Changes settings of the running server; clients that are connected have the former ones until they go. */
    void change(String... settings) {
        for (var setting : settings) {
            Shell.must("postconf", "-c", etc(), "-e", setting);
        }
        Shell.must("postfix", "-c", etc(), "reload");
    }

    private String etc() {
        return home.resolve("etc").toString();
    }

    void awaitLog(String pattern, int times) {
        Await.until(times + " times \"" + pattern + "\" in Postfix's log", LIMIT,
                () -> log().lines().filter(line -> line.matches(".*" + pattern + ".*")).count() >= times, this::log);
    }

    void submit(Path message, String from, String to) {
        Shell.run(List.of("sendmail", "-C", etc(), "-i", "-f", from, to), message, LIMIT).orThrow();
    }

    @Override
    public void close() {
        Shell.must("postfix", "-c", etc(), "stop");
    }

    @Override
    public String toString() {
        return "Postfix in " + home;
    }
}
