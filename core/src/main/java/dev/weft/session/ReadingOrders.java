package dev.weft.session;

/** Which leg is read: a peer that takes nothing stops the reading of the other, so that what is held stays small. */
final class ReadingOrders {

    private final SmtpSession session;
    private boolean clientPaused;
    private boolean serverPaused;

    ReadingOrders(SmtpSession session) {
        this.session = session;
    }

    /** The server leg is gone; a new one is read from its beginning. */
    void serverGone() {
        serverPaused = false;
    }

    /** Reads the server again, whether or not the client takes bytes. */
    void readServer() {
        if (serverPaused) {
            serverPaused = false;
            order(Leg.SERVER, false);
        }
    }

    /** Orders what has changed, after each input. */
    void order() {
        var client = session.client;
        var waits = session.waits;
        var pauseClient = waits.isBlocked(Leg.SERVER)
                || waits.isBlocked(Leg.CLIENT) && client.phase != ClientPhase.BLIND
                || !session.gateOpen() && client.room() == 0;
        if (pauseClient != clientPaused && !client.gone) {
            clientPaused = pauseClient;
            order(Leg.CLIENT, pauseClient);
        }
        var pauseServer = waits.isBlocked(Leg.CLIENT) && session.server.phase.reached();
        if (pauseServer != serverPaused) {
            serverPaused = pauseServer;
            order(Leg.SERVER, pauseServer);
        }
    }

    private void order(Leg leg, boolean pause) {
        if (pause) {
            session.port.pauseReading(leg);
        } else {
            session.port.resumeReading(leg);
        }
    }
}
