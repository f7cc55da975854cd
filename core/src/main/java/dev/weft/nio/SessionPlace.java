package dev.weft.nio;

import java.net.InetAddress;

/**
 * A session's place among those that were let in: it counts for its client, and as many descriptors are held for it as it may still
 * open.
 */
final class SessionPlace {

    private final Engine engine;
    private final InetAddress client;
    private long descriptors;
    private boolean settled;

    /** Of a session that was admitted just now: all that any may take is held. */
    SessionPlace(Engine engine, InetAddress client) {
        this.engine = engine;
        this.client = client;
        this.descriptors = engine.limits().most();
    }

    /** Whether there is nothing to be settled any more: it is known what the session takes, or the session has left. */
    boolean settled() {
        return settled;
    }

    /** What TLS the legs have is known by now: descriptors that it does not take are there for others. */
    void settle(boolean clientTls, boolean serverLeg, boolean serverTls) {
        settled = true;
        long takes = engine.descriptors().of(clientTls, serverLeg, serverTls);
        engine.limits().takesFewer(descriptors - takes);
        descriptors = takes;
    }

    void leave() {
        settled = true; // the client may go in the event that would settle it
        engine.limits().leaveClient(client);
        engine.limits().leave(descriptors);
    }
}
