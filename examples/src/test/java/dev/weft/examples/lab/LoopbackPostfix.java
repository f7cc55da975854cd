package dev.weft.examples.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;

/** A Postfix on the loopback address: takes mail on a port and throws it away, or sends what it is handed to one relay. */
final class LoopbackPostfix implements AutoCloseable {

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
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        return start(home, port, "127.0.0.1:" + port + " inet n - n - - smtpd\n", "default_transport = discard:gone\n" + settings);
    }

    /** Sends all that it is handed to the relay. */
    static LoopbackPostfix sender(Path home, int relayPort, String settings) throws IOException {
        return start(home, 0, "", "relayhost = [127.0.0.1]:" + relayPort + "\n" + settings);
    }

    private static LoopbackPostfix start(Path home, int port, String listener, String settings) throws IOException {
        var all = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));
        for (var directory : List.of("etc", "queue", "data", "log")) {
            Files.createDirectories(home.resolve(directory), all);
        }
        for (var above = home; above != null && above.startsWith("/tmp/"); above = above.getParent()) {
            Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxr-xr-x")); // for the user postfix
        }
        Files.writeString(home.resolve("etc/master.cf"), listener + SERVICES);
        Files.writeString(home.resolve("etc/main.cf"), (MAIN + settings).replace("HOME", home.toString()));
        Shell.must("chown", "postfix", home.resolve("data").toString());
        Shell.must("postfix", "-c", home.resolve("etc").toString(), "start");
        return new LoopbackPostfix(home, port);
    }

    int port() {
        return port;
    }

    String log() {
        return Shell.text(home.resolve("log/mail.log"));
    }

    void awaitLog(String pattern, int times) {
        Await.until(times + " times \"" + pattern + "\" in Postfix's log", LIMIT,
                () -> log().lines().filter(line -> line.matches(".*" + pattern + ".*")).count() >= times, this::log);
    }

    void submit(Path message, String from, String to) {
        Shell.run(List.of("sendmail", "-C", home.resolve("etc").toString(), "-i", "-f", from, to), message, LIMIT).orThrow();
    }

    @Override
    public void close() {
        Shell.must("postfix", "-c", home.resolve("etc").toString(), "stop");
    }
}
