package dev.weft.examples.bench;

import java.io.IOException;
import java.net.InetSocketAddress;

/** How long sessions with one message each took, in milliseconds. */
record SessionTimes(double p50, double p99) {

    /** Holds sessions with a contender, one after the other. */
    static SessionTimes of(Contender contender, int bodySize, int sessions) throws IOException {
        var client = new SessionClient(new InetSocketAddress("127.0.0.1", contender.port()), bodySize);
        var times = new double[sessions];
        for (int i = 0; i < sessions; i++) {
            times[i] = client.send(null) / 1e6;
        }
        return new SessionTimes(Statistics.percentile(times, 50), Statistics.percentile(times, 99));
    }
}
