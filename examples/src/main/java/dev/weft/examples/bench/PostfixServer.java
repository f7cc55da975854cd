package dev.weft.examples.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Postfix: an instance with a directory of its own, which takes mail and throws it away. A process for each session, and each
 * stays for the next one.
 */
final class PostfixServer implements AutoCloseable {

    private static final String SERVICES = """
            127.0.0.1:PORT inet n - n - 0 smtpd
            pickup  unix n - n 60 1 pickup
            cleanup unix n - n - 0 cleanup
            qmgr    unix n - n 300 1 qmgr
            tlsmgr  unix - - n 1000? 1 tlsmgr
            rewrite unix - - n - - trivial-rewrite
            bounce  unix - - n - 0 bounce
            defer   unix - - n - 0 bounce
            discard unix - - n - - discard
            error   unix - - n - - error
            retry   unix - - n - - error
            anvil   unix - - n - 1 anvil
            postlog unix-dgram n - n - 1 postlogd
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
            alias_maps =
            alias_database =
            local_recipient_maps =
            local_transport = discard:
            default_transport = discard:
            default_process_limit = 1000
            max_use = 1000000
            smtpd_relay_restrictions = permit_mynetworks, reject
            smtpd_peername_lookup = no
            smtpd_client_connection_count_limit = 0
            in_flow_delay = 0
            """;

    private static final String TLS = """
            smtpd_tls_security_level = may
            smtpd_tls_chain_files = HOME/etc/key.pem, HOME/etc/cert.pem
            smtpd_tls_loglevel = 0
            """;

    /** A second smtpd, which hands each message on to a filter while it comes in. */
    private static final String FILTERED = """
            127.0.0.1:PORT inet n - n - 0 smtpd
                -o smtpd_proxy_filter=127.0.0.1:FILTER
            """;

    private final Path home;
    private final int port;
    private final long master;

    private PostfixServer(Path home, int port) throws IOException {
        this.home = home;
        this.port = port;
        postfix(home, "start");
        master = Long.parseLong(Files.readString(home.resolve("queue/pid/master.pid")).strip());
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    /**
     * Starts one with STARTTLS by OpenSSL; needs root.
     *
     * @param certificate files in PEM form
     */
    static PostfixServer start(Path directory, CertificateFiles certificate) throws IOException, InterruptedException {
        var home = home(directory);
        Files.copy(certificate.chain(), home.resolve("etc/cert.pem"));
        Files.copy(certificate.key(), home.resolve("etc/key.pem"));
        int port = Child.freePort();
        return start(home, port, SERVICES.replace("PORT", "" + port), MAIN + TLS);
    }

    /**
     * Starts one with a before-queue content filter; needs root.
     *
     * @param filter the filter's port; 0 for the plainest there is, a second smtpd of its own, which queues the messages
     */
    static PostfixServer startFiltered(Path directory, int filter) throws IOException, InterruptedException {
        int port = Child.freePort();
        int second = Child.freePort();
        var services = SERVICES.replace("PORT", "" + second)
                + FILTERED.replace("PORT", "" + port).replace("FILTER", "" + (filter == 0 ? second : filter));
        return start(home(directory), port, services, MAIN);
    }

    private static PostfixServer start(Path home, int port, String services, String main) throws IOException {
        Files.writeString(home.resolve("etc/main.cf"), main.replace("HOME", home.toString()));
        Files.writeString(home.resolve("etc/master.cf"), services);
        run("chown", "postfix", home.resolve("data").toString());
        return new PostfixServer(home, port);
    }

    private static Path home(Path directory) throws IOException {
        Tools.find("postfix", "postfix");
        // Its processes run as another user, and pass through here.
        var passable = PosixFilePermissions.fromString("rwx--x--x");
        Files.setPosixFilePermissions(directory, passable);
        var home = Files.createTempDirectory(directory, "postfix");
        Files.setPosixFilePermissions(home, passable);
        for (var part : List.of("etc", "queue", "data", "log")) {
            Files.createDirectory(home.resolve(part));
        }
        return home;
    }

    private static void postfix(Path home, String order) throws IOException {
        run(Tools.find("postfix", "postfix"), "-c", home.resolve("etc").toString(), order);
    }

    private static void run(String... command) throws IOException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).redirectInput(Path.of("/dev/null").toFile()).start();
        try (var out = process.inputReader()) {
            var said = new StringBuilder();
            out.lines().forEach(line -> said.append(line).append(' '));
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("failed: " + String.join(" ", command) + ": " + said.toString().strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + command[0], e);
        }
    }

    int port() {
        return port;
    }

    /** Waits until all that it has taken is thrown away. */
    void awaitEmptyQueue() throws IOException, InterruptedException {
        for (var part : List.of("maildrop", "incoming", "active")) {
            while (!isEmpty(home.resolve("queue").resolve(part))) {
                Thread.sleep(20);
            }
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            return files.noneMatch(Files::isRegularFile);
        } catch (UncheckedIOException e) {
            return false; // a file went away meanwhile
        }
    }

    /** The CPU time of all its processes, ended ones too. */
    double cpuSeconds() {
        return ProcFs.familyCpuSeconds(master);
    }

    /** The OpenSSL that smtpd is linked with, as its package names it. */
    static String version() throws IOException {
        var process = new ProcessBuilder(Tools.find("postconf", "postfix"), "-d", "-h", "mail_version").start();
        try (var out = process.inputReader()) {
            return "Postfix " + out.readLine();
        }
    }

    @Override
    public void close() {
        if (!Files.exists(home)) {
            return;
        }
        try {
            postfix(home, "stop");
        } catch (IOException e) {
            System.err.println(e.getMessage());
        }
        try (Stream<Path> files = Files.walk(home)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("can't remove " + home + ": " + e.getMessage());
        }
    }
}
