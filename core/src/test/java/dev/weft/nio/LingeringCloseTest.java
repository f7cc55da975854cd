package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/**
 * RFC 5321 says nothing about how to close, TCP does: a socket closed with unread input resets, and the peer loses our last
 * reply.
 */
class LingeringCloseTest {

    private static final String LINE = "x".repeat(998) + "\r\n";

    @Test
    void clientThatIsStillWritingReadsTheRefusalOfAHandler() throws Exception {
        var handler = new RelayHandler() {
            @Override
            public Verdict<Command> mail(Transaction transaction, Command command) {
                return Verdict.disconnect(Reply.of(421, "4.7.0", "Not today"));
            }
        };
        try (var server = ScriptedServer.start(); var rig = Rig.to(server.address(), handler); var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            client.sendLines("MAIL FROM:<a@example.com>");
            writeMegabyte(client);
            assertThat(client.expect(421)).isEqualTo("421 4.7.0 Not today");
            assertThat(client.readLine()).isNull();
        }
    }

    @Test
    void clientThatIsStillWritingReadsThe421ThatTheServerGivesInMidMessage() throws Exception {
        var script = ScriptedServer.script()
                .faultOnce(Moment.MESSAGE, Fault.answer("421 4.3.2 going down"))
                .faultOnce(Moment.MESSAGE, Fault.cut());
        try (var server = script.start(); var rig = Rig.to(server.address()); var client = rig.client()) {
            client.expect(220);
            client.command("EHLO a.example", 250);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<b@example.net>", 250);
            client.command("DATA", 354);
            writeMegabyte(client);
            assertThat(client.expect(421)).isEqualTo("421 4.3.2 going down");
            assertThat(client.readLine()).isNull();
            assertThat(server.messages()).isEmpty();
        }
    }

    @Test
    void refusedClientThatTalksFirstReadsWhy() throws Exception {
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).maxSessions(1).start();
                var first = rig.client()) {
            first.expect(220); // before the second comes, or the other loop might take that one first
            try (var second = rig.client()) {
                writeMegabyte(second);
                assertThat(second.expect(421)).contains("4.3.2");
                assertThat(second.readLine()).isNull();
            }
        }
    }

    private static void writeMegabyte(ScriptedClient client) throws IOException {
        for (int i = 0; i < 64; i++) {
            client.send(LINE.repeat(16));
        }
    }
}
