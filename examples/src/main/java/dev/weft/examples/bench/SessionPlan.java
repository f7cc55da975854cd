package dev.weft.examples.bench;

import dev.weft.tls.spi.TlsClientContext;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What the sessions of a {@link StageClient} do.
 *
 * @param tls makes the engines for STARTTLS; null stays in clear
 * @param resume whether each session takes up the TLS session of the one before it
 * @param quickAck whether packets are acknowledged at once around the handshake (TCP_QUICKACK)
 * @param together whether all sessions that are open wait for each other, and then start TLS at one time
 * @param holds whether a session stays open after EHLO
 * @param message with its end-of-data; null sends none
 */
record SessionPlan(InetSocketAddress server, TlsClientContext tls, boolean resume, boolean quickAck, boolean together, boolean holds,
        String from, String to, ByteBuffer message) {

    static SessionPlan to(InetSocketAddress server) {
        return new SessionPlan(server, null, false, true, false, false, "from@client.example", "to@server.example", null);
    }

    SessionPlan withTls(TlsClientContext context, boolean resumed) {
        return new SessionPlan(server, context, resumed, quickAck, together, holds, from, to, message);
    }

    SessionPlan withDelayedAck() {
        return new SessionPlan(server, tls, resume, false, together, holds, from, to, message);
    }

    SessionPlan startingTogether() {
        return new SessionPlan(server, tls, resume, quickAck, true, holds, from, to, message);
    }

    SessionPlan holding() {
        return new SessionPlan(server, tls, resume, quickAck, together, true, from, to, message);
    }

    SessionPlan withEnvelope(String sender, String recipient) {
        return new SessionPlan(server, tls, resume, quickAck, together, holds, sender, recipient, message);
    }

    SessionPlan withMessage(int bytes) {
        var line = "x".repeat(78) + "\r\n";
        var text = "Subject: benchmark\r\n\r\n" + line.repeat(Math.max(1, bytes / line.length())) + ".\r\n";
        var buffer = ByteBuffer.allocateDirect(text.length()).put(text.getBytes(StandardCharsets.US_ASCII)).flip();
        return new SessionPlan(server, tls, resume, quickAck, together, holds, from, to, buffer);
    }
}
