package dev.weft.examples.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An Exim on the loopback address: takes mail on a port of its own and sends each message at once, by a process of its own, to
 * one relay. Debian's Exim can't be installed beside Postfix: {@code WEFT_EXIM} or {@code -Dweft.exim} names a program that was
 * only unpacked. The user that it was built for has to exist.
 */
final class LoopbackExim implements SendingServer {

    /** A destination that failed is left alone for longer than any test runs. */
    private static final String CONFIGURATION = """
            primary_hostname = NAME
            spool_directory = HOME/spool
            log_file_path = HOME/log/%slog
            pid_file_path = HOME/exim.pid
            exim_path = PROGRAM
            keep_environment =
            local_interfaces = 127.0.0.1
            daemon_smtp_ports = PORT
            tls_advertise_hosts =
            host_lookup =
            rfc1413_hosts =
            never_users =
            smtp_accept_max = 0
            smtp_accept_queue_per_connection = 0
            acl_smtp_rcpt = accept
            begin routers
            relay:
              driver = manualroute
              route_list = * 127.0.0.1
              self = send
              transport = out
            begin transports
            out:
              driver = smtp
              port = RELAY
              interface = SOURCE
              hosts_avoid_tls = *
            begin retry
            * * F,1h,15m
            """;

    private static final Pattern DEFERRAL = Pattern.compile(".* == .* defer .*");
    private static final Pattern SUSPENSION = Pattern.compile(".*(retry time not reached|retry timeout exceeded).*");
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Path program;
    private final Path home;
    private final int port;

    private LoopbackExim(Path program, Path home, int port) {
        this.program = program;
        this.home = home;
        this.port = port;
    }

    /** Why there is none; empty if there is. */
    static Optional<String> missing() {
        var program = program();
        if (program.isEmpty()) {
            return Optional.of("no program exim4 (Debian package exim4-daemon-light; beside Postfix unpack it with dpkg -x, and"
                    + " name its exim4 in WEFT_EXIM)");
        }
        var works = Shell.run(List.of(program.get().toString(), "-C", "/dev/null", "-bP", "exim_user"));
        return works.ok() ? Optional.empty() : Optional.of(program.get() + " does not run here: " + works.output().strip());
    }

    private static Optional<Path> program() {
        return Stream.of(System.getProperty("weft.exim", ""), System.getenv().getOrDefault("WEFT_EXIM", ""))
                .filter(named -> !named.isEmpty()).findFirst().map(Path::of).or(() -> Shell.find("exim4"));
    }

    /** Sends all that it takes to the relay, from the given address of this host. */
    static LoopbackExim sender(Path home, String name, String source, int relayPort) throws IOException {
        var program = program().orElseThrow().toAbsolutePath();
        var exim = new LoopbackExim(program, home, LoopbackPostfix.freePort());
        for (var directory : List.of("spool", "log")) {
            Files.createDirectories(home.resolve(directory));
        }
        for (var above = home; above != null && above.startsWith("/tmp/"); above = above.getParent()) {
            Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxr-xr-x")); // for Exim's own user
        }
        Files.writeString(exim.configuration(), CONFIGURATION.replace("HOME", home.toString()).replace("NAME", name)
                .replace("PROGRAM", program.toString()).replace("PORT", "" + exim.port).replace("RELAY", "" + relayPort)
                .replace("SOURCE", source));
        var user = exim.run("-bP", "exim_user").strip().replaceFirst(".*= *", "");
        Shell.must("chown", user, home.resolve("spool").toString(), home.resolve("log").toString());
        exim.run("-bd");
        Await.until("Exim listens", LIMIT, () -> exim.listens(), exim::log);
        return exim;
    }

    private Path configuration() {
        return home.resolve("exim.conf");
    }

    private String run(String... options) {
        var command = Stream.concat(Stream.of(program.toString(), "-C", configuration().toString()), Stream.of(options)).toList();
        return Shell.run(command, null, LIMIT).orThrow();
    }

    private boolean listens() {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public Path logFile() {
        return home.resolve("log/mainlog");
    }

    @Override
    public int queued() {
        return Integer.parseInt(run("-bpc").strip());
    }

    /** Returns when each message was tried once, whether or not its time had come. */
    @Override
    public void runQueue() {
        run("-qf");
    }

    @Override
    public Pattern deferral() {
        return DEFERRAL;
    }

    @Override
    public Pattern suspension() {
        return SUSPENSION;
    }

    @Override
    public void close() {
        var daemon = ProcessHandle.of(Long.parseLong(Shell.text(home.resolve("exim.pid")).strip()));
        daemon.ifPresent(process -> {
            process.destroy();
            try {
                process.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException("Exim does not end: " + log(), e);
            }
        });
    }

    @Override
    public String toString() {
        return "Exim in " + home;
    }
}
