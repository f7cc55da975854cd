package dev.weft.examples.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The whole lab: hosts, interception, a Postfix on each sending and receiving host, and the proxy on the routing host. */
final class MailLab implements AutoCloseable {
    /** The receivers that have a Postfix. */
    static final List<String> RECEIVERS = List.of("mx1", "mx2");

    private final Namespaces net;
    private final Interception interception;
    private final Path jar;
    private final Path proxyHome;
    private final Map<String, PostfixInstance> hosts = new LinkedHashMap<>();
    private ProxyProcess proxy;

    private MailLab(Namespaces net, Interception interception, Path jar) throws IOException {
        this.net = net;
        this.interception = interception;
        // Where the build directory is private to its owner, the unprivileged proxy cannot read its own jar.
        this.jar = Files.copy(jar, net.directory().resolve("weft-proxy.jar"));
        proxyHome = Files.createDirectory(net.directory().resolve("proxy"));
    }

    static MailLab start(Interception interception, Path jar) {
        var net = Topology.create();
        try {
            var lab = new MailLab(net, interception, jar);
            Shell.must("chown", "65534:65534", lab.proxyHome.toString());
            interception.apply(net);
            lab.startProxy();
            Topology.SENDERS.forEach(host -> lab.add(host, List.of(host + ".test"), false));
            RECEIVERS.forEach(host -> lab.add(host, Stream.of(Family.values()).map(f -> f.domain(host)).toList(), true));
            CompletableFuture.allOf(lab.hosts.values().stream().map(postfix -> CompletableFuture.runAsync(postfix::start))
                    .toArray(CompletableFuture[]::new)).join();
            return lab;
        } catch (IOException e) {
            net.close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException | Error e) {
            net.close();
            throw e;
        }
    }

    private void add(String host, List<String> domains, boolean listens) {
        hosts.put(host, new PostfixInstance(net, host, domains, listens));
    }

    void startProxy() {
        var command = net.on(Topology.ROUTER, interception.wrapper());
        proxy = ProxyProcess.start(command, jar, interception.proxyOptions(), proxyHome);
        Await.until("the proxy listens", Duration.ofSeconds(30), () -> !proxy.alive()
                || !net.must(Topology.ROUTER, "ss", "-Hltn", "sport = :2525").isBlank(), proxy::evidence);
        if (!proxy.alive()) {
            throw new AssertionError("the proxy does not start\n" + proxy.evidence());
        }
    }

    ProxyProcess proxy() {
        return proxy;
    }

    /** A sending host. */
    PostfixInstance sender(int number) {
        return hosts.get("s" + number);
    }

    PostfixInstance receiver(String host) {
        return hosts.get(host);
    }

    /** Runs a program on one of the hosts. */
    Shell.Result run(String host, String... command) {
        return Shell.run(net.on(host, command));
    }

    /** Where tests may put files that every program can read. */
    Path directory() {
        return net.directory();
    }

    /** What logs there are, for a failure's message. */
    String evidence() {
        return proxy.evidence() + "\n" + hosts.values().stream().map(PostfixInstance::evidence).collect(Collectors.joining("\n"));
    }

    @Override
    public void close() {
        try (net) {
            proxy.close();
        }
    }
}
