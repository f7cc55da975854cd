package dev.weft.examples.lab;

import dev.weft.testkit.ScriptedClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Some Postfix, and an Exim where there is one, that send to one relay, each from a loopback address of its own. */
final class Senders implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(120);

    private final int relayPort = LoopbackPostfix.freePort();
    private final List<SendingServer> servers = new ArrayList<>();
    /** How much of each log was there when the present watch began. */
    private final Map<SendingServer, Integer> watchedFrom = new HashMap<>();
    private int submissions;

    private Senders() throws IOException {
    }

    static Senders start(Path home, int postfixes) throws IOException {
        var senders = new Senders();
        try {
            for (int i = 1; i <= postfixes; i++) {
                senders.servers.add(LoopbackPostfix.sender(home.resolve("postfix" + i), senders.relayPort,
                        "myhostname = postfix" + i + ".example\nsmtp_bind_address = 127.0.0." + (1 + i) + "\n"));
            }
            if (LoopbackExim.missing().isEmpty()) {
                senders.servers.add(LoopbackExim.sender(home.resolve("exim"), "exim.example",
                        "127.0.0." + (2 + postfixes), senders.relayPort));
            }
        } catch (IOException | RuntimeException | Error e) {
            senders.close();
            throw e;
        }
        senders.watch();
        return senders;
    }

    /** Where they all send to, on 127.0.0.1. */
    int relayPort() {
        return relayPort;
    }

    List<SendingServer> all() {
        return servers;
    }

    int count() {
        return servers.size();
    }

    /** Hands each its part of the messages, all at the same time; gives back the recipients, three of each message. */
    List<String> submit(int messages) {
        var recipients = new ArrayList<String>();
        var submitted = new ArrayList<CompletableFuture<Void>>();
        submissions++;
        for (int s = 0; s < servers.size(); s++) {
            var server = servers.get(s);
            var own = new ArrayList<List<String>>();
            for (int m = 0; m < messages / servers.size(); m++) {
                var name = submissions + "-from" + s + "-" + m;
                own.add(Stream.of("a", "b", "c").map(each -> name + each + "@mx.example").toList());
            }
            own.forEach(recipients::addAll);
            submitted.add(CompletableFuture.runAsync(() -> submit(server, own)));
        }
        submitted.forEach(CompletableFuture::join);
        return recipients;
    }

    private static void submit(SendingServer server, List<List<String>> messages) {
        try (var client = ScriptedClient.connect(new InetSocketAddress("127.0.0.1", server.port()))) {
            client.expect(220);
            client.command("EHLO submitter.example", 250);
            for (var recipients : messages) {
                client.sendMessage("<a@tenant.example>", recipients.stream().map(each -> "<" + each + ">").toList(),
                        "Subject: to " + recipients.get(0) + "\r\n\r\n" + "hello\r\n".repeat(100));
            }
            client.command("QUIT", 221);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void awaitAllSent(Supplier<String> evidence) {
        for (var server : servers) {
            Await.until(server + " has sent all", LIMIT, () -> server.queued() == 0, () -> server.log() + "\n" + evidence.get());
        }
    }

    void runQueues() {
        servers.forEach(SendingServer::runQueue);
    }

    /** Forgets what was logged up to now. */
    void watch() {
        servers.forEach(server -> watchedFrom.put(server, server.log().length()));
    }

    /** Lines about messages that were put off. */
    List<String> deferrals() {
        return servers.stream().flatMap(server -> deferrals(server).stream()).toList();
    }

    List<String> deferrals(SendingServer server) {
        return watched(server, server.deferral());
    }

    /** Lines about messages that were not even tried. */
    List<String> suspensions() {
        return servers.stream().flatMap(server -> suspensions(server).stream()).toList();
    }

    List<String> suspensions(SendingServer server) {
        return watched(server, server.suspension());
    }

    private List<String> watched(SendingServer server, Pattern lines) {
        return server.log().substring(watchedFrom.get(server)).lines().filter(lines.asMatchPredicate()).toList();
    }

    /** Stops all, also if one can't be stopped. */
    @Override
    public void close() {
        RuntimeException failure = null;
        for (var server : servers) {
            try {
                server.close();
            } catch (RuntimeException e) {
                if (failure != null) {
                    e.addSuppressed(failure);
                }
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
