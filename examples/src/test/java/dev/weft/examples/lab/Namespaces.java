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
 * work when the lab is closed and just as well when the JVM is interrupted or killed.
 */
final class Namespaces implements AutoCloseable {
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

    Namespaces(String... hosts) {
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

    Path directory() {
        return directory;
    }

    String name(String host) {
        return prefix + host;
    }

    /** The command as it has to be given to run on that host. */
    List<String> on(String host, String... command) {
        return on(host, List.of(command));
    }

    List<String> on(String host, List<String> command) {
        return Stream.concat(Stream.of("ip", "netns", "exec", name(host)), command.stream()).toList();
    }

    String must(String host, String... command) {
        return Shell.run(on(host, command)).orThrow();
    }

    /** Joins two hosts by a pair of virtual interfaces of the given names, both up. */
    void link(String host, String device, String peer, String peerDevice) {
        Shell.must("ip", "link", "add", device, "netns", name(host), "type", "veth",
                "peer", "name", peerDevice, "netns", name(peer));
        must(host, "ip", "link", "set", device, "up");
        must(peer, "ip", "link", "set", peerDevice, "up");
    }

    /** Without duplicate address detection, IPv6 addresses can be used at once. */
    void address(String host, String device, String address) {
        if (address.contains(":")) {
            must(host, "ip", "addr", "add", address, "dev", device, "nodad");
        } else {
            must(host, "ip", "addr", "add", address, "dev", device);
        }
    }

    void route(String host, String prefix, String gateway) {
        must(host, "ip", gateway.contains(":") ? "-6" : "-4", "route", "add", prefix, "via", gateway);
    }

    void sysctl(String host, String key, String value) {
        must(host, "sh", "-c", "echo " + value + " >/proc/sys/" + key.replace('.', '/'));
    }

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
