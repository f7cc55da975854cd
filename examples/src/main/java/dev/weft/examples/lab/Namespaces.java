package dev.weft.examples.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Network namespaces with a directory for their files, under names that no other run uses.
 *
 * <p>A guard process removes them: processes, namespaces and directory. It waits on a pipe from this JVM, so it does its
 * work when the lab is closed and just as well when the JVM is interrupted or killed. Needs root. Any thread may use an object.
 */
public final class Namespaces implements AutoCloseable {
    private static final AtomicInteger RUNS = new AtomicInteger();

    /** $1 is the directory, the rest are the namespaces. Only what lives in these namespaces is killed. */
    private static final String GUARD = """
            cat >/dev/null
            dir=$1; shift
            for signal in TERM KILL; do
              for ns; do
                pids=$(ip netns pids "$ns" 2>/dev/null) && [ -n "$pids" ] && kill -$signal $pids 2>/dev/null
              done
              tries=0
              while [ $tries -lt 40 ] && for ns; do ip netns pids "$ns" 2>/dev/null; done | grep -q .; do
                tries=$((tries + 1)); sleep 0.05
              done
            done
            for ns; do ip netns del "$ns" 2>/dev/null; done
            rm -rf "$dir"
            """;

    private final String prefix = "weft-lab-" + ProcessHandle.current().pid() + "-" + RUNS.incrementAndGet() + "-";
    private final List<String> hosts;
    private final Path directory;
    private final Process guard;

    /**
     * Makes a namespace for each host, with nothing but its loopback device.
     *
     * @param hosts their names, short
     * @throws IllegalStateException if the system refuses
     */
    public Namespaces(String... hosts) {
        this.hosts = List.of(hosts);
        try {
            // Postfix and the unprivileged proxy must be able to enter.
            directory = Files.createTempDirectory(prefix);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            var command = new ArrayList<>(List.of("setsid", "sh", "-c", GUARD, "guard", directory.toString()));
            this.hosts.forEach(host -> command.add(name(host)));
            guard = Shell.builder(command, Path.of("/dev/null")).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (var host : this.hosts) {
            Shell.must("ip", "netns", "add", name(host));
            must(host, "ip", "link", "set", "lo", "up");
        }
    }

    /**
     * Where the hosts may keep files, until {@link #close}.
     *
     * @return a directory that every user may enter
     */
    public Path directory() {
        return directory;
    }

    /**
     * A host's namespace.
     *
     * @param host its name
     * @return the name that the system knows it by
     */
    public String name(String host) {
        return prefix + host;
    }

    /**
     * The command as it has to be given to run on a host.
     *
     * @param host its name
     * @param command with its arguments
     * @return the longer command
     */
    public List<String> on(String host, String... command) {
        return on(host, List.of(command));
    }

    /**
     * The command as it has to be given to run on a host. The process becomes the command: its id is the command's.
     *
     * @param host its name
     * @param command with its arguments
     * @return the longer command
     */
    public List<String> on(String host, List<String> command) {
        return Stream.concat(Stream.of("ip", "netns", "exec", name(host)), command.stream()).toList();
    }

    /**
     * Runs a command on a host, which must succeed.
     *
     * @param host its name
     * @param command with its arguments
     * @return its output
     * @throws IllegalStateException with the output, unless it exits 0
     */
    public String must(String host, String... command) {
        return Shell.run(on(host, command)).orThrow();
    }

    /**
     * Joins two hosts by a pair of virtual interfaces, both up.
     *
     * @param host the one host
     * @param device the name of its end
     * @param peer the other host
     * @param peerDevice the name of its end
     */
    public void link(String host, String device, String peer, String peerDevice) {
        Shell.must("ip", "link", "add", device, "netns", name(host), "type", "veth",
                "peer", "name", peerDevice, "netns", name(peer));
        must(host, "ip", "link", "set", device, "up");
        must(peer, "ip", "link", "set", peerDevice, "up");
    }

    /**
     * Adds an address. Without duplicate address detection, IPv6 addresses can be used at once.
     *
     * @param host whose
     * @param device which
     * @param address with the length of its prefix
     */
    public void address(String host, String device, String address) {
        if (address.contains(":")) {
            must(host, "ip", "addr", "add", address, "dev", device, "nodad");
        } else {
            must(host, "ip", "addr", "add", address, "dev", device);
        }
    }

    /**
     * Adds a route.
     *
     * @param host whose
     * @param prefix the destinations, or "default"
     * @param gateway the address that they are reached by
     */
    public void route(String host, String prefix, String gateway) {
        must(host, "ip", gateway.contains(":") ? "-6" : "-4", "route", "add", prefix, "via", gateway);
    }

    /**
     * Sets a variable of the kernel for a host.
     *
     * @param host whose
     * @param key with dots
     * @param value as it is written
     */
    public void sysctl(String host, String key, String value) {
        must(host, "sh", "-c", "echo " + value + " >/proc/sys/" + key.replace('.', '/'));
    }

    /** Ends what runs there and removes it all; the second time nothing. */
    @Override
    public void close() {
        try {
            guard.getOutputStream().close();
            if (!guard.waitFor(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the guard has not removed " + prefix + "* within 30 s");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
