package dev.weft.examples.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;

/** Leads the senders' port-25 traffic to a transparent listener on the router (TPROXY). */
public final class Steering {

    /** Where the listener has to be. */
    public static final int PORT = 2525;

    private Steering() {
    }

    /**
     * The packet filter's rules. The second drop closes what is open otherwise: with no listener there, tproxy lets the packet
     * pass by the proxy.
     *
     * @param first a rule to be asked before all others; may be empty
     * @return rules for {@link #load}
     */
    public static String rules(String first) {
        return """
                table inet weft {
                  chain prerouting {
                    type filter hook prerouting priority mangle; policy accept;
                    FIRST
                    tcp dport PORT drop
                    iifname { SENDERS } tcp dport 25 tproxy to :PORT meta mark set 0x19 accept
                    iifname { SENDERS } tcp dport 25 drop
                  }
                }
                """.replace("FIRST", first).replace("PORT", "" + PORT)
                .replace("SENDERS", '"' + String.join("\", \"", Topology.SENDER_DEVICES) + '"');
    }

    /**
     * Has the router deliver marked packets to itself, whatever their destination.
     *
     * @param net with the hosts of {@link Topology}
     */
    public static void deliverMarked(Namespaces net) {
        for (var family : List.of("-4", "-6")) {
            net.must(Topology.ROUTER, "ip", family, "rule", "add", "fwmark", "0x19", "lookup", "100");
            net.must(Topology.ROUTER, "ip", family, "route", "add", "local", "default", "dev", "lo", "table", "100");
        }
    }

    /**
     * Loads rules into the router's packet filter.
     *
     * @param net with the hosts of {@link Topology}
     * @param rules in the language of nft
     */
    public static void load(Namespaces net, String rules) {
        try {
            var file = Files.writeString(net.directory().resolve("rules.nft"), rules);
            net.must(Topology.ROUTER, "nft", "-f", file.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
