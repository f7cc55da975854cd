package dev.weft.examples.bench.experiments;

import java.nio.file.Path;
import java.util.List;

/**
 * How large a run is.
 *
 * @param fairnessMessages of each sender
 * @param resourceMessages of each sender, twice: to warm up, and to be measured
 * @param warmUpSeconds of steady mail before any counts: a JVM that is new gets faster for half a minute
 * @param quietSeconds of steady mail without the burst
 * @param burstSeconds of steady mail with the burst
 * @param burstMessages how many for the receiver that is slow
 * @param tarpitSeconds that it takes for a recipient
 * @param relayConnections of the Postfix relay to one destination, in the congestion experiment
 * @param fairnessLimit what Weft on mail is told of the receiver's limit in the fairness experiment: a number, or auto
 * @param jvmFlags for the JVM that Weft runs in
 * @param output where charts go
 */
record Plan(int fairnessMessages, int resourceMessages, int warmUpSeconds, int quietSeconds, int burstSeconds, int burstMessages,
        int tarpitSeconds, int relayConnections, String fairnessLimit, List<String> jvmFlags, Path output) {

    static Plan full(int relayConnections, String fairnessLimit, List<String> jvmFlags, Path output) {
        return new Plan(200, 200, 20, 15, 20, 1000, 10, relayConnections, fairnessLimit, jvmFlags, output);
    }

    static Plan quick(int relayConnections, String fairnessLimit, List<String> jvmFlags, Path output) {
        return new Plan(30, 60, 5, 5, 8, 200, 4, relayConnections, fairnessLimit, jvmFlags, output);
    }

    /** With another number of messages for the experiments that count them. */
    Plan withMessages(int messages) {
        return new Plan(messages, messages, warmUpSeconds, quietSeconds, burstSeconds, burstMessages, tarpitSeconds,
                relayConnections, fairnessLimit, jvmFlags, output);
    }
}
