package dev.weft.examples;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.relay.TlsPolicy;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Shows Weft at work: a receiving server with STARTTLS, the proxy and two senders in one JVM. Three messages pass, in TLS on the
 * server leg; the transcript is printed as it happens. {@code examples/quickstart.sh} builds and runs it.
 */
public final class Quickstart {

    private static final List<byte[]> MESSAGES = List.of(plain(), awkward(), large());

    private final Transcript transcript;

    private Quickstart(Transcript transcript) {
        this.transcript = transcript;
    }

    /**
     * Runs it; exits with 0 only if all messages arrived byte for byte.
     *
     * @param arguments {@code --colour} for a terminal
     */
    public static void main(String[] arguments) {
        System.exit(run(new FileOutputStream(FileDescriptor.out), Arrays.asList(arguments).contains("--colour")));
    }

    static int run(OutputStream out, boolean colour) {
        var transcript = new Transcript(out, colour);
        try {
            return new Quickstart(transcript).run();
        } catch (IOException e) {
            transcript.say("FAILED: " + e.getMessage());
            return 1;
        } finally {
            transcript.close();
        }
    }

    private int run() throws IOException {
        try (var server = new QuickstartServer();
                var proxy = SmtpProxy.builder()
                        .listen("127.0.0.1", 0)
                        .intercept(Interception.fixed(server.address()))
                        .serverTls(TlsPolicy.encrypt())
                        .handler(transcript)
                        .build()) {
            proxy.start();
            var entry = proxy.addresses().get(0);
            transcript.say("Receiving server on " + EventJson.address(server.address()) + ", Weft on " + EventJson.address(entry)
                    + ", which adds TLS.  > client   < server   = what Weft recorded\n");
            send(entry);
            proxy.stop(Duration.ofSeconds(5));
            transcript.say("");
            transcript.say(server.messagesInTls() + " of " + MESSAGES.size()
                    + " messages reached the server in TLS; the senders, on their private link, spoke in clear.");
            return compare(server.messages()) && server.messagesInTls() == MESSAGES.size() ? 0 : 1;
        }
    }

    private static void send(InetSocketAddress proxy) throws IOException {
        try (var first = new QuickstartSender("first.example.com", new byte[] {127, 0, 0, 2}, proxy)) {
            first.send(MESSAGES.get(0));
            first.send(MESSAGES.get(1));
        }
        try (var second = new QuickstartSender("second.example.org", new byte[] {127, 0, 0, 3}, proxy)) {
            second.send(MESSAGES.get(2));
        }
    }

    private boolean compare(List<byte[]> arrived) {
        boolean all = arrived.size() == MESSAGES.size();
        for (int i = 0; i < MESSAGES.size(); i++) {
            var difference = i < arrived.size() ? difference(MESSAGES.get(i), arrived.get(i)) : "did not arrive";
            transcript.say("Message " + (i + 1) + ", " + MESSAGES.get(i).length + " octets: "
                    + (difference.isEmpty() ? "arrived byte for byte" : difference));
            all &= difference.isEmpty();
        }
        transcript.say(all
                ? "OK: all " + MESSAGES.size() + " messages arrived byte for byte."
                : "FAILED: " + arrived.size() + " messages arrived, and not all as they were sent.");
        return all;
    }

    /** Says where what arrived is not what was sent; empty if it is the same. */
    static String difference(byte[] sent, byte[] arrived) {
        int at = Arrays.mismatch(sent, arrived);
        if (at < 0) {
            return "";
        }
        return "DIFFERS from octet " + at + " on: " + octet(sent, at) + " was sent, " + octet(arrived, at) + " arrived ("
                + sent.length + " octets sent, " + arrived.length + " arrived)";
    }

    private static String octet(byte[] octets, int at) {
        return at < octets.length ? String.format("0x%02x", octets[at]) : "nothing";
    }

    private static byte[] plain() {
        return (header("first.example.com", "plain") + "Good morning.\r\n").getBytes(StandardCharsets.UTF_8);
    }

    /** What careless relays change: dots at line starts and alone, 8-bit text, blanks at line ends, an octet 0. */
    private static byte[] awkward() {
        var body = ".\r\n..\r\n.. two dots\r\nGr\u00fc\u00dfe \u2713\r\ntrailing blanks  \t\r\n\r\nzero: \0\r\nQUIT\r\n"
                + "MAIL FROM:<x@example.com>\r\n" + "long ".repeat(180) + "\r\n\r\n.\r\n";
        return (header("first.example.com", "awkward") + body).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] large() {
        var message = new ByteArrayOutputStream(1 << 20);
        message.writeBytes(header("second.example.org", "large").getBytes(StandardCharsets.UTF_8));
        for (int i = 0; message.size() < 1_000_000; i++) {
            message.writeBytes((i % 7 == 0 ? "." : "").getBytes(StandardCharsets.UTF_8));
            message.writeBytes((i + " the quick brown fox jumps over the lazy dog\r\n").getBytes(StandardCharsets.UTF_8));
        }
        return message.toByteArray();
    }

    private static String header(String domain, String subject) {
        return "From: <sender@" + domain + ">\r\nTo: <anna@example.net>, <bert@example.net>\r\nSubject: " + subject + "\r\n"
                + "Date: Thu, 1 Jan 2026 00:00:00 +0000\r\nMessage-ID: <" + subject + "@" + domain + ">\r\n\r\n";
    }
}
