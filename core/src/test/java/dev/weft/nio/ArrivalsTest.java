package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.intercept.Network;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Verdict;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What becomes of a connection before it is a relayed session: limits, loops, PROXY headers, servers that can't be reached. */
class ArrivalsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Test
    void connectionsBeyondTheLimitAreToldSoAndTheirPlaceIsGivenBack() throws Exception {
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).maxSessions(2).start()) {
            for (int round = 0; round < 3; round++) {
                try (var first = rig.client(); var second = rig.client()) {
                    first.expect(220);
                    second.expect(220);
                    try (var third = rig.client()) {
                        assertThat(third.expect(421)).isEqualTo("421 4.3.2 Too many sessions here, try again later");
                        assertThat(third.readLine()).isNull();
                    }
                }
                rig.awaitIdle();
            }
        }
    }

    @Test
    void refusedConnectionThatIsNeverClosedHoldsNoPlaceForLong() throws Exception {
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).maxSessions(2).maxPerClient(1).start();
                var first = rig.client();
                var second = rig.client()) {
            var replies = first.readReply() + second.readReply();
            assertThat(replies).contains("220 ", "421 4.7.0 ");
            long start = System.nanoTime();
            Rig.await("the place of the refused one", () -> rig.engine.limits().admitted() == 1);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
        }
    }

    @Test
    void connectionsOfOneClientBeyondItsLimitAreToldSo() throws Exception {
        var one = InetAddress.getByName("127.0.0.11");
        var two = InetAddress.getByName("127.0.0.12");
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).maxPerClient(1).start()) {
            for (int round = 0; round < 3; round++) {
                try (var first = ScriptedClient.connect(rig.address, one, PATIENCE);
                        var second = ScriptedClient.connect(rig.address, one, PATIENCE);
                        var other = ScriptedClient.connect(rig.address, two, PATIENCE)) {
                    var replies = List.of(first.readReply(), second.readReply());
                    assertThat(replies).anyMatch(reply -> reply.startsWith("220"))
                            .contains("421 4.7.0 Too many sessions from your address, try again later");
                    other.expect(220);
                }
                rig.awaitIdle();
            }
        }
    }

    @Test
    void destinationThatIsTheListenerItselfIsRefused() throws Exception {
        try (var rig = Rig.with(Interception.localAddress()).start(); var client = rig.client()) {
            assertThat(client.expect(421)).startsWith("421 4.4.6");
            assertThat(client.readLine()).isNull();
            assertThat(rig.sessions()).isZero();
        }
    }

    @Test
    void routeThatLeadsBackToTheListenerNestsNoFurther() throws Exception {
        var listener = new AtomicReference<InetSocketAddress>();
        var handler = new RelayHandler() {
            final List<String> sessions = Collections.synchronizedList(new ArrayList<>());

            @Override
            public Verdict<Route> connect(RelaySession session, Route proposed) {
                sessions.add(session.id());
                return Verdict.rewrite(proposed.withServer(listener.get()));
            }
        };
        try (var server = ScriptedServer.start(); var rig = Rig.to(server.address(), handler)) {
            listener.set(rig.address);
            try (var client = rig.client()) {
                client.socket().setSoTimeout(5000);
                assertThat(client.expect(421)).isNotEmpty();
            }
            assertThat(handler.sessions).hasSizeLessThan(20);
            rig.awaitIdle();
        }
    }

    @Test
    void serverThatRefusesGivesA421AndTheEnd() throws Exception {
        InetSocketAddress nobody;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = (InetSocketAddress) free.getLocalSocketAddress();
        }
        int before = Rig.sockets();
        try (var rig = Rig.to(nobody)) {
            for (int i = 0; i < 10; i++) {
                try (var client = rig.client()) {
                    assertThat(client.expect(421)).startsWith("421 4.4.1 Server can't be reached: ");
                    assertThat(client.readLine()).isNull();
                }
            }
            rig.awaitIdle();
        }
        Rig.awaitSockets(before);
    }

    @Test
    void serverThatDoesNotAnswerTheConnectGivesA421InTime() throws Exception {
        int before = Rig.sockets();
        var fillers = new ArrayList<Socket>();
        try (var full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var rig = Rig.with(Interception.fixed((InetSocketAddress) full.getLocalSocketAddress()))
                        .timeout("connect", Duration.ofMillis(300)).start()) {
            for (int i = 0; i < 4; i++) { // beyond the backlog the kernel answers no SYN
                var filler = new Socket();
                fillers.add(filler);
                try {
                    filler.connect(full.getLocalSocketAddress(), 200);
                } catch (SocketTimeoutException e) {
                    break;
                }
            }
            try (var client = rig.client()) {
                assertThat(client.expect(421)).startsWith("421 4.4.1").contains("timed out");
                assertThat(client.readLine()).isNull();
            }
            rig.awaitIdle();
        } finally {
            for (var filler : fillers) {
                filler.close();
            }
        }
        Rig.awaitSockets(before);
    }

    @Test
    void sourceAddressThatIsNotThisHostsGivesA421AndNoOtherAddressIsTaken() throws Exception {
        var handler = new RelayHandler() {
            @Override
            public Verdict<Route> connect(RelaySession session, Route proposed) {
                try {
                    return Verdict.rewrite(proposed.withSource(InetAddress.getByName("192.0.2.1")));
                } catch (UnknownHostException e) {
                    throw new AssertionError(e);
                }
            }
        };
        try (var server = ScriptedServer.start(); var rig = Rig.to(server.address(), handler); var client = rig.client()) {
            assertThat(client.expect(421)).startsWith("421 4.4.1").contains("192.0.2.1");
            assertThat(client.readLine()).isNull();
            assertThat(server.connections()).isZero();
        }
    }

    private static Rig behindBalancer(String trusted, RelayHandler... handlers) throws Exception {
        return Rig.with(Interception.proxyProtocol(List.of(Network.parse(trusted)))).handlers(handlers).start();
    }

    private static byte[] headerV1(InetSocketAddress server) {
        return ("PROXY TCP4 192.0.2.7 127.0.0.1 4711 " + server.getPort() + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] headerV2(int command, InetSocketAddress server) {
        var header = ByteBuffer.allocate(28);
        header.put(new byte[] {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'});
        header.put((byte) (0x20 | command)).put((byte) 0x11).putShort((short) 12);
        header.put(new byte[] {(byte) 192, 0, 2, 7}).put(new byte[] {127, 0, 0, 1});
        header.putShort((short) 4711).putShort((short) server.getPort());
        return header.array();
    }

    @Test
    void proxyHeadersOfBothVersionsNameClientAndDestinationHoweverTheyAreCut() throws Exception {
        var handler = new RelayHandler() {
            volatile InetSocketAddress client;

            @Override
            public Verdict<Route> connect(RelaySession session, Route proposed) {
                client = session.client();
                return Verdict.proceed();
            }
        };
        try (var server = ScriptedServer.start(); var rig = behindBalancer("127.0.0.0/8", handler)) {
            for (var header : List.of(headerV1(server.address()), headerV2(1, server.address()))) {
                for (int cut = 0; cut <= header.length; cut++) {
                    try (var client = rig.client()) {
                        client.send(Arrays.copyOfRange(header, 0, cut));
                        // What follows the header at once is the client's, even if it talks too early.
                        client.send(new String(header, cut, header.length - cut, StandardCharsets.ISO_8859_1) + "NOOP\r\n");
                        client.expect(220);
                        client.expect(250);
                        client.command("QUIT", 221);
                    }
                    assertThat(handler.client).isEqualTo(new InetSocketAddress("192.0.2.7", 4711));
                }
            }
            rig.awaitIdle();
        }
    }

    @Test
    void wrongHeaderIsAnsweredWithA421() throws Exception {
        try (var rig = behindBalancer("127.0.0.0/8"); var client = rig.client()) {
            client.sendLines("EHLO a.example");
            assertThat(client.expect(421)).isEqualTo("421 4.5.0 PROXY protocol header expected");
            assertThat(client.readLine()).isNull();
        }
    }

    @Test
    void untrustedPeerIsRefusedUnheard() throws Exception {
        try (var server = ScriptedServer.start(); var rig = behindBalancer("192.0.2.0/24"); var client = rig.client()) {
            client.send(headerV1(server.address()));
            assertThat(client.expect(421)).startsWith("421 4.7.1");
            assertThat(client.readLine()).isNull();
            assertThat(server.connections()).isZero();
        }
    }

    @Test
    void balancersHealthCheckIsClosedQuietly() throws Exception {
        try (var server = ScriptedServer.start(); var rig = behindBalancer("127.0.0.0/8")) {
            try (var client = rig.client()) {
                client.send(headerV2(0, server.address()));
                assertThat(client.readLine()).isNull();
            }
            try (var client = rig.client()) {
                client.send("PROXY UNKNOWN\r\n");
                assertThat(client.readLine()).isNull();
            }
            rig.awaitIdle();
            assertThat(server.connections()).isZero();
        }
    }

    @Test
    void peerThatEndsWithinTheHeaderLeavesNothingBehind() throws Exception {
        int before = Rig.sockets();
        try (var server = ScriptedServer.start(); var rig = behindBalancer("127.0.0.0/8")) {
            var header = headerV1(server.address());
            for (int cut = 0; cut < header.length; cut++) {
                try (var client = rig.client()) {
                    client.send(Arrays.copyOf(header, cut));
                    if (cut % 2 == 0) {
                        client.reset();
                    }
                }
            }
            rig.awaitIdle();
            assertThat(server.connections()).isZero();
        }
        Rig.awaitSockets(before);
    }

    @Test
    void silentPeerOfTheBalancersListenerIsToldOffInTime() throws Exception {
        var behindBalancer = Interception.proxyProtocol(List.of(Network.parse("127.0.0.0/8")));
        try (var rig = Rig.with(behindBalancer).timeout("idle", Duration.ofMillis(200)).start();
                var client = rig.client()) {
            assertThat(client.expect(421)).isEqualTo("421 4.5.0 PROXY protocol header expected");
            assertThat(client.readLine()).isNull();
        }
    }

    @Test
    void destinationsThatAreNoneAreRefused() throws Exception {
        try (var rig = behindBalancer("127.0.0.0/8")) {
            for (var header : List.of("PROXY TCP4 192.0.2.7 127.0.0.1 4711 0\r\n", "PROXY TCP4 192.0.2.7 0.0.0.0 4711 25\r\n")) {
                try (var client = rig.client()) {
                    client.send(header);
                    assertThat(client.expect(421)).startsWith("421 4.4.3");
                    assertThat(client.readLine()).isNull();
                }
            }
            rig.awaitIdle();
        }
    }
}
