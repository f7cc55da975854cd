package dev.weft.tls.testkit;

import dev.weft.tls.spi.TlsEngine;
import java.util.function.IntSupplier;

/** A client's and a server's engine that talk to each other in memory. */
public final class TlsPair implements AutoCloseable {
    /** So many rounds without a byte moved mean that nothing more will happen: an engine may need a round for itself. */
    private static final int QUIET_ROUNDS = 3;

    private final Wire toServer = new Wire();
    private final Wire toClient = new Wire();
    private final TlsPeer client;
    private final TlsPeer server;

    /**
     * Connects two engines.
     *
     * @param client the client's
     * @param server the server's
     */
    public TlsPair(TlsEngine client, TlsEngine server) {
        this.client = new TlsPeer(client, toClient, toServer);
        this.server = new TlsPeer(server, toServer, toClient);
    }

    /**
     * The client's side.
     *
     * @return with what it heard
     */
    public TlsPeer client() {
        return client;
    }

    /**
     * The server's side.
     *
     * @return with what it heard
     */
    public TlsPeer server() {
        return server;
    }

    /**
     * The bytes on their way to the server.
     *
     * @return may be cut, spoilt and added to
     */
    public Wire toServer() {
        return toServer;
    }

    /**
     * The bytes on their way to the client.
     *
     * @return may be cut, spoilt and added to
     */
    public Wire toClient() {
        return toClient;
    }

    /** Lets both talk until nothing moves any more. */
    public void settle() {
        settle(() -> Integer.MAX_VALUE);
    }

    /**
     * Lets both talk until nothing moves any more.
     *
     * @param pieces how many bytes of the wire are delivered at a time
     */
    public void settle(IntSupplier pieces) {
        for (int quiet = 0; quiet < QUIET_ROUNDS; ) {
            boolean moved = client.step(pieces.getAsInt());
            moved |= server.step(pieces.getAsInt());
            quiet = moved ? 0 : quiet + 1;
        }
    }

    /**
     * Lets both talk, and expects the handshake to be done on both sides.
     *
     * @return this pair
     */
    public TlsPair handshake() {
        settle();
        Expect.that(client.engine().handshakeDone(), "the client's handshake is done; " + client);
        Expect.that(server.engine().handshakeDone(), "the server's handshake is done; " + server);
        return this;
    }

    /** Sends a line each way and expects it to arrive. What a connection needs to take in tickets too. */
    public void chat() {
        client.say("EHLO client.example\r\n");
        settle();
        Expect.equal(server.takeHeard(), "EHLO client.example\r\n", "what the server heard");
        server.say("250 server.example\r\n");
        settle();
        Expect.equal(client.takeHeard(), "250 server.example\r\n", "what the client heard");
    }

    /** Ends both sides in good order and frees the engines. */
    public void end() {
        client.engine().closeOutbound();
        settle();
        server.engine().closeOutbound();
        settle();
        close();
    }

    /** Frees both engines. */
    @Override
    public void close() {
        client.engine().free();
        server.engine().free();
    }
}
