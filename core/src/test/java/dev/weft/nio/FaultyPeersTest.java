package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Both peers are cut, reset and half-closed at every moment: the other one hears of it, and nothing is left behind. */
class FaultyPeersTest {

    private static final Duration LIMIT = Duration.ofMillis(200);

    private static final EnumSet<Moment> MOMENTS = EnumSet.complementOf(EnumSet.of(Moment.AUTH, Moment.OTHER));

    private static final String[] STEPS = {
        "EHLO a.example", "MAIL FROM:<a@example.com>", "RCPT TO:<b@example.net>", "DATA", "Subject: x\r\n\r\nhello", ".",
        "RSET", "QUIT"
    };

    /** The JVM keeps a socket of its own from the first that it closes. */
    @BeforeAll
    static void warmUp() throws Exception {
        try (var server = ScriptedServer.script().start(); var rig = Rig.with(Interception.fixed(server.address())).start();
                var client = ScriptedClient.connect(rig.address, null, Duration.ofSeconds(5))) {
            dialogue(client);
        }
    }

    @TestFactory
    List<DynamicTest> clientAlwaysGetsAnAnswerWhateverTheServerDoes() {
        var tests = new ArrayList<DynamicTest>();
        for (var moment : MOMENTS) {
            for (var fault : List.of(Fault.cut(), Fault.reset(), Fault.halfClose(), Fault.silence(), Fault.deafness())) {
                tests.add(DynamicTest.dynamicTest(fault + " at " + moment, () -> serverFault(moment, fault)));
                tests.add(DynamicTest.dynamicTest(fault + " after " + moment, () -> serverFault(moment, fault.afterAnswer())));
            }
        }
        return tests;
    }

    private static void serverFault(Moment moment, Fault fault) throws Exception {
        int before = Rig.sockets();
        try (var server = ScriptedServer.script().fault(moment, fault).start();
                var rig = Rig.with(Interception.fixed(server.address())).timeout("all", LIMIT).start()) {
            try (var client = ScriptedClient.connect(rig.address, null, Duration.ofSeconds(5))) {
                dialogue(client);
                assertThat(client.readLine()).as("after the last reply").isNull();
            }
            rig.awaitIdle();
        }
        Rig.awaitSockets(before);
    }

    /** Goes through a whole session, or to the 421 that ends it. An end without an answer fails. */
    private static void dialogue(ScriptedClient client) throws IOException {
        if (ends(client.readReply())) {
            return;
        }
        for (var step : STEPS) {
            client.sendLines(step);
            if (step.startsWith("Subject")) {
                continue;
            }
            var reply = client.readReply();
            if (ends(reply)) {
                return;
            }
            if (step.equals("DATA") && !reply.startsWith("354")) {
                throw new AssertionError("DATA was answered with " + reply);
            }
        }
    }

    private static boolean ends(String reply) {
        return reply.startsWith("421") || reply.startsWith("221");
    }

    private enum Parting { CUT, RESET, HALF_CLOSE }

    @TestFactory
    List<DynamicTest> nothingIsLeftBehindWhateverTheClientDoes() {
        var tests = new ArrayList<DynamicTest>();
        for (int steps = -1; steps <= STEPS.length; steps++) {
            for (var parting : Parting.values()) {
                for (var reads : new boolean[] {true, false}) {
                    int said = steps;
                    tests.add(DynamicTest.dynamicTest(parting + " after step " + steps + (reads ? "" : ", reply unread"),
                            () -> clientFault(said, parting, reads)));
                }
            }
        }
        return tests;
    }

    private static void clientFault(int steps, Parting parting, boolean reads) throws Exception {
        int before = Rig.sockets();
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).timeout("all", Duration.ofSeconds(3)).start()) {
            var client = ScriptedClient.connect(rig.address, null, Duration.ofSeconds(5));
            try (client) {
                if (steps >= 0) {
                    client.expect(220);
                }
                for (int i = 0; i < steps; i++) {
                    client.sendLines(STEPS[i]);
                    if (!STEPS[i].startsWith("Subject") && (reads || i < steps - 1)) {
                        client.readReply();
                    }
                }
                switch (parting) {
                    case CUT -> client.close();
                    case RESET -> client.reset();
                    case HALF_CLOSE -> {
                        client.halfClose();
                        if (steps >= 0) { // before the greeting nothing tells it from one that vanished, and it may be reset
                            client.readToEnd();
                        }
                    }
                }
            }
            rig.awaitIdle();
            server.awaitAllClosed();
            // With the reply unread the server may still be told of the client's end before the message is complete.
            if (steps < 6) {
                assertThat(server.messages()).isEmpty();
            } else if (reads || parting == Parting.HALF_CLOSE) {
                assertThat(server.messages()).hasSize(1);
            }
        }
        Rig.awaitSockets(before);
    }

    @Test
    void serverThatDiesInMidMessageGivesOneReplyAfterTheDotAndTheSessionGoesOn() throws Exception {
        try (var server = ScriptedServer.script().faultOnce(Moment.MESSAGE, Fault.reset()).start();
                var rig = Rig.to(server.address());
                var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.net>", 250);
            client.command("DATA", 354);
            for (int i = 0; i < 100; i++) {
                client.send(("x".repeat(1000) + "\r\n").repeat(20));
            }
            assertThat(client.socket().getInputStream().available()).isZero();
            assertThat(client.command(".", 451)).contains("4.4.2");
            client.sendMessage("<a@example.com>", List.of("<b@example.net>"), "again\r\n");
            client.command("QUIT", 221);
            assertThat(server.messages()).hasSize(1);
        }
    }
}
