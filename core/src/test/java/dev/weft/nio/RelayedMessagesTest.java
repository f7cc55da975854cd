package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Verdict;
import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.ReceivedMessage;
import dev.weft.testkit.ScriptedServer;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RelayedMessagesTest {

    @Test
    void messagesOfAllSizesArriveOctetForOctet() throws Exception {
        try (var server = ScriptedServer.start(); var rig = Rig.to(server.address()); var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            int count = 0;
            for (int size : new int[] {3, 100, 2047, 2048, 16_384, 65_536, 65_537, 1 << 20, 20 << 20}) {
                var content = "x".repeat(77) + "\r\n";
                var message = (content.repeat(size / content.length() + 1)).substring(0, size - 2) + "\r\n";
                client.sendMessage("<a@example.com>", List.of("<b@example.net>"), message);
                assertThat(server.awaitMessages(++count).get(count - 1).text().equals(message)).as("%d octets", size).isTrue();
            }
            client.command("QUIT", 221);
            assertThat(client.readToEnd()).isEmpty();
            client.socket().close();
            rig.awaitIdle();
            server.awaitAllClosed();
        }
    }

    @Test
    void randomOctetsWithDotsAndLineEndsArriveAsTheyWere() throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        try (var server = ScriptedServer.start(); var rig = Rig.to(server.address()); var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            for (int round = 0; round < 50; round++) {
                var message = randomMessage(random);
                client.command("MAIL FROM:<> BODY=8BITMIME", 250);
                client.command("RCPT TO:<b@example.net>", 250);
                client.command("DATA", 354);
                client.drip(random.nextInt(4) == 0 ? 1 + random.nextInt(5000) : 0);
                client.send(message).send(".\r\n");
                client.drip(0).expect(250);
                var received = server.awaitMessages(round + 1).get(round);
                assertThat(received.raw()).as("round %d, seed %d", round, seed).isEqualTo(message);
            }
        }
    }

    /** Lines of any octets, stuffed; bare CR and LF only where no dot is near, since those are refused. */
    private static byte[] randomMessage(Random random) {
        var out = new ByteArrayOutputStream();
        int lines = random.nextInt(200);
        for (int i = 0; i < lines; i++) {
            int length = random.nextInt(random.nextInt(20) == 0 ? 5000 : 100);
            if (random.nextInt(3) == 0) {
                out.writeBytes("..".getBytes(StandardCharsets.US_ASCII));
            }
            for (int j = 0; j < length; j++) {
                int octet = random.nextInt(256);
                out.write(octet == '\n' || octet == '\r' || octet == '.' ? 'x' : octet);
            }
            if (random.nextInt(10) == 0) {
                out.writeBytes("a\nb\rc".getBytes(StandardCharsets.US_ASCII));
            }
            out.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        return out.toByteArray();
    }

    @Test
    void pipeliningClientGetsEveryReplyInOrder() throws Exception {
        try (var server = ScriptedServer.script().answer("RCPT TO:<no", "550 5.1.1 unknown").start();
                var rig = Rig.to(server.address());
                var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            for (int i = 0; i < 20; i++) {
                client.sendLines(
                        "MAIL FROM:<a@example.com>", "RCPT TO:<b@example.net>", "RCPT TO:<no@example.net>", "NOOP", "DATA");
                for (int code : new int[] {250, 250, 550, 250, 354}) {
                    client.expect(code);
                }
                client.send("m" + i + "\r\n.\r\n");
                client.expect(250);
            }
            assertThat(server.awaitMessages(20)).extracting(ReceivedMessage::text)
                    .containsExactlyElementsOf(IntStream.range(0, 20).mapToObj(i -> "m" + i + "\r\n").toList());
        }
    }

    @Test
    void serverThatDripsItsRepliesIsRelayedWhole() throws Exception {
        try (var server = ScriptedServer.script().fault(Moment.CONNECT, Fault.drip(1)).start();
                var rig = Rig.to(server.address());
                var client = rig.client()) {
            assertThat(client.expect(220)).isEqualTo("220 mx.example.net ESMTP");
            assertThat(client.command("EHLO a.example", 250)).contains("250-PIPELINING");
            client.sendMessage("<a@example.com>", List.of("<b@example.net>"), "x\r\n");
            client.command("QUIT", 221);
        }
    }

    @Test
    void serverLegLeavesFromTheSourceAddressOfTheRoute() throws Exception {
        var source = InetAddress.getByName("127.0.0.77");
        var handler = new RelayHandler() {
            volatile InetAddress left;

            @Override
            public Verdict<Route> connect(RelaySession session, Route proposed) {
                return Verdict.rewrite(proposed.withSource(source));
            }

            @Override
            public void sessionClosed(RelaySession session, SessionRecord record) {
                left = record.source().orElseThrow().getAddress();
            }
        };
        try (var server = ScriptedServer.start(); var rig = Rig.to(server.address(), handler)) {
            for (int i = 0; i < 50; i++) {
                try (var client = rig.client()) {
                    client.expect(220);
                    client.command("QUIT", 221);
                }
            }
            rig.awaitIdle();
            assertThat(handler.left).isEqualTo(source);
        }
    }
}
