package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.intercept.Network;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.SessionRecord;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HandlersTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private ScriptedServer server;
    private SmtpProxy proxy;
    private final BlockingQueue<SessionRecord> closed = new LinkedBlockingQueue<>();

    @BeforeEach
    void startServer() throws IOException {
        server = ScriptedServer.start();
    }

    @AfterEach
    void stop() {
        proxy.close();
        server.close();
    }

    private void start(RelayHandler handler) throws IOException {
        proxy = SmtpProxy.builder().listen("127.0.0.1", 0).loops(1).intercept(Interception.fixed(server.address()))
                .handler(handler)
                .handler(new RelayHandler() {
                    @Override
                    public void sessionClosed(RelaySession session, SessionRecord record) {
                        closed.add(record);
                    }
                })
                .build();
        proxy.start();
    }

    private ScriptedClient client(String from) throws IOException {
        var client = ScriptedClient.connect(proxy.addresses().get(0), InetAddress.getByName(from), LIMIT);
        client.expect(220);
        client.command("EHLO a.example.com", 250);
        return client;
    }

    @Test
    void oneOfThreePipelinedRecipientsIsRefusedInItsRightPlace() throws IOException {
        start(new RejectRecipient(Set.of("Two@example.net")));
        try (var client = client("127.0.0.1")) {
            client.sendLines("MAIL FROM:<a@example.com>", "RCPT TO:<one@example.net>", "RCPT TO:<two@EXAMPLE.net>",
                    "RCPT TO:<three@example.net>", "DATA");
            client.expect(250);
            client.expect(250);
            assertThat(client.expect(550)).contains("5.1.1");
            client.expect(250);
            client.expect(354);
            client.send("hello\r\n.\r\n").expect(250);
        }
        assertThat(server.awaitMessages(1).get(0).recipients().toString()).contains("one@", "three@").doesNotContain("two@");
    }

    @Test
    void theSourceAddressFollowsTheClientsNetwork() throws Exception {
        var sources = new LinkedHashMap<Network, InetAddress>();
        sources.put(Network.parse("127.0.0.2"), InetAddress.getByName("127.0.0.22"));
        sources.put(Network.parse("127.0.0.0/8"), InetAddress.getByName("127.0.0.88"));
        start(new SourceByNetwork(sources));
        for (var from : List.of("127.0.0.2", "127.0.0.3")) {
            try (var client = client(from)) {
                client.command("QUIT", 221);
            }
            var record = closed.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(record.source().orElseThrow().getHostString()).isEqualTo(from.endsWith("2") ? "127.0.0.22" : "127.0.0.88");
        }
    }

    @Test
    void slowLookupsOfManySessionsOnOneLoopDoNotAddUp() throws IOException {
        start(new SlowLookup());
        var clients = new ArrayList<ScriptedClient>();
        try {
            for (int i = 0; i < 25; i++) {
                var client = client("127.0.0.1");
                client.command("MAIL FROM:<a@example.com>", 250);
                clients.add(client);
            }
            long start = System.nanoTime();
            for (var client : clients) {
                client.sendLines("RCPT TO:<b@example.net>", "RCPT TO:<unknown@example.net>");
            }
            for (var client : clients) {
                client.expect(250);
                client.expect(550);
            }
            // Each session waits twice; one after the other, fifty waits would take 10 s.
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(390), Duration.ofSeconds(5));
        } finally {
            for (var client : clients) {
                client.close();
            }
        }
    }

    @Test
    void everyCommandAndReplyIsLogged() throws Exception {
        var messages = new CopyOnWriteArrayList<String>();
        var target = Logger.getLogger(LogEverything.class.getName());
        var collector = new Handler() {
            @Override
            public void publish(LogRecord log) {
                messages.add(log.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        target.addHandler(collector);
        target.setUseParentHandlers(false);
        server.close();
        server = ScriptedServer.script().answer("RCPT TO:<nobody@", "550 5.1.1 no such user").start();
        try {
            start(new LogEverything());
            try (var client = client("127.0.0.1")) {
                client.command("MAIL FROM:<a@example.com>", 250);
                client.command("RCPT TO:<b@example.net>", 250);
                client.command("RCPT TO:<nobody@example.net>", 550);
                client.command("DATA", 354);
                client.sendLines("hello", ".").expect(250);
                client.command("NOOP", 250);
                client.command("QUIT", 221);
            }
            assertThat(closed.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).isNotNull();
        } finally {
            target.removeHandler(collector);
            target.setUseParentHandlers(true);
        }
        for (var part : List.of("greeting < 220", "> EHLO a.example.com", "EHLO < 250", "> MAIL FROM:<a@example.com>",
                "MAIL < 250", "> RCPT TO:<b@example.net>", "> DATA", "DATA < 354", "DATA < 250", "NOOP < 250",
                "ACCEPTED, 1 of 2 recipients, 7 octets, a fresh server leg, {MAIL=", "QUIT < 221", "closed: QUIT")) {
            assertThat(messages).as(part).anyMatch(message -> message.contains(part));
        }
    }
}
