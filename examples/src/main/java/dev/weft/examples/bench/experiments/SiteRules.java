package dev.weft.examples.bench.experiments;

import java.util.List;
import java.util.Map;

/**
 * How the hosts of an experiment are set up.
 *
 * @param senderConnections how many connections a sender makes to one destination at a time
 * @param relayConnections the same for the Postfix relay
 * @param mxConnections how many connections a receiver allows each client address; 0 for any number
 * @param mxSeconds how long receivers take for a recipient, by their names; those not named take no time
 * @param weftLimit what Weft on mail is told of the receivers' limit: a number, or auto
 * @param jvmFlags for the JVM that Weft runs in
 */
record SiteRules(int senderConnections, int relayConnections, int mxConnections, Map<String, Integer> mxSeconds, String weftLimit,
        List<String> jvmFlags) {

    /** Postfix waits minutes before it tries again, which no experiment has. */
    private static final String RETRIES = """
            minimal_backoff_time = 2s
            maximal_backoff_time = 4s
            queue_run_delay = 2s
            """;

    /** How many connections a Postfix makes to one destination if nobody says otherwise. */
    static final int POSTFIX_CONNECTIONS = 20;

    /** Processes of a kind: what a Postfix has by default, and so many that they limit nothing. */
    private static final int POSTFIX_PROCESSES = 100;
    private static final int MANY_PROCESSES = 300;

    private static final String COMMON = """
            enable_long_queue_ids = yes
            default_process_limit = %d
            smtpd_client_connection_count_limit = %d
            default_destination_concurrency_limit = %d
            initial_destination_concurrency = %d
            """;

    /** The settings of a sending Postfix; the next hop is a relay's address, or null where its table of routes tells. */
    String sender(String nextHop) {
        return COMMON.formatted(MANY_PROCESSES, 0, senderConnections, senderConnections) + RETRIES + """
                mynetworks = 127.0.0.0/8
                header_checks = regexp:HOME/etc/held
                """ + (nextHop == null ? "transport_maps = texthash:HOME/etc/transport\n" : "relayhost = [" + nextHop + "]\n");
    }

    /** What a sender puts on hold. */
    String held() {
        return "/^Subject: held$/ HOLD\n";
    }

    /** The settings of the Postfix relay. */
    String relay() {
        return COMMON.formatted(POSTFIX_PROCESSES, 0, relayConnections, Math.min(5, relayConnections)) + RETRIES + """
                mynetworks = 10.77.0.0/16
                relayhost =
                transport_maps = texthash:HOME/etc/transport
                smtpd_relay_restrictions = permit_mynetworks, reject
                """;
    }

    /** The settings of a receiving Postfix, which throws mail away once it has accepted and queued it. */
    String receiver(String host) {
        int seconds = mxSeconds.getOrDefault(host, 0);
        return COMMON.formatted(MANY_PROCESSES, mxConnections, POSTFIX_CONNECTIONS, 5) + """
                relay_domains = %s.test
                relay_transport = discard:
                smtpd_relay_restrictions = reject_unauth_destination
                smtpd_recipient_restrictions = %s
                """.formatted(host, seconds == 0 ? "permit" : "sleep " + seconds);
    }

    /** Weft's own options. */
    List<String> weft(Way way) {
        return way == Way.WEFT_MAIL ? List.of("--binding", "mail", "--limit", weftLimit, "--helo", "router.test") : List.of();
    }
}
