package dev.weft.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.testkit.Fault;
import dev.weft.testkit.Moment;
import dev.weft.testkit.ReceivedMessage;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScriptedPeersTest {

    @Test
    void messageArrivesOctetForOctet() throws Exception {
        try (var server = ScriptedServer.start(); var client = ScriptedClient.connect(server.address())) {
            client.expect(220);
            assertThat(client.command("EHLO a.example", 250)).contains("250-PIPELINING");
            client.sendMessage("<a@example.com>", List.of("<b@example.net>", "<c@example.net>"), ".dot\r\n..\r\nx\n.\ny\r\n");
            client.command("QUIT", 221);
            assertThat(client.readToEnd()).isEmpty();
            var message = server.awaitMessages(1).get(0);
            assertThat(message.text()).isEqualTo(".dot\r\n..\r\nx\n.\ny\r\n");
            assertThat(message.raw()).asString().isEqualTo("..dot\r\n...\r\nx\n.\ny\r\n");
            assertThat(message.mail()).isEqualTo("MAIL FROM:<a@example.com>");
            assertThat(message.recipients()).containsExactly("RCPT TO:<b@example.net>", "RCPT TO:<c@example.net>");
            assertThat(message.hello()).isEqualTo("a.example");
            server.awaitAllClosed();
        }
    }

    @Test
    void chunksAndAnEmptyMessageArrive() throws Exception {
        try (var server = ScriptedServer.start(); var client = ScriptedClient.connect(server.address())) {
            client.expect(220);
            client.sendLines("EHLO a.example", "MAIL FROM:<>", "RCPT TO:<b@example.net>", "BDAT 3");
            client.send("a\n.").sendLines("BDAT 2 LAST").send("\r\n");
            for (int i = 0; i < 5; i++) {
                client.expect(250);
            }
            client.sendMessage("<>", List.of("<b@example.net>"), "");
            assertThat(server.awaitMessages(2)).extracting(ReceivedMessage::text).containsExactly("a\n.\r\n", "");
        }
    }

    @Test
    void answersAndFaultsComeAsWritten() throws Exception {
        var script = ScriptedServer.script()
                .greeting("220-mx\r\n220 mx")
                .fault(Moment.CONNECT, Fault.drip(1))
                .answer("RCPT TO:<nobody@", "550 5.1.1 no such user")
                .answerOnce("MAIL", "451 4.3.0 later")
                .faultOnce(Moment.END_OF_DATA, Fault.cut());
        try (var server = script.start(); var client = ScriptedClient.connect(server.address())) {
            assertThat(client.expect(220)).isEqualTo("220-mx\n220 mx");
            client.command("EHLO a.example", 250);
            client.command("MAIL FROM:<a@example.com>", 451);
            client.command("MAIL FROM:<a@example.com>", 250);
            client.command("RCPT TO:<nobody@example.net>", 550);
            client.command("RCPT TO:<b@example.net>", 250);
            client.command("DATA", 354);
            client.sendLines("x", ".");
            assertThat(client.readLine()).isNull();
            assertThat(server.messages()).isEmpty();
        }
    }

    @Test
    void resetHalfCloseAndSilenceHappen() throws Exception {
        var script = ScriptedServer.script()
                .faultOnce(Moment.GREETING, Fault.reset())
                .faultOnce(Moment.GREETING, Fault.halfClose())
                .faultOnce(Moment.GREETING, Fault.cut().afterAnswer())
                .faultOnce(Moment.GREETING, Fault.silence());
        try (var server = script.start()) {
            assertThatThrownBy(() -> { // the reset may come before the connection is noticed
                try (var client = ScriptedClient.connect(server.address())) {
                    client.readLine();
                }
            }).isInstanceOf(SocketException.class);
            try (var client = ScriptedClient.connect(server.address())) {
                assertThat(client.readLine()).isNull();
            }
            try (var client = ScriptedClient.connect(server.address())) {
                client.expect(220);
                assertThat(client.readLine()).isNull();
            }
            try (var client = ScriptedClient.connect(server.address())) {
                client.socket().setSoTimeout(50);
                assertThatThrownBy(client::readLine).isInstanceOf(AssertionError.class).hasMessageContaining("no line came in time");
            }
            server.awaitAllClosed();
        }
    }

    @Test
    void laxServerIsFooledByLookAlikes() throws Exception {
        try (var server = ScriptedServer.script().endsMessagesAlsoAt("\n.\n").start(); var client = ScriptedClient.connect(server.address())) {
            client.expect(220);
            client.sendLines("EHLO a.example", "MAIL FROM:<>", "RCPT TO:<b@example.net>", "DATA");
            client.send("x\n.\n").sendLines("NOOP");
            for (int code : new int[] {250, 250, 250, 354, 250, 250}) {
                client.expect(code);
            }
            assertThat(server.messages()).hasSize(1);
        }
    }
}
