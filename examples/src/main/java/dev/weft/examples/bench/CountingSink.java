package dev.weft.examples.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A server that counts how often each recipient got a complete message, so that a lost and a doubled one don't cancel out. Knows
 * just the SMTP that smtp-source speaks, and no pipelining.
 */
final class CountingSink extends LoopbackSink {

    private final ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
    private final Map<String, Integer> deliveries = new ConcurrentHashMap<>();
    private final boolean closesFirst;

    /**
     * Starts one on a port of its own.
     *
     * @param closesFirst whether it closes after its reply to QUIT, as most servers do, or leaves that to the client
     */
    CountingSink(boolean closesFirst) throws IOException {
        this.closesFirst = closesFirst;
        start("sink");
    }

    /** How many messages came, counted once for each recipient. */
    long messages() {
        return deliveries.values().stream().mapToLong(Integer::longValue).sum();
    }

    /** How many different recipients got a message. */
    int recipients() {
        return deliveries.size();
    }

    @Override
    Peer greet(SocketChannel channel) throws IOException {
        var peer = new Sender(channel);
        peer.say("220 sink.example ESMTP");
        return peer;
    }

    /** One connection, with the line that it is in. A message that is cut off is not counted. */
    private final class Sender implements Peer {
        private final SocketChannel channel;
        private final StringBuilder line = new StringBuilder();
        private String recipient = "";
        private boolean message;

        Sender(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void read() throws IOException {
            if (channel.read(buffer.clear()) < 0) {
                channel.close();
                return;
            }
            for (buffer.flip(); buffer.hasRemaining();) {
                char c = (char) (buffer.get() & 0xff);
                if (c != '\n') {
                    line.append(c);
                    continue;
                }
                var whole = line.toString();
                line.setLength(0);
                if (message) {
                    if (whole.equals(".\r")) {
                        message = false;
                        deliveries.merge(recipient, 1, Integer::sum);
                        say("250 2.0.0 taken");
                    }
                } else if (!command(whole.strip())) {
                    return;
                }
            }
        }

        /** Answers a command; false if the connection is closed. */
        private boolean command(String command) throws IOException {
            switch (command.substring(0, Math.min(4, command.length()))) {
                case "QUIT" -> {
                    say("221 2.0.0 bye");
                    if (closesFirst) {
                        channel.close();
                    }
                    return !closesFirst;
                }
                case "DATA" -> {
                    message = true;
                    say("354 go on");
                }
                case "RCPT" -> {
                    recipient = command;
                    say("250 2.1.5 ok");
                }
                default -> say("250 ok");
            }
            return true;
        }

        private void say(String reply) throws IOException {
            var bytes = StandardCharsets.US_ASCII.encode(reply + "\r\n");
            if (channel.write(bytes) < reply.length() + 2) {
                throw new IOException("the peer does not read its replies");
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
